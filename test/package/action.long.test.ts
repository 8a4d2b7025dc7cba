import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { members, openSandboxPlace, type SandboxPlace } from '../cli/workplace.ts';
import { endsWithTests } from '../ends-with-tests.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Action {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly steps: readonly {
      readonly id?: string;
      readonly if?: string;
      readonly shell?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly run?: string;
    }[];
  };
}
const action: Action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));

/** Plays GitHub for `gh api`: a list of comments, each in a file of its own. */
const GH = `#!/usr/bin/env node
const { readFileSync, writeFileSync, existsSync } = require('node:fs');
const [api, path, ...flags] = process.argv.slice(2);
const kept = process.env.GH_COMMENTS;
const comments = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : [];
if (api !== 'api' || !process.env.GH_TOKEN) process.exit(4);
const field = flags.find((flag) => flag.startsWith('body=@'));
if (field === undefined) {
  if (path !== 'repos/o/r/issues/7/comments') process.exit(5);
  for (const { id, body } of comments) if (body.startsWith(process.env.MARK)) console.log(id);
} else {
  const body = readFileSync(field.slice('body=@'.length), 'utf8');
  const [, id] = /^repos\\/o\\/r\\/issues\\/comments\\/(\\d+)$/.exec(path) ?? [];
  if (id === undefined) comments.push({ id: comments.length + 100, body });
  else comments.find((one) => one.id === Number(id)).body = body;
  writeFileSync(kept, JSON.stringify(comments));
}
`;

/** Runs the steps with a shell as a runner does: bash, in the order of the file, each with the variables that it names. */
function runner(place: SandboxPlace) {
  const kept = join(place.root, 'comments.json');
  place.file('bin/gh', GH);
  chmodSync(join(place.root, 'bin/gh'), 0o755);
  return {
    comments: (): { readonly id: number; readonly body: string }[] =>
      existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : [],
    run: async (given: Readonly<Record<string, string>>, pullRequest = '7') => {
      const outputs = new Map<string, string>();
      const values: Readonly<Record<string, (name: string) => string | undefined>> = {
        inputs: (name) => given[name] ?? action.inputs[name]?.default?.replace(/^\$\{\{.*/, 'token'),
        github: (name) => ({ action_path: ROOT, repository: 'o/r', 'event.pull_request.number': pullRequest })[name],
        steps: (name) => outputs.get(name),
      };
      const filled = (text: string) =>
        text.replace(/\$\{\{ (\w+)\.([\w.]+) \}\}/g, (_, room: string, name: string) => values[room]?.(name) ?? '');
      const summary = place.file('summary.md', '');
      let said = '';
      for (const { id = '', if: condition, shell, env = {}, run } of action.runs.steps) {
        // The clone has its packages.
        if (run === undefined || id === 'install') continue;
        if (condition !== undefined && filled(`\${{ ${condition.replace(" != ''", '')} }}`) === '') continue;
        expect(shell).toBe('bash');
        const script = place.file(`${id}.sh`, run);
        const output = place.file('output', '');
        const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
          cwd: place.root,
          stdio: ['ignore', 'ignore', 'pipe'],
          env: {
            ...place.env,
            PATH: `${join(place.root, 'bin')}:${process.env['PATH']}`,
            RUNNER_TEMP: place.root,
            GITHUB_OUTPUT: join(place.root, output),
            GITHUB_STEP_SUMMARY: join(place.root, summary),
            GH_COMMENTS: kept,
            ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(text)])),
          },
        });
        endsWithTests(child);
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          said += text;
        });
        const [status] = await once(child, 'close');
        for (const [, name, value = ''] of readFileSync(join(place.root, output), 'utf8').matchAll(/^(\w+)=(.*)$/gm)) {
          outputs.set(`${id}.outputs.${name}`, value);
        }
        if (status !== 0) return { status, said, step: id, outputs: outputsOf(filled) };
      }
      return { status: 0, said, step: '', outputs: outputsOf(filled) };
    },
  };
}

function outputsOf(filled: (text: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value)]));
}

const openPlace = () =>
  openSandboxPlace({
    seed: { users: ['anna', 'bob'], regions: { us: { members: { team: { participants: ['cleo', 'dan', 'eve'] } } } } },
  });

describe('the action', () => {
  test('comments the plan on the pull request, once, and sends nothing; on merge it carries the plan out', async () => {
    const place = await openPlace();
    const { run, comments } = runner(place);
    place.file(
      'my members.csv',
      members([
        ['team', 'anna'],
        ['team', 'cleo'],
      ]),
    );
    const file = 'my members.csv';
    const planned = await run({ file });
    expect(planned).toMatchObject({ status: 0, outputs: { state: 'planned', changes: '1' } });
    expect(comments().map(({ body }) => body)).toEqual([
      expect.stringMatching(
        /^<!-- rollcall sync of my members\.csv -->\n### Sync of `my members\.csv`\n\n\*\*1 to add; 1 right\.\*\*/,
      ),
    ]);
    expect(readFileSync(join(place.root, 'summary.md'), 'utf8')).toContain('| `team` (us) | `anna` |');

    writeFileSync(
      join(place.root, file),
      members([
        ['team', 'anna'],
        ['team', 'bob'],
        ['team', 'cleo'],
      ]),
    );
    expect((await run({ file })).outputs).toMatchObject({ changes: '2' });
    expect(comments().map(({ body }) => body)).toEqual([expect.stringContaining('**2 to add; 1 right.**')]);
    expect(place.sandbox.members('us', 'team').size).toBe(3);

    const applied = await run({ file, apply: 'true' }, '');
    expect(applied).toMatchObject({ status: 0, outputs: { state: 'applied', changes: '2' } });
    expect(comments()).toHaveLength(1);
    expect(place.sandbox.members('us', 'team').size).toBe(5);
  });

  test('fails the check of a plan that a guard holds, after its comment says why', async () => {
    const place = await openPlace();
    const { run, comments } = runner(place);
    place.file('members.csv', members([['team', 'anna']]));
    const held = await run({ file: 'members.csv', args: "--mode mirror --missing 'remove'", apply: 'true' });
    expect(held).toMatchObject({ status: 3, step: 'result', outputs: { state: 'held' } });
    expect(comments()[0]?.body).toContain('#### Held: 1 objection of the guards');
    expect(place.sandbox.members('us', 'team').size).toBe(3);
  });

  test.each([
    "--where=name!=O'Brien --limit groupRemovals=0",
    '--limit groupRemovals=0 "',
    "--where 'name!=O'Brien' --limit groupRemovals=0",
  ])('plans nothing with arguments that cannot be read: %s', async (args) => {
    const place = await openPlace();
    const { run } = runner(place);
    place.file('members.csv', members([['team', 'cleo']]));
    const file = 'members.csv';
    const ended = await run({ file, args: `--mode mirror --missing remove ${args}`, apply: 'true' }, '');
    expect(ended).toMatchObject({ status: 2, step: 'sync', outputs: { id: '' } });
    expect(ended.said).toContain('args cannot be read');
    expect(place.sandbox.members('us', 'team').size).toBe(3);
  });

  test('takes quotes, lines and blanks in arguments as a shell does, and runs nothing in them', async () => {
    const place = await openPlace();
    const { run, comments } = runner(place);
    place.file('members.csv', 'guid,uid,name\nteam,anna,O\'Brien\nteam,bob,"$(touch here)"\n');
    const args = `--where "name!=O'Brien"\n  --map 'uid=uid,guid=guid'   --min-rows "1"\n`;
    const planned = await run({ file: 'members.csv', args });
    expect(planned).toMatchObject({ status: 0, outputs: { state: 'planned', changes: '1' } });
    expect(comments()[0]?.body).toContain('`bob`');
    const blank = await run({ file: 'members.csv', args: ' \n' });
    expect(blank).toMatchObject({ status: 0, outputs: { changes: '2' } });
    await run({ file: 'members.csv', args: '--where "name=$(touch here)" --where `touch here`=1' });
    expect(existsSync(join(place.root, 'here'))).toBe(false);
  });

  test('takes no flag for a file', async () => {
    const place = await openPlace();
    const { run } = runner(place);
    const ended = await run({ file: '--apply' });
    expect(ended).toMatchObject({ status: 2, outputs: { state: 'failed', id: '' } });
    expect(ended.said).toContain('--apply');
  });

  test('says on the pull request why a file could not be planned', async () => {
    const place = await openPlace();
    const { run, comments } = runner(place);
    expect(await run({ file: 'missing.csv' })).toMatchObject({
      status: 2,
      step: 'result',
      outputs: { state: 'failed', id: '' },
    });
    expect(comments()[0]?.body).toMatch(/### No sync was planned\n\n {4}.*missing\.csv/);
  });
});

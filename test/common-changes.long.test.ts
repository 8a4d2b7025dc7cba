import { beforeAll, expect, test } from 'vitest';
import { copyOfProject } from './project-copy.ts';

// "Common changes" of CONTRIBUTING.md, made as it says, all in one copy of the project: to compile it takes longest.

const TIME_MS = 600_000;
/** Not written out in planted text: the tests' needs are read from what they import. */
const load = 'import';

const copy = copyOfProject();
/** Tests that CONTRIBUTING.md names for these changes. */
const TESTS = new Set<string>();

interface Change {
  readonly plant: () => void;
  /** Tries what was planted. */
  readonly use?: () => Promise<void>;
  readonly tests: readonly string[];
}

const CHANGES: Record<string, Change> = {
  'a new input format: its reader, its line in the table of kinds, and that in the table of texts': {
    plant: () => {
      copy.write(
        'src/imports/read/pairs.ts',
        `/** Lines of a group and a user as NDJSON. */
export async function* pairsAsNdjson(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const text: Buffer[] = [];
  for await (const block of blocks) text.push(block);
  for (const line of Buffer.concat(text).toString().split('\\n').slice(1)) {
    const [guid, uid] = line.split('>');
    if (uid !== undefined) yield Buffer.from(\`\${JSON.stringify({ guid, uid })}\\n\`);
  }
}
`,
      );
      copy.insert(
        'src/options/input-kinds.ts',
        "  ldif: { name: 'LDIF'",
        "  pairs: { name: 'Pairs', endings: ['pairs'], rowsAs: 'ndjson', mediaType: 'text/x-pairs' },\n",
      );
      copy.insert(
        'src/imports/read/element-formats.ts',
        '  ldif: {',
        `  pairs: { isAt: (start) => start.startsWith('%pairs'), read: async (blocks) => (await ${load}('./pairs.ts')).pairsAsNdjson(blocks) },\n`,
      );
      copy.write('members.pairs', '%pairs\nteam>ann\nteam>bob\n');
    },
    use: async () => {
      expect(await copy.rollcall('import', 'members.pairs', '--sandbox')).toContain('2 rows read = 2 added');
      expect(await copy.rollcall('inspect', 'members.pairs')).toContain('Pairs');
    },
    tests: ['test/imports/read/formats.test.ts'],
  },
  'a new column of the report: its declaration, and where it is read': {
    plant: () => {
      copy.insert('src/membership/row-columns.ts', '  _created: [', "  _queued_at: ['queuedAt', 'maybeCount'],\n");
      const read = 'src/imports/report/';
      copy.insert(`${read}reading.sql`, ", members, coalesce(messages, '') as messages", ', dispatched_at as queuedAt');
      copy.insert(
        `${read}chosen-rows.ts`,
        '  readonly members: number | null;',
        '  readonly queuedAt: number | null;\n',
      );
      copy.insert(`${read}chosen-rows.ts`, '    members: messageId ===', '    queuedAt: sent?.queuedAt ?? null,\n');
      copy.insert('test/imports/report/fixtures.ts', "    created: '',", '    queuedAt: null,\n');
    },
    use: async () => {
      copy.write('members.csv', 'guid,uid\nteam,ann\n');
      await copy.rollcall('import', 'members.csv', '--sandbox', '--data-dir', 'data');
      const [report = ''] = copy.read('data/imports/*/report.csv');
      expect(report).toMatch(/,_finished_at,_queued_at,_created,.*\n.*Z,\d{13},/);
    },
    tests: ['test/reported-rows.test.ts', 'test/server/rows.test.ts'],
  },
  'a new kind of address: its adapter, and its line in the table of schemes': {
    plant: () => {
      copy.write(
        'src/sources/memo-source.ts',
        `import type { Adapter } from './source.ts';

/** Two members of the group that the address names. */
export const adapter: Adapter = ({ address: name }) => {
  const guid = name.slice('memo://'.length);
  async function* pieces() {
    yield [[guid, 'ann'], [guid, 'bob']];
  }
  const content = { kind: 'rows', columns: ['guid', 'uid'], pieces: pieces() } as const;
  return { name, open: async () => ({ name, version: undefined, content, close: async () => {} }) };
};
`,
      );
      copy.insert(
        'src/sources/schemes.ts',
        "  {\n    names: ['sftp'],",
        `  { names: ['memo'], takes: [], load: () => ${load}('./memo-source.ts') },\n`,
      );
    },
    use: async () => {
      expect(await copy.rollcall('import', 'memo://team', '--sandbox')).toContain('2 rows read = 2 added');
    },
    tests: ['test/sources/spool.test.ts', 'test/architecture.test.ts'],
  },
  'a new option: one declaration, and an example of its text': {
    plant: () => {
      copy.insert(
        'src/options/sending-options.ts',
        '  maxErrors: option({',
        "  maxPatience: option({ ...rows(1), help: 'rows that it is patient for' }),\n",
      );
      copy.insert('test/options/declared.test.ts', "  guid: ['team-1', 'team-1'],\n", "  maxPatience: ['7', 7],\n");
    },
    use: async () => {
      expect(await copy.rollcall('import', '--help')).toMatch(/--max-patience <n> +rows that it is patient for/);
    },
    tests: ['test/options/declared.test.ts'],
  },
  'a new setting: one entry': {
    plant: () => {
      copy.insert(
        'src/platform/settings.ts',
        '  keep: {',
        "  patience: { ...wholeNumber(1, 9), env: 'ROLLCALL_PATIENCE', preset: 3, meaning: 'its patience' },\n",
      );
    },
    use: async () => {
      expect(copy.read('docs/settings.md')[0]).toContain('| `ROLLCALL_PATIENCE` | its patience | 3 |');
    },
    tests: ['test/settings-document.test.ts', 'test/schemas.test.ts'],
  },
  'a new error code of the service: its meaning, the answer of the sandbox, a case and a point': {
    plant: () => {
      copy.insert(
        'src/chat/service/codes.ts',
        '  ERR_NO_VACANCY: {',
        "  ERR_GUID_FROZEN: { kind: 'group', advice: 'The group is frozen: thaw it first.' },\n",
      );
      copy.insert(
        'src/sandbox/groups.ts',
        "  if (fullGroup === 'per-uid') return;",
        "  if (group.profile.guid === 'ice') throw refusal(400, 'ERR_GUID_FROZEN', 'It is frozen.');\n",
      );
      copy.insert(
        'test/chat/error-policy.test.ts',
        "    ['ERR_NO_VACANCY', 400, 'group'],",
        "    ['ERR_GUID_FROZEN', 400, 'group'],\n",
      );
      copy.insert('docs/chat-service.md', '36. The service says', '    A frozen group: `ERR_GUID_FROZEN`. *assumed*\n');
    },
    use: async () => {
      copy.write('members.csv', 'guid,uid\nice,ann\nteam,bob\n');
      const said = await copy.rollcall('import', 'members.csv', '--sandbox').catch((error: Error) => error.message);
      expect(said).toContain('ERR_GUID_FROZEN');
      expect(said).toContain('The group is frozen: thaw it first.');
    },
    tests: ['test/chat/error-policy.test.ts', 'test/chat/document.test.ts'],
  },
  'a new region: a word in a list, and its number in the ledger': {
    plant: () => {
      copy.insert('src/chat/service/regions.ts', '] as const', ", 'au'");
      copy.insert('src/imports/record/import-schema.sql', "(1, 'us'), ", "(4, 'au'), ");
    },
    use: async () => {
      copy.write('members.csv', 'region,guid,uid\nau,team,ann\nus,team,bob\nau,team,cyn\n');
      const said = await copy.rollcall('import', 'members.csv', '--sandbox');
      expect(said).toContain('3 rows read = 3 added');
      expect(said).toMatch(/rows read +1 +2 +3\n/);
    },
    tests: ['test/settings-document.test.ts', 'test/schemas.test.ts', 'test/documents/text.test.ts'],
  },
  'a new error of ours: an entry in a table; for a file that cannot be used, a code and where it is thrown': {
    plant: () => {
      copy.insert(
        'src/errors/work-errors.ts',
        '  NO_IMPORTS: failure({',
        `  TAGS_CLOSED: failure({
    title: 'The tag is closed',
    sentence: 'the tag {tag} is closed',
    remedy: words\`give \${option('tag')}\`,
  }),
`,
      );
      copy.insert('test/errors.test.ts', '  NO_IMPORTS: {', "  TAGS_CLOSED: { tag: 'shut' },\n");
      const command = 'src/cli/commands/imports-commands.ts';
      copy.insert(
        command,
        '  const { imports } = await openImports(flags);\n  await imports.one(id);',
        "  if (words.includes('shut')) throw new RollcallError('TAGS_CLOSED', { tag: 'shut' });\n",
      );
      copy.insert('src/errors/input-errors.ts', '  NO_ROWS: input(', "  TOO_EARLY: input('It is early'),\n");
      copy.insert(
        'src/imports/read/open-input.ts',
        '  if (text.head.length < HEAD_BYTES && head.trim()',
        `  if (head.startsWith('soon')) {
    throw intakeError('TOO_EARLY', 'it is early', words\`Leave \${option('delimiter')} out\`);
  }
`,
      );
      copy.insert('docs/errors.md', '| `NO_ROWS`', '| `TOO_EARLY` | rejected | it is early |\n');
    },
    use: async () => {
      await expect(copy.rollcall('tag', 'one', 'shut')).rejects.toThrow('the tag shut is closed; give --tag');
      copy.write('members.csv', 'soon\n');
      const read = copy.rollcall('import', 'members.csv', '--sandbox');
      await expect(read).rejects.toThrow('it is early. Leave --delimiter out.');
    },
    tests: ['test/errors.test.ts'],
  },
  'a new operation: its declaration, and its handler': {
    plant: () => {
      copy.insert(
        'src/api/service.ts',
        "  regions: operation('GET /v1/regions'",
        "  hours: operation('GET /v1/hours', 'operator', { summary: 'Hours since the start', answer: z.strictObject({}) }),\n",
      );
      copy.insert('src/server/service-routes.ts', '    settings: async () => {', '    hours: async () => ({}),\n');
      copy.insert(
        'test/server/access.test.ts',
        "  ['GET', '/v1/regions', 'viewer'],\n",
        "  ['GET', '/v1/hours', 'operator'],\n",
      );
    },
    tests: ['test/server/access.test.ts', 'test/server/documents.test.ts'],
  },
  'a new command: its file and its entry, what it prints, a test, and a line about it': {
    plant: () => {
      copy.write(
        'src/cli/commands/motto-command.ts',
        `import { Command } from 'commander';
import type { Action } from '../exit-codes.ts';
import { withJson } from '../flags/flags.ts';

/** \`rollcall motto\`: says the motto. */
export function mottoCommand(action: Action): Command {
  return withJson(new Command('motto')).action(
    action(async (io, { json }: { readonly json?: true }) => {
      io.out.write(json ? '{"motto":"every row counts"}\\n' : 'every row counts\\n');
    }),
  );
}
`,
      );
      copy.insert(
        'src/cli/commands.ts',
        '  version: {',
        `  motto: {
    usage: '[options]',
    description: 'say the motto',
    load: () => ${load}('./commands/motto-command.ts'),
  },
`,
      );
      copy.insert('tools/outputs.ts', '  apps: z.array(app),', '  motto: z.strictObject({ motto: z.string() }),\n');
      copy.insert(
        'test/outputs.test.ts',
        "    await printed(place, 'version');",
        "    await printed(place, 'motto');\n",
      );
      copy.write(
        'test/cli/motto.test.ts',
        `import { expect, test } from 'vitest';
${load} { openWorkplace } from './workplace.ts';

test('the motto is said', async () => {
  const place = await openWorkplace();
  expect(await place.run(['motto'])).toMatchObject({ code: 0, stdout: 'every row counts\\n' });
});
`,
      );
      copy.insert('docs/single-calls.md', 'Beside memberships', '`rollcall motto --json` says the motto.\n\n');
    },
    tests: ['test/cli/motto.test.ts', 'test/outputs.test.ts', 'test/documents/text.test.ts'],
  },
  'a new feature: its folder, its lines in the doors, and its place among the others': {
    plant: () => {
      const feature = 'src/features/proverb';
      copy.write(`${feature}/proverb.ts`, "export const PROVERB = 'every row counts';\n");
      copy.write(
        `${feature}/routes.ts`,
        `import { z } from 'zod';
import { operationsOf } from '../../api/operation.ts';
import type { Api } from '../../server/context.ts';
import { serveAll } from '../../server/serve.ts';
${load} { PROVERB } from './proverb.ts';

const operation = operationsOf('service');

const proverbOperations = {
  read: operation('GET /v1/proverb', 'viewer', {
    summary: 'The proverb',
    answer: z.strictObject({ proverb: z.string() }),
  }),
};

/** Says the proverb. */
export function proverbRoutes(app: Api): void {
  serveAll(app, proverbOperations, { read: async () => ({ proverb: PROVERB }) });
}
`,
      );
      copy.write(
        `${feature}/commands/proverb-command.ts`,
        `import { Command } from 'commander';
import type { Action } from '../../../cli/exit-codes.ts';
import { PROVERB } from '../proverb.ts';

export function proverbCommand(action: Action): Command {
  return new Command('proverb').action(
    action(async (io) => {
      io.out.write(\`\${PROVERB}\\n\`);
    }),
  );
}
`,
      );
      copy.write(
        `${feature}/page.tsx`,
        `import { Card, Pending } from '../../console/kit/elements.tsx';
import { useAnswer } from '../../console/use-answer.ts';

/** The proverb. */
export function Page() {
  const { data, error } = useAnswer<{ proverb: string }>('/v1/proverb');
  return (
    <>
      <h1>Proverb</h1>
      <div class="stack">
        <Card id="proverb" title="Proverb">
          {data === undefined ? <Pending error={error} /> : <p>{data.proverb}</p>}
        </Card>
      </div>
    </>
  );
}
`,
      );
      copy.insert(
        'src/cli/commands.ts',
        '  version: {',
        `  proverb: {
    usage: '',
    description: 'say the proverb',
    load: () => ${load}('../features/proverb/commands/proverb-command.ts'),
  },
`,
      );
      copy.insert(
        'src/server/server.ts',
        'import { recipeRoutes }',
        "import { proverbRoutes } from '../features/proverb/routes.ts';\n",
      );
      copy.insert('src/server/server.ts', '  recipeRoutes(app, context);', '  proverbRoutes(app);\n');
      copy.insert(
        'src/console/pages.ts',
        "  { path: '/login'",
        `  { path: '/proverb', title: 'Proverb', load: () => ${load}('../features/proverb/page.tsx') },\n`,
      );
      copy.insert('test/source-rules.ts', "  ['src/features/inspect'],", "  ['src/features/proverb'],\n");
      copy.insert(
        'test/server/access.test.ts',
        "  ['GET', '/v1/regions', 'viewer'],",
        "  ['GET', '/v1/proverb', 'viewer'],\n",
      );
    },
    use: async () => {
      expect(await copy.rollcall('proverb')).toBe('every row counts\n');
    },
    tests: ['test/architecture.test.ts', 'test/server/access.test.ts', 'test/server/documents.test.ts'],
  },
};

beforeAll(async () => {
  for (const { plant, tests } of Object.values(CHANGES)) {
    plant();
    for (const path of tests) TESTS.add(path);
  }
  await copy.compile();
  await copy.compile('-p', 'src/console');
  await copy.build();
}, TIME_MS);

test.each(Object.entries(CHANGES))('%s', { timeout: TIME_MS }, async (_, { use }) => {
  await use?.();
});

test('the tests that these changes concern', { timeout: TIME_MS }, async () => {
  await copy.test(...TESTS);
});

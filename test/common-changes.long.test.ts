import { execFile } from 'node:child_process';
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from './temp-dir.ts';

// "Common changes" of CONTRIBUTING.md, each made in a copy of the project as it says.

const PROJECT = new URL('..', import.meta.url).pathname;
const PARTS = [
  'bench',
  'bin',
  'deploy',
  'docs',
  'jobs',
  'samples',
  'schemas',
  'src',
  'test',
  'tools',
  'README.md',
  'CHANGELOG.md',
];
const SETTINGS = ['package.json', 'tsconfig.json', 'vitest.config.ts'];
const TIME_MS = 600_000;

function copyOfProject() {
  const folder = tempDir();
  for (const part of [...PARTS, ...SETTINGS]) cpSync(join(PROJECT, part), join(folder, part), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const run = async (program: string, ...args: string[]) => {
    const ended = promisify(execFile)(process.execPath, [program, ...args], { cwd: folder });
    const { stdout } = await ended.catch((error: { stdout?: string }) => {
      throw new Error(`${program} ${args.join(' ')}: ${error.stdout}`, { cause: error });
    });
    return stdout;
  };
  return {
    write: (path: string, text: string) => writeFileSync(join(folder, path), text),
    /** Writes `text` before the first `place` of a file. */
    insert: (path: string, place: string, text: string) => {
      const before = readFileSync(join(folder, path), 'utf8');
      expect(before).toContain(place);
      writeFileSync(
        join(folder, path),
        before.replace(place, () => `${text}${place}`),
      );
    },
    rollcall: (...args: string[]) => run('bin/rollcall.js', ...args),
    compile: () => run(join(PROJECT, 'node_modules/typescript/bin/tsc'), '--checkers', '1'),
    test: (...paths: string[]) =>
      run(join(PROJECT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'quick', ...paths),
    read: (pattern: string) => globSync(join(folder, pattern)).map((path) => readFileSync(path, 'utf8')),
  };
}

test('a new input format: its reader, its line in the table of kinds, and that in the table of texts', {
  timeout: TIME_MS,
}, async () => {
  const copy = copyOfProject();
  // Not written out here: the order of the tests follows what they import.
  const load = 'import';
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
  await copy.compile();
  expect(await copy.rollcall('import', 'members.pairs', '--sandbox')).toContain('2 rows read = 2 added');
  expect(await copy.rollcall('inspect', 'members.pairs')).toContain('Pairs');
  await copy.test('test/imports/read/formats.test.ts');
});

test('a new column of the report: its declaration, and where it is read', { timeout: TIME_MS }, async () => {
  const copy = copyOfProject();
  copy.insert('src/api/rows.ts', '  _created: [', "  _queued_at: ['queuedAt', count.nullable()],\n");
  const read = 'src/imports/report/';
  copy.insert(`${read}reading.sql`, ' from batches where id = :batch;', ', dispatched_at');
  copy.insert(`${read}chosen-rows.ts`, '  readonly members: number | null;', '  readonly queuedAt: number | null;\n');
  copy.insert(`${read}chosen-rows.ts`, 'members, messages } = batch ?? {};', 'dispatched_at, ');
  copy.insert(`${read}chosen-rows.ts`, '    members: numberOf(members),', '    queuedAt: numberOf(dispatched_at),\n');
  copy.insert(`${read}chosen-rows.ts`, '    members: messageId ===', '    queuedAt: sent?.queuedAt ?? null,\n');
  copy.insert('test/imports/report/fixtures.ts', "    created: '',", '    queuedAt: null,\n');
  await copy.compile();
  copy.write('members.csv', 'guid,uid\nteam,ann\n');
  await copy.rollcall('import', 'members.csv', '--sandbox', '--data-dir', 'data');
  const [report = ''] = copy.read('data/imports/*/report.csv');
  expect(report).toMatch(/,_finished_at,_queued_at,_created,.*\n.*Z,\d{13},/);
  await copy.test('test/reported-rows.test.ts', 'test/server/rows.test.ts');
});

test('a new option: one declaration, and an example of its text', { timeout: TIME_MS }, async () => {
  const copy = copyOfProject();
  copy.insert(
    'src/options/sending-options.ts',
    '  maxErrors: option({',
    "  maxPatience: option({ ...rows(1), help: 'how many rows it is patient for' }),\n",
  );
  copy.insert('test/options/declared.test.ts', "  guid: ['team-1', 'team-1'],\n", "  maxPatience: ['7', 7],\n");
  await copy.compile();
  expect(await copy.rollcall('import', '--help')).toMatch(/--max-patience <n> +how many rows it is patient for/);
  await copy.test('test/options/declared.test.ts');
});

test('a new operation: its declaration, and its handler', { timeout: TIME_MS }, async () => {
  const copy = copyOfProject();
  copy.insert(
    'src/api/operations/service-operations.ts',
    "  regions: operation('GET /v1/regions'",
    "  hours: operation('GET /v1/hours', 'operator', { summary: 'Hours since the start', answer: overview.pick({}) }),\n",
  );
  copy.insert(
    'src/server/settings-routes.ts',
    '  serve(app, serviceOperations.regions,',
    '  serve(app, serviceOperations.hours, async () => ({}));\n',
  );
  copy.insert(
    'test/server/access.test.ts',
    "  ['GET', '/v1/regions', 'viewer'],\n",
    "  ['GET', '/v1/hours', 'operator'],\n",
  );
  await copy.compile();
  await copy.test('test/server/access.test.ts', 'test/server/documents.test.ts');
});

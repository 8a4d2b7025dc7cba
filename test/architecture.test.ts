import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { breaches, importsOf, type SourceFile, shreds, wrongComments } from './source-rules.ts';

const PROJECT = new URL('..', import.meta.url).pathname;

function sourceFiles(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.([cm]?[jt]sx?|sql)$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .map((path) => ({ path, text: readFileSync(join(PROJECT, path), 'utf8') })),
  );
}

test('src and jobs keep to the rooms of docs/architecture.md', () => {
  const files = sourceFiles('src', 'jobs');
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(({ text }) => importsOf(text)).length).toBeGreaterThan(files.length);
  expect(breaches(files)).toEqual([]);
  expect(shreds(files), 'short files that belong into the file that uses them').toEqual([]);
});

test('comments of tests and tools begin with a subject or a verb', () => {
  expect(sourceFiles('test', 'tools').flatMap(wrongComments)).toEqual([]);
});

// Preact draws every text as a text. These would not.
test('the console makes markup of no text', () => {
  const raw = /innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|document\.write/i;
  expect(
    sourceFiles('src/console', 'src/features').flatMap(({ path, text }) => (raw.test(text) ? [path] : [])),
  ).toEqual([]);
});

// An option travels in the object that it was declared for. Who lowers a number here has joined two places.
test.each([
  ['waitForQuiet', 4],
  ['askBeforeRepeat', 4],
  ['expectRows', 12],
  ['listsPerMinute', 8],
  ['allowDemotion', 6],
  ['allowUnban', 6],
  ['createGroups', 12],
  ['removeNamed', 12],
  ['giveUpAfter', 6],
  ['maxErrors', 7],
  ['maxSource', 6],
  ['undoOf', 6],
  ['maxRemovals', 15],
])('the option %s is named in at most %i files', (option, most) => {
  const name = new RegExp(`\\b${option}\\b`);
  expect(
    sourceFiles('src', 'jobs').flatMap(({ path, text }) => (name.test(text) ? [path] : [])).length,
  ).toBeLessThanOrEqual(most);
});

test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s names folders and files that exist', (document) => {
  const text = readFileSync(join(PROJECT, document), 'utf8');
  const named = [...text.matchAll(/`((?:src|test|jobs|docs|bench|samples)\/[\w./-]+)`/g)].flatMap(
    ([, path]) => path ?? [],
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
});

describe('the rules find what is planted', () => {
  const lines = (count: number) => 'const x = 1;\n'.repeat(count);
  test.each<[rule: string, path: string, text: string, says: string]>([
    ['a look upwards', 'src/queue/a.ts', `import { b } from '../imports/life/b.ts';`, 'a folder looks down'],
    ['a look upwards for a type', 'src/queue/a.ts', `import type { B } from '../../jobs/b.ts';`, 'a folder looks down'],
    ['a look upwards at run time', 'jobs/a.ts', `const b = await import('../src/cli/b.ts');`, 'a folder looks down'],
    ['a look upwards in passing on', 'src/text/a.ts', `export { b } from '../queue/b.ts';`, 'a folder looks down'],
    ['a look upwards by effect', 'src/membership/a.ts', `import '../chat/b.ts';`, 'a folder looks down'],
    ['a way back of a row', 'src/imports/read/a.ts', `import { b } from '../stage/b.ts';`, 'a folder looks down'],
    ['a later feature', 'src/features/sync/a.ts', `import { b } from '../schedule/b.ts';`, 'a folder looks down'],
    [
      'a feature in the core',
      'src/imports/life/a.ts',
      `import { b } from '../../features/export/b.ts';`,
      'a folder looks down',
    ],
    [
      'a feature in the console',
      'src/console/a.tsx',
      `import { b } from '../features/export/b.ts';`,
      'the browser has no such file',
    ],
    [
      'a command in an engine',
      'src/features/export/a.ts',
      `import { b } from './commands/b.ts';`,
      'a folder looks down',
    ],
    ['siblings', 'src/chat/a.ts', `import {\n  b,\n  c,\n} from '../queue/b.ts';`, 'siblings do not know each other'],
    [
      'the client in the sandbox',
      'src/sandbox/a.ts',
      `import { b } from '../chat/chat-client.ts';`,
      'the sandbox shares',
    ],
    [
      'a schema in the console',
      'src/console/a.tsx',
      `import { b } from '../api/b.ts';`,
      'the browser has no such file',
    ],
    [
      'the sandbox in the product',
      'src/server/a.ts',
      `import { b } from '../sandbox/b.ts';`,
      'only src/app and src/cli',
    ],
    ['a test', 'src/cli/a.ts', `import { b } from '../../test/b.ts';`, 'the product does not need it'],
    ['an unknown folder', 'src/cli/a.ts', `import { b } from '../misc/b.ts';`, 'no layer of the design'],
    ['bullmq', 'jobs/a.ts', `import { Queue } from 'bullmq';`, 'bullmq belongs to src/queue'],
    ['sqlite', 'src/cli/a.ts', `import type { DatabaseSync } from 'node:sqlite';`, 'node:sqlite belongs to'],
    ['export *', 'src/chat/a.ts', `export * from './b.ts';`, 'exports *'],
    ['a default export', 'src/chat/a.ts', 'export default 1;', 'exports have names'],
    ['the environment', 'src/cli/a.ts', 'const a = process.env.A;', 'reads process.env'],
    ['the environment by name', 'src/cli/a.ts', `import { env } from 'node:process';`, 'reads process.env'],
    ['the console', 'src/cli/a.ts', `console.log('a');`, 'uses the console'],
    ['half of a piece', 'src/cli/a.ts', 'await file.write(piece);', 'writes a part'],
    ['a code of the service', 'src/features/sync/a.ts', `const a = 'ERR_NO_VACANCY';`, 'names ERR_NO_VACANCY'],
    ['a code in SQL', 'src/features/check/a.sql', `select 'fail:ERR_UID_NOT_FOUND';`, 'names ERR_UID_NOT_FOUND'],
    ['a region', 'jobs/a.ts', `const a = 'eu';`, "names the region 'eu'"],
    ['a family of codes', 'jobs/a.ts', `const a = ['AUTH_ERR_'];`, 'names AUTH_ERR_'],
    ['the size of a call', 'src/imports/record/a.ts', 'const ROWS_PER_CALL = 25;', 'how many UIDs a call has'],
    ['the size of a call by another name', 'src/features/a.ts', 'const AT_ONCE = 25;', 'how many UIDs a call has'],
    ['the size of a call in a sum', 'src/features/a.ts', 'const a = Math.ceil(b / 25);', 'how many UIDs a call has'],
    ['the size of a call in SQL', 'src/imports/a.sql', 'select (count(*) + 24) / 25 as n;', 'how many UIDs a call has'],
    [
      'a clause as a description',
      'src/api/a.ts',
      `count.meta({ description:\n 'What came of it.' })`,
      'describes with',
    ],
    ['options without a comment', 'jobs/a.ts', 'export interface AOptions {\n', 'AOptions without a comment'],
    ['a clause as a comment', 'src/cli/a.ts', '/** What a user may do. */\nconst a = 1;', 'a.ts:1 begins without'],
    ['a clause in a long comment', 'jobs/a.ts', '/**\n * Of a row. It is\n */\nconst a = 1;', 'a.ts:2 begins without'],
    ['a clause in TSX', 'src/console/a.tsx', '      {/* Who waits here. */}', 'a.tsx:1 begins without'],
    ['a clause in SQL', 'src/imports/a.sql', '-- How a row is kept.\nselect 1;', 'a.sql:1 begins without'],
    ['a long file', 'src/cli/a.ts', lines(401), '401 lines'],
    ['many imports', 'src/cli/a.ts', "import {\n  b,\n} from '../text/b.ts';\n".repeat(26), '26 imports'],
    ['a vague file', 'src/cli/utils.ts', '', 'utils.ts says nothing'],
    ['a vague folder', 'src/common/a.ts', '', 'common says nothing'],
  ])('%s', (_, path, text, says) => {
    const found = breaches([{ path, text }]);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(path);
    expect(found[0]).toContain(says);
  });

  test('a short file that one other uses, unless it is loaded alone', () => {
    // Not written out: the order of the tests follows what they import.
    const load = 'import';
    const files = [
      { path: 'src/chat/a.ts', text: `import { b } from './b.ts';\nimport { c } from './c.ts';${lines(20)}` },
      { path: 'src/chat/b.ts', text: 'export const b = 1;' },
      { path: 'src/chat/c.ts', text: lines(20) },
      { path: 'src/chat/d-thread.ts', text: `serve({ e: async () => (await ${load}('./e.ts')).e });` },
      { path: 'src/chat/e.ts', text: 'export const e = 1;' },
    ];
    expect(shreds(files)).toEqual(['src/chat/b.ts']);
  });

  test('a cycle, once, though types alone close it', () => {
    const files = [
      { path: 'src/chat/a.ts', text: `import { b } from './b.ts';` },
      { path: 'src/chat/b.ts', text: `import type { C } from './c.ts';` },
      { path: 'src/chat/c.ts', text: `import { b } from './b.ts';` },
    ];
    expect(breaches(files)).toEqual(['src/chat/b.ts -> src/chat/c.ts -> src/chat/b.ts: a cycle']);
  });
});

test('the rules leave alone what the design allows', () => {
  const allowed: SourceFile[] = [
    { path: 'src/chat/a.ts', text: `import type { B } from '../membership/b.ts';\nimport { c } from './c.ts';` },
    { path: 'src/sandbox/a.ts', text: `import { b } from '../chat/contract.ts';` },
    { path: 'src/console/a.tsx', text: `import type { B } from '../api/b.ts';` },
    { path: 'src/queue/a.ts', text: `import { Queue } from 'bullmq';\n// console.log and process.env in a comment` },
    { path: 'src/cli/commands/a.ts', text: `import { b } from '../../features/export/commands/b.ts';` },
    { path: 'src/server/a.ts', text: `import { b } from '../features/export/b.ts';` },
    { path: 'src/console/a.tsx', text: `import { b } from '../features/export/page.tsx';` },
    {
      path: 'src/features/export/routes.ts',
      text: `import { b } from './a.ts';\nimport { c } from '../../server/c.ts';`,
    },
    { path: 'src/features/export/page.tsx', text: `import { b } from '../../console/b.tsx';` },
    { path: 'src/platform/sqlite.ts', text: `import { DatabaseSync } from 'node:sqlite';` },
    { path: 'src/imports/stage/a.ts', text: `import { b } from '../read/b.ts';\nimport { c } from '../c.ts';` },
    { path: 'src/cli/a.ts', text: `import { b } from '../platform/config.ts';\nimport { c } from '../sandbox/c.ts';` },
    { path: 'src/platform/config.ts', text: `import { REGIONS } from '../membership/a.ts';\nconst env = process.env;` },
    { path: 'jobs/a.ts', text: 'const x = 1;\n'.repeat(400) },
    {
      path: 'src/cli/b.ts',
      text: `// Waits for the one\n// who asks.\n/** Whether it is. */\n/** Reads what is there. */`,
    },
  ];
  expect(breaches(allowed)).toEqual([]);
});

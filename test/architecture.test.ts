import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { breaches, importsOf, type SourceFile } from './source-rules.ts';

const PROJECT = new URL('..', import.meta.url).pathname;

function sourceFiles(): SourceFile[] {
  return ['src', 'jobs'].flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[cm]?[jt]s$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .map((path) => ({ path, text: readFileSync(join(PROJECT, path), 'utf8') })),
  );
}

test('src and jobs keep to the layout of the design', () => {
  const files = sourceFiles();
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(({ text }) => importsOf(text)).length).toBeGreaterThan(files.length);
  expect(breaches(files)).toEqual([]);
});

describe('the rules find what is planted', () => {
  const lines = (count: number) => 'const x = 1;\n'.repeat(count);
  test.each<[rule: string, path: string, text: string, says: string]>([
    ['a look upwards', 'src/ledger/a.ts', `import { b } from '../pipeline/b.ts';`, 'a folder looks down'],
    ['a look upwards for a type', 'src/queue/a.ts', `import type { B } from '../../jobs/b.ts';`, 'a folder looks down'],
    ['a look upwards at run time', 'jobs/a.ts', `const b = await import('../src/cli/b.ts');`, 'a folder looks down'],
    ['a look upwards in passing on', 'src/chat/a.ts', `export { b } from '../queue/b.ts';`, 'a folder looks down'],
    ['a look upwards by effect', 'src/membership/a.ts', `import '../chat/b.ts';`, 'siblings do not know each other'],
    [
      'siblings',
      'src/report/a.ts',
      `import {\n  b,\n  c,\n} from '../ledger/b.ts';`,
      'siblings do not know each other',
    ],
    ['siblings above', 'src/pipeline/a.ts', `import { b } from '../sync/b.ts';`, 'siblings do not know each other'],
    ['the client in the sandbox', 'src/sandbox/a.ts', `import { b } from '../chat/client.ts';`, 'the sandbox shares'],
    ['the sandbox in the product', 'src/pipeline/a.ts', `import { b } from '../sandbox/b.ts';`, 'only src/cli starts'],
    ['settings below', 'src/pipeline/a.ts', `import { b } from '../config.ts';`, 'only src/cli and src/server'],
    ['too much above', 'src/log.ts', `import { b } from './ledger/b.ts';`, 'it may know the words'],
    ['a test', 'src/cli/a.ts', `import { b } from '../../test/b.ts';`, 'the product does not need it'],
    ['an unknown folder', 'src/cli/a.ts', `import { b } from '../misc/b.ts';`, 'no layer of the design'],
    ['bullmq', 'jobs/a.ts', `import { Queue } from 'bullmq';`, 'bullmq belongs to src/queue'],
    ['sqlite', 'src/pipeline/a.ts', `import type { DatabaseSync } from 'node:sqlite';`, 'node:sqlite belongs to'],
    ['export *', 'src/chat/a.ts', `export * from './b.ts';`, 'exports *'],
    ['a default export', 'src/chat/a.ts', 'export default 1;', 'exports have names'],
    ['the environment', 'src/cli/a.ts', 'const a = process.env.A;', 'reads process.env'],
    ['the environment by name', 'src/cli/a.ts', `import { env } from 'node:process';`, 'reads process.env'],
    ['the console', 'src/cli/a.ts', `console.log('a');`, 'uses the console'],
    ['a long file', 'src/cli/a.ts', lines(351), '351 lines'],
    ['a vague file', 'src/cli/utils.ts', '', 'utils.ts says nothing'],
    ['a vague folder', 'src/common/a.ts', '', 'common says nothing'],
  ])('%s', (_, path, text, says) => {
    const found = breaches([{ path, text }]);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(path);
    expect(found[0]).toContain(says);
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
    { path: 'src/queue/a.ts', text: `import { Queue } from 'bullmq';\n// console.log and process.env in a comment` },
    { path: 'src/pipeline/data-dir.ts', text: `import { DatabaseSync } from 'node:sqlite';` },
    { path: 'src/cli/a.ts', text: `import { b } from '../config.ts';\nimport { c } from '../sandbox/c.ts';` },
    { path: 'src/config.ts', text: `import { REGIONS } from './membership/a.ts';\nconst env = process.env;` },
    { path: 'jobs/a.ts', text: 'const x = 1;\n'.repeat(350) },
  ];
  expect(breaches(allowed)).toEqual([]);
});

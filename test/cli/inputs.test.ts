import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { manyMembers, members, openSandboxPlace, openWorkplace } from './workplace.ts';

test('the same file again adds nothing and fails nothing: all are members already', async () => {
  const place = await openSandboxPlace();
  const file = place.file('m.csv', manyMembers(120, 4));
  expect((await place.summary(['import', file])).summary.rows).toMatchObject({ read: 120, added: 120 });
  const { code, summary } = await place.summary(['import', file]);
  expect(code).toBe(EXIT.ok);
  expect(summary.rows).toMatchObject({ read: 120, added: 0, already_member: 120, failed: 0 });
});

test('standard input is read to its end, and named as - afterwards', async () => {
  const place = await openSandboxPlace();
  const { code, summary } = await place.summary(['import', '-'], { input: manyMembers(40, 2) });
  expect([code, summary.file, summary.rows.added]).toEqual([EXIT.ok, '-', 40]);
});

test('--dry-run sends nothing and needs no settings; resume then sends', async () => {
  const place = await openSandboxPlace();
  const file = place.file(
    'm.csv',
    members([
      ['g', 'ann'],
      ['g', 'not an id'],
    ]),
  );
  const none = Object.fromEntries(Object.keys(place.sandbox.env).map((name) => [name, '']));
  const dry = await place.run(['import', file, '--dry-run'], { env: none });
  expect(dry.code).toBe(EXIT.rowsFailed);
  expect(dry.stderr).toMatch(/ resume /);
  expect(place.calls()).toBe(0);
  const { code, summary } = await place.summary(['resume']);
  expect([code, summary.rows.added, summary.rows.invalid]).toEqual([EXIT.rowsFailed, 1, 1]);
  expect(place.sandbox.members('us', 'g').size).toBe(1);
});

test('an import that began in the sandbox goes on nowhere else, and the reverse', async () => {
  const place = await openSandboxPlace();
  const file = place.file('m.csv', members([['g', 'ann']]));
  const flags = ['import', file, '--dry-run'];
  expect((await place.run([...flags, '--sandbox'])).code).toBe(EXIT.ok);
  const real = await place.run(['resume']);
  expect(real.code).toBe(EXIT.usage);
  expect(real.stderr).toMatch(/ resume \S+ --sandbox \[WRONG_TARGET\]$/m);
  expect(place.calls()).toBe(0);
  expect((await place.run(['resume', '--sandbox'])).code).toBe(EXIT.ok);
  expect(place.calls()).toBe(0);

  expect((await place.run(flags)).code).toBe(EXIT.ok);
  const sandbox = await place.run(['resume', '--sandbox']);
  expect(sandbox.code).toBe(EXIT.usage);
  // Where there are no settings for a service, this is the one way on.
  expect(sandbox.stderr).toMatch(/ again with --sandbox \[WRONG_TARGET\]$/m);
});

describe('a data directory', () => {
  test.each([
    ['with spaces and letters beyond ASCII', 'März 2026, Ordner 名'],
    ['whose path is too long for a socket', join('deep'.repeat(20), 'deeper'.repeat(15))],
  ])('%s works', async (_, dataDir) => {
    const place = await openSandboxPlace({ users: 'any', groups: 'any', latencyMs: 100 }, { dataDir });
    const file = place.file('Mitglieder für Köln.csv', manyMembers(100, 10));
    const run = place.begin(['import', file, '--concurrency', '1']);
    const watch = place.begin(['watch', '--json']);
    await run.says('every row');
    expect((await run.ended).code).toBe(EXIT.ok);
    const { code, stdout } = await watch.ended;
    // Whether the look came before the import or after it.
    if (code !== EXIT.usage) expect(JSON.parse(stdout).file).toBe(file);
    expect((await place.run(['status'])).stdout).toContain(file);
  });

  test('that is not one is refused with its name', async () => {
    const place = await openWorkplace();
    const file = place.file('m.csv', members([['g', 'ann']]));
    const { code, stderr } = await place.run(['import', file, '--sandbox', '--data-dir', join(place.root, file)]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('[DATA_DIR_UNUSABLE]');
  });

  test.each([['list'], ['sync', 'list'], ['schedule', 'list']])(
    'of %s %s says what is wrong with it',
    async (...verb) => {
      const place = await openWorkplace();
      mkdirSync(join(place.root, 'documents'));
      mkdirSync(join(place.root, 'empty'));
      place.file('documents/notes.txt', 'hello');
      const at = (name: string) => place.run([...verb, '--data-dir', join(place.root, name)]);
      expect(await at('documents/notes.txt')).toMatchObject({
        code: EXIT.usage,
        stderr: expect.stringContaining('[DATA_DIR_UNUSABLE]'),
      });
      expect((await at('nowhere')).stderr).toMatch(/nowhere[,;:]/);
      expect((await at('documents')).stderr).toMatch(/documents, /);
      expect((await at('empty')).stderr).toMatch(/empty[;:]/);
    },
  );

  test('is made at its first use, and open to its owner alone', async () => {
    const place = await openSandboxPlace();
    const dir = join(place.root, 'other');
    const args = ['import', place.file('m.csv', manyMembers(10)), '--dry-run', '--data-dir', dir];
    expect((await place.run(args)).code).toBe(EXIT.ok);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });
});

import { cpSync, renameSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { manyMembers, openSandboxPlace, type SandboxPlace } from './workplace.ts';

/** An import of 60 rows in two groups, of which ten are sent. */
async function withHalfAnImport(): Promise<SandboxPlace & { readonly copy: string }> {
  const place = await openSandboxPlace();
  place.file('m.csv', manyMembers(60, 2));
  expect(await place.run(['import', 'm.csv', '--first', '10'])).toMatchObject({ code: EXIT.ok });
  return { ...place, copy: `${place.dataDir}-copy` };
}

const copyTo = (from: string, to: string) => cpSync(from, to, { recursive: true });

test('a copy beside its original sends nothing until a person says which of the two goes on', async () => {
  const place = await withHalfAnImport();
  const { dataDir, copy } = place;
  copyTo(dataDir, copy);
  const calls = place.calls();
  const refused = { code: EXIT.usage, stderr: expect.stringContaining('[DATA_DIR_COPIED]') };
  for (const command of ['resume', 'import m.csv', 'serve --port 0']) {
    expect(await place.run([...command.split(' '), '--data-dir', copy]), command).toMatchObject(refused);
  }
  const { stderr } = await place.run(['resume', '--data-dir', copy]);
  expect(stderr).toContain(`${dataDir}`);
  expect(stderr).toContain(`--adopt --data-dir ${copy}`);
  expect(place.calls()).toBe(calls);
  expect((await place.run(['doctor', '--data-dir', copy])).stdout).toContain('DATA_DIR_COPIED');
  expect((await place.run(['list', '--data-dir', copy])).stdout).toContain('m.csv');

  expect(await place.run(['doctor', '--adopt', '--data-dir', copy])).toMatchObject({ code: EXIT.ok });
  const original = await place.run(['resume']);
  expect([original.code, original.stderr]).toEqual([EXIT.usage, expect.stringContaining('[DATA_DIR_COPIED]')]);
  const resumed = await place.run(['resume', '--data-dir', copy]);
  expect([resumed.code, resumed.stdout]).toEqual([EXIT.ok, expect.stringContaining('60 added')]);
});

test('the original, while a process works in it, is not taken over', async () => {
  const place = await withHalfAnImport();
  const { dataDir, copy } = place;
  copyTo(dataDir, copy);
  const server = place.begin(['serve', '--port', '0']);
  await server.says('http://');
  const { code, stderr } = await place.run(['doctor', '--adopt', '--data-dir', copy]);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('[DATA_DIR_IN_USE]')]);
  server.interrupt('SIGTERM');
  await server.ended;
});

test.each([
  ['restored', true],
  ['overwritten in place, which nobody can notice', false],
])('what was sent since the backup is not sent again when the directory is adopted: %s', async (_, isNew) => {
  const place = await withHalfAnImport();
  const { dataDir, copy } = place;
  copyTo(dataDir, copy);
  await place.run(['resume']);
  if (isNew) rmSync(dataDir, { recursive: true });
  copyTo(copy, dataDir);
  const refused = { code: EXIT.usage, stderr: expect.stringContaining('[DATA_DIR_COPIED]') };
  if (isNew) expect(await place.run(['resume'])).toMatchObject(refused);
  await place.run(['doctor', '--adopt']);
  const resumed = await place.run(['resume']);
  expect([resumed.code, resumed.stdout]).toEqual([EXIT.ok, expect.stringContaining('50 already')]);
  expect(
    (await place.run(['report', '--code', 'FOUND_IN_GROUP', '--format', 'ndjson'])).stdout.match(/\n/g),
  ).toHaveLength(50);
});

test('a directory that is moved, and a copy in which nothing goes on, work at once', async () => {
  const place = await withHalfAnImport();
  const { dataDir, copy } = place;
  renameSync(dataDir, copy);
  expect(await place.run(['resume', '--data-dir', copy])).toMatchObject({ code: EXIT.ok });
  copyTo(copy, dataDir);
  expect(await place.run(['import', 'm.csv'])).toMatchObject({ code: EXIT.ok });
});

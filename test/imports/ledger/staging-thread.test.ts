import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { IMPORT_MIGRATIONS } from '../../../src/imports/schemas.ts';
import { startStaging } from '../../../src/imports/stage/row-writer.ts';
import { openForStaging } from '../../../src/platform/sqlite.ts';
import { tempDir } from '../../temp-dir.ts';
import { pending, rowAt, stagedImport } from './staged-import.ts';

/** A row that is written by a thread: few of the usual ones are not. */
const longRow = (index: number) => ({ ...rowAt(index, {}), original: JSON.stringify('x'.repeat(300_000)) });

const INPUT = { format: 'csv', delimiter: ',', columns: [], recognised: {} } as const;

test.each([1, 2])('replies that come all at once, while the process was busy, are all heard (time %i)', async () => {
  const staging = startStaging(join(tempDir(), 'import.db'));
  for (let index = 0; index < 4; index += 1) await staging.add([longRow(index)]);
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  await staging.add([longRow(4)]);
  const staged = staging.finish(INPUT);
  await setImmediate();
  // Blocks this thread, and not the other, until that one has ended: its last replies are then handed over in one go.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
  expect(await staged).toEqual({ rows: 5, batches: 1 });
});

test('an abandoned staging takes no more rows, and says so', async () => {
  const staging = startStaging(join(tempDir(), 'import.db'));
  await staging.add([longRow(0)]);
  await staging.abandon();
  await expect(staging.add([longRow(1)])).rejects.toThrow('it was given up');
});

test.each(['few', 'many'])(
  'a file that cannot be written is said so, instead of staging into nothing: %s rows',
  async (rows) => {
    const staging = startStaging(join(tempDir(), 'no', 'such', 'directory.db'));
    await staging.add([rows === 'few' ? rowAt(0, {}) : longRow(0)]);
    await expect(staging.finish(INPUT)).rejects.toThrow(/^the ledger cannot be written: /);
  },
);

test('while it is staged, a ledger has no journal, which would write many pages a second time', () => {
  const database = openForStaging(join(tempDir(), 'import.db'), IMPORT_MIGRATIONS);
  expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'off' });
  database.close();
});

test('an empty input is an import without batches whose sum holds', async () => {
  const { ledger, reader } = await stagedImport([]);
  expect(pending(ledger)).toEqual([]);
  expect(ledger.check()).toMatchObject({ holds: true, rows: { read: 0 } });
  expect([...reader.rows()]).toEqual([]);
});

test('all scopes travel in one call, under the group as it was written first', async () => {
  const { ledger } = await stagedImport([
    { uid: 'd', guid: 'Team', scope: 'ban' },
    { uid: 'c', guid: 'team', scope: 'participant' },
    { uid: 'b', guid: 'TEAM', scope: 'moderator' },
    { uid: 'a', guid: 'tEAM', scope: 'admin' },
  ]);
  const [batch, ...others] = pending(ledger);
  expect(others).toEqual([]);
  expect(batch?.guid).toBe('Team');
  expect(batch?.rows.map(({ uid }) => uid)).toEqual(['d', 'c', 'b', 'a']);
});

test('two acting users do not make two memberships of one', async () => {
  const { ledger, reader } = await stagedImport([
    { uid: 'ann', onBehalfOf: 'boss' },
    { uid: 'ann', onBehalfOf: 'chief' },
  ]);
  expect([...reader.rows()].map(({ status }) => status)).toEqual(['unprocessed', 'duplicate']);
  expect(pending(ledger).map(({ onBehalfOf }) => onBehalfOf)).toEqual(['boss']);
});

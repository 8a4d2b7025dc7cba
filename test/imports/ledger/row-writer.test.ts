import { join } from 'node:path';
import { expect, test } from 'vitest';
import { IMPORT_SCHEMA } from '../../../src/imports/schemas.ts';
import { startStaging } from '../../../src/imports/stage/row-writer.ts';
import { openForReading, openForStaging } from '../../../src/platform/sqlite.ts';
import { tempDir } from '../../temp-dir.ts';
import { pending, rowAt, stagedImport } from './staged-import.ts';

/** Rows that do not wait until it is known whether they are all. */
const longRow = (index: number) => ({ ...rowAt(index, {}), original: JSON.stringify('x'.repeat(300_000)) });

const INPUT = { format: 'csv', delimiter: ',', columns: [], recognised: {} } as const;

test('an abandoned staging takes no more rows, and says so', () => {
  const staging = startStaging(join(tempDir(), 'import.db'));
  staging.add([longRow(0)]);
  staging.abandon();
  expect(() => staging.add([longRow(1)])).toThrow('it was given up');
});

test.each(['few', 'many'])(
  'a file that cannot be written is said so, instead of staging into nothing: %s rows',
  (rows) => {
    const staging = startStaging(join(tempDir(), 'no', 'such', 'directory.db'));
    const stage = () => {
      staging.add([rows === 'few' ? rowAt(0, {}) : longRow(0)]);
      staging.finish(INPUT);
    };
    expect(stage).toThrow(/^the ledger /);
  },
);

test('while it is staged, a ledger has no journal, which would write many pages a second time', () => {
  const database = openForStaging(join(tempDir(), 'import.db'), IMPORT_SCHEMA);
  expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'off' });
  database.close();
});

test('an empty input is an import without batches whose sum holds', async () => {
  const { ledger, reader } = await stagedImport([]);
  expect(pending(ledger)).toEqual([]);
  expect(ledger.check()).toMatchObject({ holds: true, rows: { read: 0 } });
  expect([...reader.rows()]).toEqual([]);
});

test('only regions that have rows are counted', async () => {
  const { ledger } = await stagedImport([{ region: 'eu' }]);
  expect([...ledger.counters().keys()]).toEqual(['eu']);
});

test('times are kept of the rows that have them, wherever the first of these is', async () => {
  const path = join(tempDir(), 'import.db');
  const staging = startStaging(path);
  staging.add([rowAt(0, {}), { ...rowAt(1, {}), until: 7_000 }, { ...rowAt(2, {}), joinedAt: 5 }]);
  staging.finish(INPUT);
  using database = openForReading(path, IMPORT_SCHEMA);
  expect(database.prepare('select joined_at, until from rows order by id').all()).toEqual([
    { joined_at: null, until: null },
    { joined_at: null, until: 7_000 },
    { joined_at: 5, until: null },
  ]);
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

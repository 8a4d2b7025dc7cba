import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { tempDir } from '../../temp-dir.ts';
import { pending, stage, stagedImport, type WantedRow } from './staged-import.ts';

const wantedRows = (count: number, wanted: (index: number) => WantedRow) =>
  Array.from({ length: count }, (_, n) => wanted(n));

test('a full batch has the rows of its call group in the order of the input, whatever stands between them', async () => {
  const { ledger } = await stagedImport(wantedRows(100, (index) => ({ guid: index % 2 === 0 ? 'even' : 'odd' })));
  const rows = pending(ledger).map((batch) => batch.rows.map(({ row }) => row));
  const even = Array.from({ length: 50 }, (_, index) => 2 * index + 1);
  expect(rows).toEqual([
    even.slice(0, 25),
    even.slice(0, 25).map((row) => row + 1),
    even.slice(25),
    even.slice(25).map((row) => row + 1),
  ]);
});

test('a call group that loses rows to duplicates takes no call more than it needs', async () => {
  // 50 rows fill two batches; ten of them are duplicates, eight of the second, so that 40 and one more row remain.
  const uid = (index: number) => (index >= 42 ? `U${index - 41}` : `u${index + 1}`);
  const { ledger, reader } = await stagedImport([
    ...wantedRows(50, (index) => ({ uid: uid(index) })),
    ...wantedRows(25, () => ({ guid: 'other' })),
  ]);
  const batches = pending(ledger);
  expect(batches.map(({ guid, rows }) => [guid, rows.length])).toEqual([
    ['g', 25],
    ['other', 25],
    ['g', 17],
  ]);
  expect(ledger.check()).toMatchObject({ holds: true, rows: { read: 75, duplicate: 8, unprocessed: 67 } });
  expect(reader.rows().toArray()).toHaveLength(75);
});

test('the turns of a call group count its batches', async () => {
  const path = join(tempDir(), 'import.db');
  await stage(
    path,
    wantedRows(130, (index) => ({ guid: index < 110 ? 'big' : 'small' })),
  );
  const database = new DatabaseSync(path, { readOnly: true });
  const batches = database.prepare(
    'select g.guid, b.turn, b.size from batches b join call_groups cg on cg.id = b.call_group_id join groups g on g.id = cg.group_id order by g.guid, b.turn',
  );
  batches.setReturnArrays(true);
  expect(batches.all()).toEqual([
    ['big', 0, 25],
    ['big', 1, 25],
    ['big', 2, 25],
    ['big', 3, 25],
    ['big', 4, 10],
    ['small', 0, 20],
  ]);
  database.close();
});

test('a group in several spellings is one call group, and its calls are as few as if it had one', async () => {
  const { ledger } = await stagedImport(
    wantedRows(100, (index) => ({ guid: ['team', 'Team', 'TEAM'][index % 3] ?? '' })),
  );
  expect(pending(ledger).map(({ rows }) => rows.length)).toEqual([25, 25, 25, 25]);
});

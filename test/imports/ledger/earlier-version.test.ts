import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { openImportReader } from '../../../src/imports/report/reading.ts';
import { IMPORT_MIGRATIONS } from '../../../src/imports/schemas.ts';
import { tempDir } from '../../temp-dir.ts';
import { ALL_DONE, dispatch, members, resultOf, stage } from './staged-import.ts';

/** Columns of all tables. */
const tablesOf = (database: DatabaseSync) =>
  database
    .prepare(
      `select t.name as "table", c.* from sqlite_schema t, pragma_table_info(t.name) c
        where t.type = 'table' order by t.name, c.cid`,
    )
    .all();

/** An import of 30 rows, and a duplicate, in the first schema of the ledger. */
async function firstSchema(): Promise<string> {
  const path = join(tempDir(), 'import.db');
  await stage(path, [...members(30), { uid: 'U1' }]);
  const database = new DatabaseSync(path);
  database.exec(`
    drop index lanes_by_name;
    alter table lanes drop column action_id;
    drop table actions;
    drop table invalid_rows;
    delete from outcomes where id > 8;
    create unique index lanes_by_name on lanes (group_id, on_behalf_of collate nocase);
    pragma user_version = 1;
  `);
  const first = new DatabaseSync(':memory:');
  first.exec(readFileSync(new URL('001_import.sql', IMPORT_MIGRATIONS), 'utf8'));
  expect(tablesOf(database)).toEqual(tablesOf(first));
  first.close();
  database.close();
  return path;
}

test('a ledger of the first schema can be read as it is, and stays so', async () => {
  const path = await firstSchema();
  const reader = openImportReader(path);
  expect(reader.check()).toMatchObject({ holds: true, rows: { read: 31, duplicate: 1, unprocessed: 30, removed: 0 } });
  expect(reader.rows().toArray()).toHaveLength(31);
  expect(reader.rows(new Set(['removed'])).toArray()).toEqual([]);
  expect(reader.groups(10).groups).toHaveLength(1);
  expect(reader.problems()).toHaveLength(1);
  reader.close();
  const database = new DatabaseSync(path, { readOnly: true });
  expect(database.prepare('pragma user_version').get()).toEqual({ user_version: 1 });
  database.close();
});

test('a ledger of the first schema goes on: everything in it is to be added', async () => {
  const path = await firstSchema();
  const ledger = openImportLedger(path);
  const batches = dispatch(ledger);
  expect(batches.map(({ action, rows }) => [action, rows.length])).toEqual([
    ['add', 25],
    ['add', 5],
  ]);
  ledger.record(batches.map((batch) => resultOf(batch, ALL_DONE)));
  expect(ledger.check()).toMatchObject({ holds: true, rows: { read: 31, added: 30, duplicate: 1 } });
  ledger.close();
});

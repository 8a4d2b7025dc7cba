import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { openRepairLedger } from '../../../src/features/repair/repair-ledger.ts';
import { openCatalog, openCatalogReader } from '../../../src/imports/catalog.ts';
import { actionOf, outcomeId, regionId, scopeId } from '../../../src/imports/record/enum-ids.ts';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { openImportReader } from '../../../src/imports/report/import-reader.ts';
import { CATALOG_MIGRATIONS, IMPORT_MIGRATIONS } from '../../../src/imports/schemas.ts';
import { ACTIONS, REGIONS, SCOPES } from '../../../src/membership/membership.ts';
import { OUTCOMES } from '../../../src/membership/outcome.ts';
import { LedgerError, openForReading, openForWriting } from '../../../src/platform/sqlite.ts';
import { tempDir } from '../../temp-dir.ts';

/** Files that are migrations of a test, by name. */
function migrationsOf(dir: string, files: Record<string, string>): URL {
  const folder = join(dir, 'migrations');
  mkdirSync(folder, { recursive: true });
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(folder, name), sql);
  return pathToFileURL(`${folder}/`);
}

/** The first migrations of an import's ledger: those that an older rollcall had. */
function firstMigrations(dir: string, count: number): URL {
  const files = readdirSync(IMPORT_MIGRATIONS).toSorted().slice(0, count);
  return migrationsOf(
    dir,
    Object.fromEntries(files.map((name) => [name, readFileSync(new URL(name, IMPORT_MIGRATIONS), 'utf8')])),
  );
}

function schemaOf(database: DatabaseSync): unknown {
  return database.prepare('pragma user_version').get()?.['user_version'];
}

function inNewerSchema(): string {
  const path = join(tempDir(), 'newer.db');
  const database = new DatabaseSync(path);
  database.exec('pragma user_version = 99');
  database.close();
  return path;
}

describe('migrations', () => {
  test.each([
    ['catalog', CATALOG_MIGRATIONS],
    ['import', IMPORT_MIGRATIONS],
  ])('of the %s are numbered without a gap, so that the number of files is the number of the schema', (_, folder) => {
    const files = readdirSync(folder).toSorted();
    expect(files.length).toBeGreaterThan(0);
    expect(files).toEqual(
      files.map((_name, index) =>
        expect.stringMatching(new RegExp(`^${String(index + 1).padStart(3, '0')}_\\w+\\.sql$`)),
      ),
    );
  });

  test('run in the order of their numbers, each once, and a new one runs where the others have run', () => {
    const dir = tempDir();
    const path = join(dir, 'ledger.db');
    const files = {
      '002_more.sql': `insert into runs values ('second')`,
      '001_first.sql': `create table runs (name text); insert into runs values ('first')`,
      'README.md': 'no migration',
    };
    for (let time = 1; time <= 3; time += 1) openForWriting(path, migrationsOf(dir, files)).close();
    const later = migrationsOf(dir, { ...files, '003_last.sql': `insert into runs values ('third')` });
    const database = openForWriting(path, later);
    const runs = database.prepare('select name from runs').all();
    expect(runs.map(({ name }) => name)).toEqual(['first', 'second', 'third']);
    expect(schemaOf(database)).toBe(3);
    database.close();
  });

  test('run before a file is read that an older rollcall wrote', () => {
    const dir = tempDir();
    const path = join(dir, 'ledger.db');
    const first = { '001_first.sql': 'create table runs (name text)' };
    openForWriting(path, migrationsOf(dir, first)).close();
    const database = openForReading(
      path,
      migrationsOf(dir, { ...first, '002_more.sql': 'alter table runs add at text' }),
    );
    expect(database.prepare('select name, at from runs').all()).toEqual([]);
    database.close();
  });

  test('of an import give its batches and groups words for what numbers meant, and keep all else of them', () => {
    const dir = tempDir();
    const path = join(dir, 'ledger.db');
    const before = openForWriting(path, firstMigrations(dir, 3));
    before.exec(`
      insert into groups (id, region_id, guid, bans) select value + 1, 2, 'g' || value, value from json_each('[0, 1, 2]');
      insert into lanes (id, group_id, on_behalf_of, action_id) values (7, 1, 'boss', 1);
      insert into rows (id, line, lane_id, original) values (1, 2, 7, '{}');
      insert into batches (id, lane_id, region_id, turn, state, size, bans, asked_for, doubt, calls, members)
        select value + 1, 7, 2, value, value, 25, 1, value % 3, 'no answer', 3, 30 from json_each('[0, 1, 2, 3, 4, 5]')`);
    before.close();
    const database = openForReading(path, IMPORT_MIGRATIONS);
    const batches = database.prepare('select * from batches order by id').all();
    expect(batches.map(({ state }) => state)).toEqual([
      'pending',
      'dispatched',
      'done',
      'replaced',
      'waiting',
      'later',
    ]);
    expect(batches.map(({ users }) => users).slice(0, 3)).toEqual(['assumed', 'unknown', 'settled']);
    expect(batches[5]).toMatchObject({
      id: 6,
      call_group_id: 7,
      region_id: 2,
      turn: 5,
      size: 25,
      bans: 1,
      uncertainty: 'no answer',
    });
    expect(batches[5]).toMatchObject({ calls: 3, members: 30, dispatched_at: null });
    expect(database.prepare('select guid, banned_users from groups order by id').all()).toEqual([
      { guid: 'g0', banned_users: 'not_asked' },
      { guid: 'g1', banned_users: 'known' },
      { guid: 'g2', banned_users: 'not_listed' },
    ]);
    const actor = 'select cg.on_behalf_of as actor from rows r join call_groups cg on cg.id = r.call_group_id';
    expect(database.prepare(actor).all()).toEqual([{ actor: 'boss' }]);
    database.close();
  });

  test('run once where several open a new file at the same moment', async () => {
    const path = join(tempDir(), 'ledger.db');
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const sqlite = new URL('../../../src/platform/sqlite.ts', import.meta.url).href;
    const open = `
      const { parentPort, workerData: { gate, sqlite, path, folder } } = require('node:worker_threads');
      import(sqlite).then(({ openForWriting }) => {
        parentPort.postMessage('ready');
        Atomics.wait(gate, 0, 0);
        openForWriting(path, new URL(folder)).close();
      });`;
    const workerData = { gate, sqlite, path, folder: IMPORT_MIGRATIONS.href };
    const threads = Array.from({ length: 8 }, () => new Worker(open, { eval: true, workerData }));
    await Promise.all(threads.map((thread) => once(thread, 'message')));
    const ends = Promise.all(threads.map((thread) => once(thread, 'exit')));
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    expect(await ends).toEqual(threads.map(() => [0]));
    const database = openForReading(path, IMPORT_MIGRATIONS);
    expect(schemaOf(database)).toBe(readdirSync(IMPORT_MIGRATIONS).length);
    database.close();
  });

  test('of an import keep the message and the member count of each row', () => {
    const path = join(tempDir(), 'ledger.db');
    const before = openForWriting(path, firstMigrations(tempDir(), 6));
    before.exec(`
      insert into groups (id, region_id, guid) values (1, 2, 'g');
      insert into call_groups (id, group_id, on_behalf_of, action_id) values (7, 1, '', 1);
      insert into rows (id, line, region_id, group_id, call_group_id, scope_id, uid, original)
        select value, value + 1, 2, 1, 7, 3, 'u' || value, '["x"]' from json_each('[1, 2, 3, 4]');
      insert into batches (id, call_group_id, region_id, turn, state, size, bans, calls, http_status, members)
        values (1, 7, 2, 0, 'done', 2, 0, 1, 200, 30), (2, 7, 2, 1, 'done', 2, 0, 1, 200, null);
      insert into memberships (batch_id, row_id, scope_id, outcome_id, message_id)
        values (1, 1, 3, 1, '47'), (1, 2, 3, 3, null), (2, 3, 3, 1, 'm-"8'), (2, 4, 3, 1, null)`);
    before.close();
    const reader = openImportReader(path);
    expect(reader.rows().toArray()).toMatchObject([
      { uid: 'u1', guid: 'g', attempts: 1, messageId: '47', members: 30 },
      { uid: 'u2', batch: 1, messageId: '', members: null },
      { uid: 'u3', batch: 2, messageId: 'm-"8', members: null },
      { uid: 'u4', batch: 2, messageId: '', members: null },
    ]);
    reader.close();
  });

  test('that fail leave the schema that was there, and run when they are fixed', () => {
    const dir = tempDir();
    const path = join(dir, 'ledger.db');
    const first = { '001_first.sql': 'create table a (x)' };
    const broken = migrationsOf(dir, {
      ...first,
      '002_second.sql': 'create table b (x); insert into nowhere values (1)',
    });
    expect(() => openForWriting(path, broken)).toThrow(/no such table: nowhere/);
    const fixed = migrationsOf(dir, { ...first, '002_second.sql': 'create table b (x)' });
    const database = openForWriting(path, fixed);
    expect(schemaOf(database)).toBe(2);
    database.close();
  });
});

describe('the ledger of an import that an older rollcall wrote', () => {
  const older = (): { folder: string; path: string } => {
    const folder = tempDir();
    const path = join(folder, 'ledger.sqlite');
    openForWriting(path, firstMigrations(folder, 3)).close();
    return { folder, path };
  };

  test('can be repaired', () => {
    const { folder } = older();
    const { sql, close } = openRepairLedger(folder);
    expect(sql('memberships_of').all({ rows: '[1]', unprocessed: outcomeId('unprocessed') })).toEqual([]);
    close();
  });
});

describe('a file that a newer rollcall has written', () => {
  test.each([
    ['the catalog', openCatalog, CATALOG_MIGRATIONS],
    ['an import', openImportLedger, IMPORT_MIGRATIONS],
  ])('as %s is refused with what to do, and stays as it is', (_, open, migrations) => {
    const path = inNewerSchema();
    const opening = () => open(path);
    const known = readdirSync(migrations).length;
    expect(opening).toThrow(LedgerError);
    expect(opening).toThrow(
      `${path} has schema 99 and this rollcall knows ${known}: it was written by a newer rollcall; use that one`,
    );
    const database = new DatabaseSync(path, { readOnly: true });
    expect(schemaOf(database)).toBe(99);
    expect(database.prepare('select count(*) as n from sqlite_schema').get()).toEqual({ n: 0 });
    database.close();
  });
});

describe('a file that is not a ledger', () => {
  test.each([
    ['openCatalog', openCatalog, '`rollcall doctor --rebuild-catalog`'],
    ['openCatalogReader', openCatalogReader, '`rollcall doctor --rebuild-catalog`'],
    ['openImportLedger', openImportLedger, 'put it back from a backup, or import'],
    ['openImportReader', openImportReader, 'put it back from a backup, or import'],
  ])('is named by %s, with what to do', (_, open, remedy) => {
    const path = join(tempDir(), 'ledger.db');
    writeFileSync(path, 'guid,uid\n'.repeat(1_000));
    const opening = () => open(path);
    expect(opening).toThrow(LedgerError);
    expect(opening).toThrow(`${path} is damaged (file is not a database); ${remedy}`);
  });
});

test('a reader does not create a file that is not there', () => {
  const dir = tempDir();
  expect(() => openImportReader(join(dir, 'none.db'))).toThrow(/none\.db is not there/);
  expect(readdirSync(dir)).toEqual([]);
});

test('a closed import is one file, with nothing beside it', () => {
  const dir = tempDir();
  const ledger = openImportLedger(join(dir, 'import.db'));
  ledger.stopRegion({ region: 'us', code: 'A', message: 'b' });
  ledger.close();
  ledger.close();
  expect(readdirSync(dir)).toEqual(['import.db']);
});

test('the numbers in the ledger stand for the words of the product', () => {
  const path = join(tempDir(), 'import.db');
  const database = openForWriting(path, IMPORT_MIGRATIONS);
  const words = (table: string) =>
    Object.fromEntries(
      database
        .prepare(`select id, name from ${table}`)
        .all()
        .map(({ id, name }) => [name, id]),
    );
  expect(words('outcomes')).toEqual(Object.fromEntries(OUTCOMES.map((word) => [word, outcomeId(word)])));
  expect(words('scopes')).toEqual(Object.fromEntries(SCOPES.map((word) => [word, scopeId(word)])));
  expect(Object.keys(words('actions')).map((_, index) => actionOf(index + 1))).toEqual(ACTIONS);
  expect(words('regions')).toEqual(Object.fromEntries(REGIONS.map((word) => [word, regionId(word)])));
  database.close();
});

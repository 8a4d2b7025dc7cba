import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { PLAN_SCHEMA } from '../../../src/features/sync/plan/plan-reading.ts';
import { openCatalog, openCatalogReader } from '../../../src/imports/catalog.ts';
import { CORRECTIONS_SCHEMA } from '../../../src/imports/corrected-rows.ts';
import { CHECK_SCHEMA } from '../../../src/imports/predictions/row-check.ts';
import { actionOf, outcomeId, regionId, scopeId } from '../../../src/imports/record/enum-ids.ts';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { openImportReader } from '../../../src/imports/report/import-reader.ts';
import { IMPORT_SCHEMA } from '../../../src/imports/schemas.ts';
import { ACTIONS, REGIONS, SCOPES } from '../../../src/membership/membership.ts';
import { OUTCOMES } from '../../../src/membership/outcome.ts';
import { inTransaction, openForReading, openForWriting } from '../../../src/platform/sqlite.ts';
import { openAccessStore } from '../../../src/server/access/access-store.ts';
import { tempDir } from '../../temp-dir.ts';

function schemaIn(dir: string, sql: string): URL {
  const path = join(dir, 'a-schema.sql');
  writeFileSync(path, sql);
  return pathToFileURL(path);
}

const tablesOf = (path: string) => {
  using database = new DatabaseSync(path, { readOnly: true });
  return database
    .prepare('select name from sqlite_schema')
    .all()
    .map(({ name }) => name);
};

describe('the tables of a database', () => {
  test('are made once, and what is in them stays', () => {
    const dir = tempDir();
    const path = join(dir, 'ledger.db');
    const schema = schemaIn(dir, "-- Runs.\ncreate table runs (name text); insert into runs values ('first');");
    for (let time = 1; time <= 3; time += 1) openForWriting(path, schema).close();
    using database = openForReading(path, schema);
    expect(database.prepare('select name from runs').all()).toEqual([{ name: 'first' }]);
  });

  test('are made by all of a schema, or by none of it', () => {
    const dir = tempDir();
    const path = join(dir, 'ledger.db');
    expect(() => openForWriting(path, schemaIn(dir, 'create table a (x); insert into nowhere values (1)'))).toThrow(
      /no such table: nowhere/,
    );
    expect(tablesOf(path)).toEqual([]);
  });

  test('are there for one who reads a file that another process has just begun', () => {
    const path = join(tempDir(), 'ledger.db');
    new DatabaseSync(path).close();
    using database = openForReading(path, IMPORT_SCHEMA);
    expect(database.prepare('select * from rows').all()).toEqual([]);
  });

  test('are made once where several open a new file at the same moment', async () => {
    const path = join(tempDir(), 'ledger.db');
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const sqlite = new URL('../../../src/platform/sqlite.ts', import.meta.url).href;
    const open = `
      const { parentPort, workerData: { gate, sqlite, path, schema } } = require('node:worker_threads');
      import(sqlite).then(({ openForWriting }) => {
        parentPort.postMessage('ready');
        Atomics.wait(gate, 0, 0);
        openForWriting(path, new URL(schema)).close();
      });`;
    const workerData = { gate, sqlite, path, schema: IMPORT_SCHEMA.href };
    const threads = Array.from({ length: 8 }, () => new Worker(open, { eval: true, workerData }));
    await Promise.all(threads.map((thread) => once(thread, 'message')));
    const ends = Promise.all(threads.map((thread) => once(thread, 'exit')));
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    expect(await ends).toEqual(threads.map(() => [0]));
    expect(tablesOf(path)).toContain('memberships');
  });
});

describe('a file that another version of rollcall has written', () => {
  const written = (): string => {
    const dir = tempDir();
    const path = join(dir, 'ledger.db');
    openForWriting(path, schemaIn(dir, 'create table imports (id text)')).close();
    return path;
  };

  test.each([
    ['the catalog, to write', openCatalog],
    ['the catalog, to read', openCatalogReader],
    ['an import, to write', openImportLedger],
    ['an import, to read', openImportReader],
    ['a plan', (path: string) => openForReading(path, PLAN_SCHEMA)],
    ['a check', (path: string) => openForReading(path, CHECK_SCHEMA)],
    ['corrections', (path: string) => openForReading(path, CORRECTIONS_SCHEMA)],
    ['the tokens', openAccessStore],
  ])('as %s is refused with what to do, and stays as it is', (_, open) => {
    const path = written();
    expect(() => open(path)).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_LEDGER',
        message: `${path} was written by another version of rollcall; nothing was changed: use that version, or another --data-dir with this one`,
      }),
    );
    expect(tablesOf(path)).toEqual(['imports']);
  });
});

describe('a file that is not a ledger', () => {
  test.each([
    ['openCatalog', openCatalog, 'catalog.sqlite', '`rollcall doctor --rebuild-catalog`'],
    ['openCatalogReader', openCatalogReader, 'catalog.sqlite', '`rollcall doctor --rebuild-catalog`'],
    ['openImportLedger', openImportLedger, 'ledger.sqlite', 'put it back from a backup, or import'],
    ['openImportReader', openImportReader, 'ledger.sqlite', 'put it back from a backup, or import'],
  ])('is named by %s, with what to do', (_, open, name, remedy) => {
    const path = join(tempDir(), name);
    writeFileSync(path, 'guid,uid\n'.repeat(1_000));
    const opening = () => open(path);
    expect(opening).toThrow(`${remedy}`);
  });
});

test('a reader does not create a file that is not there', () => {
  const dir = tempDir();
  expect(() => openImportReader(join(dir, 'none.db'))).toThrow(expect.objectContaining({ code: 'LEDGER_MISSING' }));
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
  const database = openForWriting(path, IMPORT_SCHEMA);
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

test('a transaction that throws changes nothing, and the next one works', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('create table t (n integer)');
  expect(() =>
    inTransaction(database, () => {
      database.exec('insert into t values (1)');
      throw new Error('stop');
    }),
  ).toThrow('stop');
  inTransaction(database, () => database.exec('insert into t values (2)'));
  expect(database.prepare('select n from t').all()).toEqual([{ n: 2 }]);
  database.close();
});

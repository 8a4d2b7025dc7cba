import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CATALOG_MIGRATIONS, IMPORT_MIGRATIONS } from '../../../src/imports/schemas.ts';
import { inTransaction, LedgerError, openForReading, openForWriting } from '../../../src/platform/sqlite.ts';
import { tempDir } from '../../temp-dir.ts';

describe('migrations', () => {
  test.each([
    ['catalog', CATALOG_MIGRATIONS],
    ['import', IMPORT_MIGRATIONS],
  ])('of the %s are numbered from 1 without a gap', (_, folder) => {
    const numbers = readdirSync(folder).map((name) => /^(\d{3})_[a-z_]+\.sql$/.exec(name)?.[1]);
    expect(numbers.sort()).toEqual(numbers.map((_number, index) => String(index + 1).padStart(3, '0')));
  });

  test('run once each, in order, and only those that are new', () => {
    const dir = tempDir();
    mkdirSync(join(dir, 'migrations'));
    const folder = pathToFileURL(`${dir}/migrations/`);
    writeFileSync(
      join(dir, 'migrations', '001_first.sql'),
      'create table log (step text); insert into log values (1);',
    );
    openForWriting(join(dir, 'a.sqlite'), folder).close();
    writeFileSync(join(dir, 'migrations', '002_second.sql'), 'insert into log values (2);');
    openForWriting(join(dir, 'a.sqlite'), folder).close();
    const database = openForWriting(join(dir, 'a.sqlite'), folder);
    expect(
      database
        .prepare('select step from log')
        .all()
        .map(({ step }) => step),
    ).toEqual(['1', '2']);
    expect(database.prepare('pragma user_version').get()?.['user_version']).toBe(2);
    database.close();
  });

  test('that fail leave the database as it was', () => {
    const dir = tempDir();
    mkdirSync(join(dir, 'migrations'));
    writeFileSync(
      join(dir, 'migrations', '001_bad.sql'),
      'create table log (step text); insert into nowhere values (1);',
    );
    const path = join(dir, 'a.sqlite');
    expect(() => openForWriting(path, pathToFileURL(`${dir}/migrations/`))).toThrow(/nowhere/);
    const database = new DatabaseSync(path);
    expect(database.prepare('select name from sqlite_schema').all()).toEqual([]);
    database.close();
  });

  test('of a newer rollcall are refused with a message that says what to do', () => {
    const path = join(tempDir(), 'catalog.sqlite');
    openForWriting(path, CATALOG_MIGRATIONS).close();
    const newer = new DatabaseSync(path);
    newer.exec('pragma user_version = 99');
    newer.close();
    const known = readdirSync(CATALOG_MIGRATIONS).length;
    expect(() => openForWriting(path, CATALOG_MIGRATIONS)).toThrow(LedgerError);
    expect(() => openForWriting(path, CATALOG_MIGRATIONS)).toThrow(
      `${path} has schema 99 and this rollcall knows ${known}: it was written by a newer rollcall; use that one`,
    );
  });
});

test('a file that is not a database is named', () => {
  const path = join(tempDir(), 'ledger.sqlite');
  writeFileSync(path, 'this is a shopping list, and it is long enough to be looked at: milk, bread, eggs');
  for (const open of [() => openForReading(path, IMPORT_MIGRATIONS), () => openForWriting(path, IMPORT_MIGRATIONS)]) {
    expect(open).toThrow(expect.objectContaining({ code: 'DAMAGED_LEDGER', message: expect.stringContaining(path) }));
  }
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

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  CATALOG_MIGRATIONS,
  IMPORT_MIGRATIONS,
  inTransaction,
  LedgerError,
  openForReading,
  openForWriting,
  readStatements,
} from '../../src/ledger/database.ts';
import { tempDir } from '../temp-dir.ts';

const LEDGER = new URL('../../src/ledger/', import.meta.url);

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

test('a file that is no database is named', () => {
  const path = join(tempDir(), 'ledger.sqlite');
  writeFileSync(path, 'this is a shopping list, and it is long enough to be looked at: milk, bread, eggs');
  for (const open of [() => openForReading(path), () => openForWriting(path, IMPORT_MIGRATIONS)]) {
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

describe('statements', () => {
  /** The file of statements, and the files that use it. */
  const users = [
    ['import.sql', ['import-ledger.ts', 'recording.ts', 'reading.ts']],
    ['reading.sql', ['reading.ts', 'chosen-rows.ts', 'row-search.ts']],
    ['catalog.sql', ['catalog.ts']],
  ] as const;
  const usedIn = (file: string) =>
    [...readFileSync(new URL(file, LEDGER), 'utf8').matchAll(/[sS]ql\('(\w+)'\)|\.get\('(\w+)'\)/g)].map(
      (match) => match[1] ?? match[2] ?? '',
    );

  test.each(users)('of %s are all used', (file, sources) => {
    const used = new Set(sources.flatMap(usedIn));
    expect([...readStatements(new URL(file, LEDGER)).keys()].filter((name) => !used.has(name))).toEqual([]);
  });

  test('that are used all exist', () => {
    const existing = new Set(users.flatMap(([file]) => [...readStatements(new URL(file, LEDGER)).keys()]));
    const used = new Set(users.flatMap(([, sources]) => sources.flatMap(usedIn)));
    expect([...used].filter((name) => !existing.has(name))).toEqual([]);
    expect(used.size).toBeGreaterThan(20);
  });

  test.each(['import.sql', 'reading.sql', 'catalog.sql', 'cut.sql'])('of %s have a name each of their own', (file) => {
    const names = [...readFileSync(new URL(file, LEDGER), 'utf8').matchAll(/^-- name: (.*)$/gm)].map(
      (match) => match[1],
    );
    expect(names).toEqual([...new Set(names)]);
    expect(names).toEqual([...readStatements(new URL(file, LEDGER)).keys()]);
  });
});

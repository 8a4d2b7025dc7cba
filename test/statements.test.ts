import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openCatalog } from '../src/imports/catalog.ts';
import { readStatements, statementsOf } from '../src/platform/sqlite.ts';
import { stagedImport } from './imports/ledger/staged-import.ts';
import { tempDir } from './temp-dir.ts';

const SRC = new URL('../src/', import.meta.url);
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
const textOf = (file: string) => readFileSync(new URL(file, SRC), 'utf8');
const statementFiles = files.filter((file) => file.endsWith('.sql') && !file.endsWith('-schema.sql'));
const sources = files.filter((file) => file.endsWith('.ts')).map(textOf);

const namesIn = (file: string) => [...readStatements(new URL(file, SRC)).keys()];
/** Names in quotes, alone or in a list. */
const mentioned = new Set(sources.flatMap((text) => [...text.matchAll(/'([a-z_]+)'/g)].map(([, name]) => name)));
const askedFor = new Set(
  sources.flatMap((text) =>
    [...text.matchAll(/\b(?:sql|schedules|runs|syncs)(?:<.*?>)?\('([a-z_]+)'[,)]/g)].map(([, name]) => name ?? ''),
  ),
);

describe('statements', () => {
  test('are in files with names of their own', () => {
    expect(statementFiles.length).toBeGreaterThan(10);
    const names = statementFiles.map((file) => basename(file));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test.each(statementFiles)('of %s each have a name', (file) => {
    const written = [...textOf(file).matchAll(/^-- name: (.*)$/gm)].map(([, name]) => name);
    expect(written).toEqual([...new Set(written)]);
    expect(namesIn(file)).toEqual(written);
  });

  test.each(statementFiles)('of %s each say under their name what they take and give', (file) => {
    expect([...textOf(file).matchAll(/^-- name: (.*)\n(?!-- \S)/gm)].map(([, name]) => name)).toEqual([]);
  });

  // Those of clashes.sql run all, in their order.
  test.each(statementFiles.filter((file) => !file.endsWith('clashes.sql')))('of %s are all used', (file) => {
    expect(namesIn(file).filter((name) => !mentioned.has(name))).toEqual([]);
  });

  test('that are asked for are there', () => {
    const names = new Set(statementFiles.flatMap(namesIn));
    expect(askedFor.size).toBeGreaterThan(80);
    expect([...askedFor].filter((name) => !names.has(name))).toEqual([]);
  });

  test('of an import fit its schema', async () => {
    const { path } = await stagedImport([]);
    const database = new DatabaseSync(path);
    for (const file of ['imports/record/import.sql', 'imports/report/reading.sql']) prepareAll(database, file);
    database.close();
  });

  test('of the catalog fit its schema', () => {
    const path = join(tempDir(), 'catalog.db');
    openCatalog(path).close();
    const database = new DatabaseSync(path);
    const ofCatalog = [
      'imports/catalog',
      'features/notify/deliveries',
      'features/schedule/schedule-catalog',
      'features/sync/sync-catalog',
    ];
    for (const file of ofCatalog) prepareAll(database, `${file}.sql`);
    database.close();
  });

  test('that do not exist are named with their file', () => {
    const database = new DatabaseSync(':memory:');
    const sql = statementsOf(database, new URL('imports/record/import.sql', SRC));
    expect(() => sql('no_such_thing')).toThrow(/^no statement is named no_such_thing in .*import\.sql$/);
    database.close();
  });

  function prepareAll(database: DatabaseSync, file: string): void {
    for (const [name, text] of readStatements(new URL(file, SRC))) {
      expect(() => database.prepare(text), name).not.toThrow();
    }
  }
});

test('a schema has neither a comment nor more than one blank inside a text, because databases get it without comments', () => {
  const schemas = files.filter((file) => file.endsWith('-schema.sql'));
  expect(schemas.length).toBe(9);
  for (const file of schemas) {
    const sql = textOf(file).replaceAll(/--.*/g, '');
    const texts = [...sql.matchAll(/'[^']*'/g)].map(([text]) => text);
    expect(
      texts.filter((text) => /\s\s|\n/.test(text)),
      file,
    ).toEqual([]);
    // A comment that began inside a text would leave it open.
    expect(sql.split("'").length % 2, file).toBe(1);
  }
});

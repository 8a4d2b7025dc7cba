import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openCatalog } from '../../src/ledger/catalog.ts';
import { readStatements, statementsOf } from '../../src/ledger/database.ts';
import { tempDir } from '../temp-dir.ts';
import { stagedImport } from './staged-import.ts';

const LEDGER = new URL('../../src/ledger/', import.meta.url);
const source = readdirSync(LEDGER)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(new URL(name, LEDGER), 'utf8'))
  .join('\n');

/** Files whose statements are asked for by name; those of cut.sql run all, in their order. */
const NAMED = [
  'catalog.sql',
  'deliveries.sql',
  'import.sql',
  'reading.sql',
  'schedule-catalog.sql',
  'sync-catalog.sql',
];
const namesIn = (file: string) => [...readStatements(new URL(file, LEDGER)).keys()];
const used = new Set([...source.matchAll(/(?:\b(?:sql|importSql)|\)\.get)\('([a-z_]+)'\)/g)].map(([, name]) => name));

test('the .sql files are these, and a statement has one name in all of them', () => {
  expect(readdirSync(LEDGER).filter((name) => name.endsWith('.sql'))).toEqual([
    'catalog.sql',
    'cut.sql',
    'deliveries.sql',
    'import.sql',
    'reading.sql',
    'schedule-catalog.sql',
    'sync-catalog.sql',
  ]);
  for (const file of [...NAMED, 'cut.sql']) {
    const written = readFileSync(new URL(file, LEDGER), 'utf8').match(/^-- name: .+$/gm) ?? [];
    expect(written, file).toHaveLength(namesIn(file).length);
  }
  const names = NAMED.flatMap(namesIn);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each(NAMED)('every statement in %s is used', (file) => {
  expect(namesIn(file).filter((name) => !used.has(name))).toEqual([]);
});

test('every statement that is used is there', () => {
  const names = new Set(NAMED.flatMap(namesIn));
  expect([...used].filter((name) => name === undefined || !names.has(name))).toEqual([]);
});

describe('every statement fits the schema', () => {
  test('of an import', async () => {
    const { path } = await stagedImport([]);
    const database = new DatabaseSync(path);
    for (const file of ['import.sql', 'reading.sql']) prepareAll(database, file);
    database.close();
  });

  test('of the catalog', () => {
    const path = join(tempDir(), 'catalog.db');
    openCatalog(path).close();
    const database = new DatabaseSync(path);
    for (const file of ['catalog.sql', 'deliveries.sql', 'schedule-catalog.sql', 'sync-catalog.sql'])
      prepareAll(database, file);
    database.close();
  });

  function prepareAll(database: DatabaseSync, file: string): void {
    for (const [name, text] of readStatements(new URL(file, LEDGER))) {
      expect(() => database.prepare(text), name).not.toThrow();
    }
  }
});

test('a name that no statement has is told with its file', () => {
  const database = new DatabaseSync(':memory:');
  const sql = statementsOf(database, new URL('import.sql', LEDGER));
  expect(() => sql('no_such_thing')).toThrow(/^no statement is named no_such_thing in .*import\.sql$/);
  database.close();
});

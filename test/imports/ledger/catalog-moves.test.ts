import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Catalog, openCatalog, openCatalogReader } from '../../../src/imports/catalog.ts';
import { tempDir } from '../../temp-dir.ts';

function newCatalog(): { path: string; catalog: Catalog } {
  const path = join(tempDir(), 'catalog.db');
  const catalog = openCatalog(path);
  onTestFinished(() => catalog.close());
  return { path, catalog };
}

const entry = (id: string) => ({ id, file: `${id}.csv`, source: `/in/${id}.csv`, options: '{}', retryOf: null });

function journal(path: string, id: string) {
  const file = new DatabaseSync(path, { readOnly: true });
  const rows = file.prepare('select state, reason from transitions where import_id = ? order by rowid').all(id);
  file.close();
  return rows.map(({ state, reason }) => `${state}: ${reason}`);
}

describe('the catalog', () => {
  test('journals every move of an import, with the reason that was given or else the reason of the table', () => {
    const { path, catalog } = newCatalog();
    catalog.add(entry('a'));
    catalog.move('a', 'staged');
    catalog.move('a', 'running');
    catalog.move('a', 'aborted', '12 errors, 10 allowed');
    expect(journal(path, 'a')).toEqual([
      'staging: created',
      'staged: the whole input was read and checked',
      'running: started',
      'aborted: 12 errors, 10 allowed',
    ]);
    expect(catalog.find('a')).toMatchObject({ state: 'aborted', reason: '12 errors, 10 allowed' });
  });

  test('refuses a move that may not be, even with a reason, and neither the import nor the journal changes', () => {
    const { path, catalog } = newCatalog();
    catalog.add(entry('a'));
    const before = catalog.find('a');
    expect(() => catalog.move('a', 'running', 'because I say so')).toThrow(
      expect.objectContaining({ code: 'WRONG_STATE' }),
    );
    expect(catalog.find('a')).toEqual(before);
    expect(journal(path, 'a')).toEqual(['staging: created']);
  });

  test('keeps the time of the first start, and has an end only when the import has', () => {
    const { catalog } = newCatalog();
    catalog.add(entry('a'));
    expect(catalog.move('a', 'staged')).toMatchObject({ startedAt: null, finishedAt: null });
    const { startedAt } = catalog.move('a', 'running');
    expect(startedAt).toEqual(expect.any(Number));
    catalog.move('a', 'blocked');
    expect(catalog.move('a', 'running')).toMatchObject({ startedAt, finishedAt: null });
    const { finishedAt } = catalog.move('a', 'completed');
    expect(finishedAt).toBeGreaterThanOrEqual(startedAt ?? Number.POSITIVE_INFINITY);
  });

  test('gives an import back as it was added, and what was never added not at all', () => {
    const { catalog } = newCatalog();
    catalog.add(entry('a'));
    catalog.add({ ...entry('b'), options: '{"guid":"g"}', retryOf: 'a' });
    expect(catalog.find('b')).toMatchObject({
      id: 'b',
      state: 'staging',
      file: 'b.csv',
      source: '/in/b.csv',
      options: '{"guid":"g"}',
      retryOf: 'a',
    });
    expect(catalog.find('c')).toBeUndefined();
    expect(() => catalog.move('c', 'staged')).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_IMPORT', facts: { id: 'c' } }),
    );
  });

  test('takes an id once, and a retry only of an import that there is', () => {
    const { path, catalog } = newCatalog();
    catalog.add(entry('a'));
    expect(() => catalog.add(entry('a'))).toThrow(/UNIQUE/);
    expect(() => catalog.add({ ...entry('b'), retryOf: 'gone' })).toThrow(/FOREIGN KEY/);
    expect(catalog.list(10)).toHaveLength(1);
    expect(journal(path, 'b')).toEqual([]);
  });

  test('forgets an import with its journal; a retry of it stays, and so do all others', () => {
    const { path, catalog } = newCatalog();
    catalog.add(entry('a'));
    catalog.add({ ...entry('b'), retryOf: 'a' });
    catalog.add({ ...entry('c'), retryOf: 'b' });
    catalog.remove('a');
    expect(catalog.find('a')).toBeUndefined();
    expect(journal(path, 'a')).toEqual([]);
    expect(catalog.find('b')).toMatchObject({ id: 'b', retryOf: null });
    expect(catalog.find('c')).toMatchObject({ retryOf: 'b' });
    expect(journal(path, 'b')).toHaveLength(1);
  });

  test('knows what is not over, and what was over before a time', () => {
    const { catalog } = newCatalog();
    for (const id of ['a', 'b', 'c']) catalog.add(entry(id));
    catalog.move('a', 'rejected');
    catalog.move('b', 'staged');
    const over = Number(catalog.find('a')?.finishedAt);
    expect(catalog.unfinished().map(({ id }) => id)).toEqual(['b', 'c']);
    expect(catalog.finishedBefore(over)).toEqual([]);
    expect(catalog.finishedBefore(over + 1)).toEqual(['a']);
  });

  test('lists the newest first, as many as are asked for', () => {
    const { catalog } = newCatalog();
    // Ids rise with time (pipeline/import-id.ts), so that two of one millisecond have an order as well.
    for (const id of ['2026-1', '2026-2', '2026-3']) catalog.add(entry(id));
    expect(catalog.list(2).map(({ id }) => id)).toEqual(['2026-3', '2026-2']);
  });

  test('can be read by others while it is written', () => {
    const { path, catalog } = newCatalog();
    catalog.add(entry('a'));
    const reader = openCatalogReader(path);
    catalog.move('a', 'staged');
    expect(reader.find('a')?.state).toBe('staged');
    expect(reader.list(10)).toEqual(catalog.list(10));
    reader.close();
  });
});

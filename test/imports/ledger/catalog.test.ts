import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openCatalog, openCatalogReader } from '../../../src/imports/catalog.ts';
import { tempDir } from '../../temp-dir.ts';

function openOne() {
  const path = join(tempDir(), 'catalog.sqlite');
  const catalog = openCatalog(path);
  onTestFinished(() => catalog.close());
  const add = (id: string) =>
    catalog.add({ id, file: 'members.csv', source: '/in/members.csv', options: '{}', retryOf: null });
  return { path, catalog, add };
}

test('an import starts in the state staging, and is listed newest first', () => {
  const { catalog, add, path } = openOne();
  add('20260101-000000-abc');
  add('20260101-000000-abd');
  expect(catalog.list(10).map(({ id, state }) => [id, state])).toEqual([
    ['20260101-000000-abd', 'staging'],
    ['20260101-000000-abc', 'staging'],
  ]);
  expect(catalog.list(1)).toHaveLength(1);
  const reader = openCatalogReader(path);
  expect(reader.find('20260101-000000-abc')).toEqual(catalog.find('20260101-000000-abc'));
  expect(reader.find('another')).toBeUndefined();
  reader.close();
});

test('every move is journalled with its time and its reason, the given one or that of the table', () => {
  const { catalog, add, path } = openOne();
  add('x');
  catalog.move('x', 'staged');
  catalog.move('x', 'running');
  catalog.move('x', 'blocked', 'the service refused us');
  const database = new DatabaseSync(path, { readOnly: true });
  const journal = database.prepare('select state, reason from transitions where import_id = ? order by rowid').all('x');
  database.close();
  expect(journal.map(({ state, reason }) => [state, reason])).toEqual([
    ['staging', 'created'],
    ['staged', 'the whole input was read and checked'],
    ['running', 'started'],
    ['blocked', 'the service refused us'],
  ]);
});

test('a move that the table does not allow changes nothing', () => {
  const { catalog, add } = openOne();
  add('x');
  expect(() => catalog.move('x', 'completed', 'because I say so')).toThrow(
    expect.objectContaining({ code: 'WRONG_STATE' }),
  );
  expect(catalog.find('x')).toMatchObject({ state: 'staging', reason: 'created' });
  expect(() => catalog.move('y', 'staged')).toThrow(
    expect.objectContaining({ code: 'UNKNOWN_IMPORT', facts: { id: 'y' } }),
  );
});

test('a move gives the record as it is stored: started once, finished when it is over', () => {
  const { catalog, add } = openOne();
  add('x');
  expect(catalog.move('x', 'staged')).toMatchObject({ startedAt: null, finishedAt: null });
  const running = catalog.move('x', 'running');
  expect(running.startedAt).toBeTypeOf('number');
  catalog.move('x', 'pausing');
  catalog.move('x', 'paused');
  expect(catalog.move('x', 'running').startedAt).toBe(running.startedAt);
  const completed = catalog.move('x', 'completed');
  expect(completed.finishedAt).toBeTypeOf('number');
  expect(catalog.find('x')).toEqual(completed);
});

test('the same id twice is refused', () => {
  const { add } = openOne();
  add('x');
  expect(() => add('x')).toThrow(/UNIQUE/);
});

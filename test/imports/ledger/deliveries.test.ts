import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Delivery } from '../../../src/features/notify/note.ts';
import { begunSync } from '../../../src/features/sync/kept-sync.ts';
import { openSyncCatalog } from '../../../src/features/sync/sync-catalog.ts';
import { openCatalog } from '../../../src/imports/catalog.ts';
import { CATALOG_SCHEMA } from '../../../src/imports/schemas.ts';
import type { ImportState } from '../../../src/membership/import-state.ts';
import { openForWriting, statementsOf } from '../../../src/platform/sqlite.ts';
import { tempDir } from '../../temp-dir.ts';

function open() {
  const path = join(tempDir(), 'catalog.sqlite');
  const catalog = openCatalog(path);
  const database = openForWriting(path, CATALOG_SCHEMA);
  const sql = statementsOf(database, new URL('../../../src/features/notify/deliveries.sql', import.meta.url));
  const waiting = () => sql<Delivery>('waiting_notes').all();
  onTestFinished(() => {
    database.close();
    catalog.close();
  });
  const run = (id: string, ...states: readonly ImportState[]) => {
    catalog.add({ id, file: 'm.csv', source: 'm.csv', options: '{}', retryOf: null });
    for (const state of states) catalog.move(id, state);
  };
  return { path, catalog, sql, waiting, run };
}

test('ends and blocks are noted with their moves, once each, and only while notifications are on', () => {
  const { catalog, sql, waiting, run } = open();
  run('before', 'rejected');
  expect(waiting()).toEqual([]);

  sql('begin_notes').run({ at: 1 });
  sql('begin_notes').run({ at: 1 });
  run('fixed', 'staged', 'running', 'blocked', 'running', 'completed');
  run('stopped', 'staged', 'running', 'pausing', 'paused', 'cancelling', 'cancelled');
  run('refused', 'rejected');
  run('failing', 'aborted');
  const noted = waiting();
  expect(noted.map(({ subject, state }) => [subject, state])).toEqual([
    ['fixed', 'blocked'],
    ['fixed', 'completed'],
    ['stopped', 'cancelled'],
    ['refused', 'rejected'],
    ['failing', 'aborted'],
  ]);
  expect(new Set(noted.map(({ id }) => id)).size).toBe(5);
  expect(noted.every(({ at, reason, body }) => at > 0 && reason !== '' && body === null)).toBe(true);

  const [first] = noted;
  sql('write_note').run({ id: first?.id ?? '', body: 'text' });
  catalog.remove('fixed');
  expect(waiting()).toEqual([{ ...first, body: 'text' }, ...noted.slice(1)]);
  sql('remove_note').run({ id: first?.id ?? '' });
  expect(waiting()).toHaveLength(4);

  sql('end_notes').run();
  sql('clear_notes').run();
  run('after', 'rejected');
  expect(waiting()).toEqual([]);
});

test('syncs that are over or need someone are noted, too', () => {
  const { path, sql, waiting } = open();
  const syncs = openSyncCatalog(path);
  onTestFinished(() => syncs.close());
  sql('begin_notes').run({ at: 1 });
  const wanted = { file: 'm.csv', source: 'm.csv', apply: false, who: 'ops' };
  for (const [id, ...states] of [
    ['nightly', 'held', 'applying', 'applied'],
    ['looked-at', 'planned', 'rejected'],
    ['away', 'failed'],
  ] as const) {
    syncs.add(begunSync({ ...wanted, id }, { sandbox: true }));
    for (const state of states) syncs.move(id, state);
  }
  expect(waiting().map(({ kind, subject, state }) => [kind, subject, state])).toEqual([
    ['sync', 'nightly', 'held'],
    ['sync', 'nightly', 'applied'],
    ['sync', 'away', 'failed'],
  ]);
});

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDeliveries } from '../../../src/features/notify/notifications.ts';
import { begunSync } from '../../../src/features/sync/kept-sync.ts';
import { openSyncCatalog } from '../../../src/features/sync/sync-catalog.ts';
import { openCatalog } from '../../../src/imports/catalog.ts';
import type { ImportState } from '../../../src/membership/import-state.ts';
import { tempDir } from '../../temp-dir.ts';

function open() {
  const path = join(tempDir(), 'catalog.sqlite');
  const catalog = openCatalog(path);
  const deliveries = openDeliveries(path);
  onTestFinished(() => {
    deliveries.close();
    catalog.close();
  });
  const run = (id: string, ...states: readonly ImportState[]) => {
    catalog.add({ id, file: 'm.csv', source: 'm.csv', options: '{}', retryOf: null });
    for (const state of states) catalog.move(id, state);
  };
  return { path, catalog, deliveries, run };
}

test('ends and blocks are noted with their moves, once each, and only while notifications are on', () => {
  const { catalog, deliveries, run } = open();
  run('before', 'rejected');
  expect(deliveries.waiting()).toEqual([]);

  deliveries.begin();
  deliveries.begin();
  run('fixed', 'staged', 'running', 'blocked', 'running', 'completed');
  run('stopped', 'staged', 'running', 'pausing', 'paused', 'cancelling', 'cancelled');
  run('refused', 'rejected');
  run('failing', 'aborted');
  const noted = deliveries.waiting();
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
  deliveries.write(first?.id ?? '', 'text');
  catalog.remove('fixed');
  expect(deliveries.waiting()).toEqual([{ ...first, body: 'text' }, ...noted.slice(1)]);
  deliveries.remove(first?.id ?? '');
  expect(deliveries.waiting()).toHaveLength(4);

  deliveries.end();
  run('after', 'rejected');
  expect(deliveries.waiting()).toEqual([]);
});

test('syncs that are over or need someone are noted, too', () => {
  const { path, deliveries } = open();
  const syncs = openSyncCatalog(path);
  onTestFinished(() => syncs.close());
  deliveries.begin();
  const wanted = { file: 'm.csv', source: 'm.csv', apply: false, who: 'ops' };
  for (const [id, ...states] of [
    ['nightly', 'held', 'applying', 'applied'],
    ['looked-at', 'planned', 'rejected'],
    ['away', 'failed'],
  ] as const) {
    syncs.add(begunSync({ ...wanted, id }, { sandbox: true }));
    for (const state of states) syncs.move(id, state);
  }
  expect(deliveries.waiting().map(({ kind, subject, state }) => [kind, subject, state])).toEqual([
    ['sync', 'nightly', 'held'],
    ['sync', 'nightly', 'applied'],
    ['sync', 'away', 'failed'],
  ]);
});

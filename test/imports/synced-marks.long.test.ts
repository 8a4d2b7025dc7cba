import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { syncsOf, tracedSyncs } from '../servers/strace.ts';
import { fourGroups, startCoordinator } from './killed-coordinator.ts';

test('the mark of a batch is brought to the disk after it was made and before its call leaves', async () => {
  const { root, dir, settings } = await fourGroups(1_500);
  const trace = join(root, 'trace');
  expect(await startCoordinator(settings, tracedSyncs(trace)).ended).toBe(0);

  const syncs = syncsOf(trace, 'ledger.sqlite-wal');
  const catalog = openCatalogReader(dir.catalog);
  using ledger = new DatabaseSync(dir.ledger(catalog.list(1)[0]?.id ?? ''), { readOnly: true });
  catalog.close();
  const calls = ledger
    .prepare(
      'select c.batch_id as batch, c.at, b.dispatched_at as marked from calls c join batches b on b.id = c.batch_id',
    )
    .all() as unknown as { batch: number; at: number; marked: number }[];
  expect(calls.length).toBe(240);
  // The ledger keeps whole milliseconds.
  const isSynced = ({ at, marked }: (typeof calls)[number]) =>
    syncs.some(({ from, until }) => from >= marked && until < at + 1);
  expect(calls.filter((call) => !isSynced(call))).toEqual([]);
  // One for many of them.
  expect(syncs.length).toBeLessThan(calls.length);
});

import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { composeSyncs } from '../../src/features/sync/compose-syncs.ts';
import { openSyncCatalogReader } from '../../src/features/sync/sync-catalog.ts';
import { eventually } from '../imports/pipeline-harness.ts';
import { openSyncing, processOf } from './syncing.ts';

test('with a time to keep them, old syncs go with their files, except the run that the next one is compared with', async () => {
  const syncing = await openSyncing({ team: { participants: ['ann'] } });
  const { dir } = syncing;
  const ids: string[] = [];
  for (const uid of ['ben', 'cyd']) {
    const { id, state } = await syncing.sync(`guid,uid\nteam,ann\nteam,${uid}\n`);
    ids.push(id);
    expect(state).toBe('applied');
  }
  const [first = '', second = ''] = ids;
  const keeping = composeSyncs({ ...processOf(syncing, {}), keepMs: 1 });
  await eventually(() => existsSync(dir.sync(first))).toBe(false);
  const kept = openSyncCatalogReader(dir.catalog);
  onTestFinished(() => kept.close());
  await eventually(() => kept.page({ limit: 10 }).syncs.map(({ id }) => id)).toEqual([second]);
  expect(() => keeping.find(first)).toThrow(expect.objectContaining({ code: 'UNKNOWN_SYNC' }));
  expect(existsSync(dir.sync(second))).toBe(true);
});

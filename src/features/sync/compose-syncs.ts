import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../../app/chat-service.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { startRetention, sweepUnbegun } from '../../imports/life/removal.ts';
import { type StageFile, stageInThread } from '../../imports/stage/staging.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Logger } from '../../platform/log.ts';
import { SyncRunner } from './run/sync-runner.ts';
import { openSyncCatalog } from './sync-catalog.ts';

/**
 * Wires syncs to the coordinator whose imports carry them out. To be stopped before it.
 * @param keepMs how long finished syncs are kept; undefined: until they are deleted
 * @param stage reads files into ledgers; default: each in a thread of its own
 */
export function composeSyncs(
  coordinator: Coordinator,
  dir: DataDir,
  service: Pick<Service, 'apps'>,
  log: Logger,
  {
    keepMs,
    stage = stageInThread,
  }: { readonly keepMs?: number | undefined; readonly stage?: StageFile | undefined } = {},
): SyncRunner {
  const catalog = openSyncCatalog(dir.catalog);
  sweepUnbegun(join(dir.root, 'syncs'), (id) => catalog.find(id) !== undefined);
  const retention =
    keepMs === undefined
      ? undefined
      : startRetention({
          keepMs,
          finishedBefore: catalog.outdated,
          remove: async (id) => {
            // The files first: after a crash the sync is still listed, and removed the next time.
            await rm(dir.sync(id), { recursive: true, force: true });
            catalog.remove(id);
          },
          onError: (error) => log.warn({ err: error }, 'an old sync cannot be removed'),
        });
  const syncs = new SyncRunner({
    catalog,
    coordinator,
    dir,
    regions: new Set(Object.keys(service.apps) as Region[]),
    stage,
    onStopped: async () => {
      await retention?.stop();
      catalog.close();
    },
  });
  syncs.events.on('state', ({ id, state, reason }) =>
    log[state === 'held' || state === 'failed' ? 'warn' : 'info']({ sync: id, state, reason }, 'sync'),
  );
  return syncs;
}

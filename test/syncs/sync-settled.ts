import type { Sync } from '../../src/features/sync/kept-sync.ts';
import type { SyncRunner } from '../../src/features/sync/run/sync-runner.ts';
import { isFinal, isUnderWay } from '../../src/membership/import-state.ts';
import { isSyncUnderWay } from '../../src/membership/sync-state.ts';

/** Resolves when nothing more happens by itself: finished, planned or held, or its import is paused or blocked. */
export async function syncSettled(syncs: SyncRunner, id: string): Promise<Sync> {
  for (;;) {
    const sync = syncs.find(id);
    if (!isSyncUnderWay(sync.state)) return sync;
    const carrying = sync.importId === null ? undefined : syncs.importState(sync.importId);
    // The sync ends just after its import.
    if (carrying !== undefined && !isUnderWay(carrying) && !isFinal(carrying)) return sync;
    await new Promise<void>((resolve) => {
      const moved = () => {
        syncs.events.off('state', moved).off('import', moved);
        resolve();
      };
      syncs.events.on('state', moved).on('import', moved);
    });
  }
}

import type { ImportState } from '../../membership/import-state.ts';
import { isSyncUnderWay } from '../../membership/sync-state.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import type { SyncRecord } from '../sync/sync-catalog.ts';

/**
 * Resolves when a sync is no longer under way; with undefined when `signal` comes first.
 * @param onImport gets the state of the import that carries it out, now and at each move
 */
export function syncEnded(
  syncs: Pick<SyncRunner, 'events' | 'find' | 'importState'>,
  id: string,
  signal: AbortSignal,
  onImport: (state: ImportState) => void,
): Promise<SyncRecord | undefined> {
  return new Promise((resolve) => {
    const leave = (record: SyncRecord | undefined) => {
      syncs.events.off('state', look);
      syncs.events.off('import', moved);
      signal.removeEventListener('abort', stop);
      resolve(record);
    };
    const stop = () => leave(undefined);
    // Checked after the move: `planned` is only a step on the way to `applying`.
    const look = () =>
      queueMicrotask(() => {
        const record = syncs.find(id);
        if (!isSyncUnderWay(record.state)) leave(record);
      });
    const moved = (movedId: string, state: ImportState) => {
      if (movedId === id) onImport(state);
    };
    syncs.events.on('state', look);
    syncs.events.on('import', moved);
    signal.addEventListener('abort', stop);
    const carrying = syncs.importState(id);
    if (carrying !== undefined) onImport(carrying);
    if (signal.aborted) stop();
    else look();
  });
}

import type { Planning, SyncEntry } from '../../api/sync-entry.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { SyncView } from './api.ts';
import type { Sync } from './kept-sync.ts';
import type { PlanningProgress } from './plan/prepare.ts';
import { entryOf, wholeSync } from './plan/sync-view.ts';
import type { SyncRunner } from './run/sync-runner.ts';

/** Syncs as a server shows them. */
export interface SyncViews {
  entry(sync: Sync): SyncEntry;
  whole(sync: Sync): SyncView;
}

/**
 * Syncs with the progress of those that are being planned. One that is applied names its import just before that begins: until then
 * it is shown without.
 * @param hasImport whether an import is there
 */
export function syncViews(
  syncs: Pick<SyncRunner, 'events'>,
  dir: DataDir,
  hasImport: (id: string) => boolean,
): SyncViews {
  const begun = (sync: Sync): Sync => {
    const { state, importId } = sync;
    return state === 'applying' && importId !== null && !hasImport(importId) ? { ...sync, importId: null } : sync;
  };
  const planning = new Map<string, Planning>();
  syncs.events.on('planning', (id, progress) => planning.set(id, progressView(progress, planning.get(id)?.rows ?? 0)));
  syncs.events.on('state', ({ id, state }) => {
    if (state !== 'planning') planning.delete(id);
  });
  return {
    entry: (sync) => entryOf(begun(sync), planning.get(sync.id)),
    whole: (sync) => wholeSync(dir, begun(sync), planning.get(sync.id)),
  };
}

function progressView(progress: PlanningProgress, rows: number): Planning {
  if (progress.step === 'reading') return { step: 'reading', rows: progress.rows, done: 0, groups: 0 };
  const { step, done, groups } = progress;
  return { step, rows, done, groups };
}

import { existsSync } from 'node:fs';
import { type Planning, type SyncEntry, syncEntry } from '../../api/sync-entry.ts';
import type { PlanReason } from '../../membership/plan-words.ts';
import { isCarriedOut } from '../../membership/sync-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { asSentence, counted, grouped } from '../../text/wording.ts';
import { type SyncView, syncView } from './api.ts';
import { type Sync, shownCreate } from './kept-sync.ts';
import { planFiles } from './plan/plan-files.ts';
import { openPlanPages } from './plan/plan-pages.ts';
import { openPlanReader } from './plan/plan-reading.ts';
import type { PlanningProgress } from './plan/prepare.ts';
import type { SyncRunner } from './run/sync-runner.ts';
import { syncActionsOf } from './sync-errors.ts';

/** Syncs as the API and the command line show them. */

/** Objections that a sync is shown with; the list of each guard has all. */
const FIRST_FINDINGS = 20;

/** A sync in a list. @param planning its progress, where this process plans it */
export function entryOf(sync: Sync, planning: Planning | null = null): SyncEntry {
  return syncEntry.strip().parse({ ...sync, ...computed(sync, planning) });
}

function computed({ state }: Sync, planning: Planning | null): Pick<SyncEntry, 'actions' | 'planning'> {
  return { actions: [...syncActionsOf(state)], planning: state === 'planning' ? planning : null };
}

/** A sync with what its guards object to, at most `limit`. */
export function wholeSync(
  dir: DataDir,
  sync: Sync,
  planning: Planning | null = null,
  limit = FIRST_FINDINGS,
): SyncView {
  return syncView.strip().parse({
    ...sync,
    ...computed(sync, planning),
    ...objectionsOf(dir, sync, limit),
    create: shownCreate(sync),
    left: leftByUndo(sync, planFiles(dir.sync(sync.id)).plan),
    before: hasBefore(dir, sync) ? `/v1/syncs/${sync.id}/before` : null,
  });
}

function objectionsOf(
  dir: DataDir,
  { id, totals }: Sync,
  limit: number,
): Pick<SyncView, 'findings' | 'guards' | 'unknownGroups' | 'notes'> {
  const { plan } = planFiles(dir.sync(id));
  if (totals === null || !existsSync(plan)) return { findings: [], guards: [], unknownGroups: 0, notes: [] };
  const pages = openPlanPages(plan);
  try {
    return {
      findings: pages.findings(limit),
      guards: pages.guards(),
      unknownGroups: pages.unknownGroups(),
      notes: [...pages.facts().notes],
    };
  } finally {
    pages.close();
  }
}

/** Whether there is a file of who was in the groups that a sync takes something from. */
export function hasBefore(dir: DataDir, { id, importId }: Pick<Sync, 'id' | 'importId'>): boolean {
  return importId !== null && existsSync(planFiles(dir.sync(id)).before);
}

/** The reasons of changes that `includeUncertain` takes back. */
const UNCERTAIN: ReadonlySet<PlanReason> = new Set(['undo_uncertain', 'undo_unconfirmed']);

/**
 * Returns the members whom a finished undo left in their place, with the reasons; null if it left none.
 * @param path of its plan
 */
function leftByUndo({ mode, state, totals }: Sync, path: string): SyncView['left'] {
  const users = totals?.actions.report ?? 0;
  if (mode !== 'undo' || !isCarriedOut(state) || users === 0 || !existsSync(path)) return null;
  const plan = openPlanReader(path);
  try {
    const reported = plan.reported();
    const why = reported.map(({ sentence, users: some }) => `${asSentence(sentence).slice(0, -1)}: ${grouped(some)}.`);
    const uncertain = reported.reduce((sum, { reason, users: some }) => sum + (UNCERTAIN.has(reason) ? some : 0), 0);
    return { users, uncertain, sentence: [`The undo left ${counted(users, 'user')} in place.`, ...why].join(' ') };
  } finally {
    plan.close();
  }
}

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

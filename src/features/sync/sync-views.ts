import { existsSync } from 'node:fs';
import { syncEntry } from '../../api/sync-entry.ts';
import type { PlanReason } from '../../membership/plan-reasons.ts';
import { isCarriedOut } from '../../membership/sync-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { asSentence, counted, grouped } from '../../text/wording.ts';
import { syncView } from './api.ts';
import { type Sync, shownCreate, syncActionsOf } from './kept-sync.ts';
import { planFiles } from './plan/plan-files.ts';
import { GUARDS } from './plan/plan-guards.ts';
import { openPlanReader, type PlanReader } from './plan/plan-reading.ts';
import type { SyncRunner } from './run/sync-runner.ts';
import { nextOf, sentenceOf } from './sync-standing.ts';

/** Syncs as the API and the command line show them. */

/** Objections that a sync is shown with; the list of each guard has all. */
const FIRST_FINDINGS = 20;

/** A sync in a list. @param syncs those of this process, if it plans any */
export function entryOf(sync: Sync, syncs?: SyncRunner) {
  return syncEntry.strip().parse(computed(sync, syncs));
}

/** One that is applied names its import just before that begins: until then it is shown without. */
function computed(sync: Sync, syncs: SyncRunner | undefined) {
  const { id, state, importId } = sync;
  const isComing = state === 'applying' && importId !== null && syncs?.importState(importId) === undefined;
  const shown = {
    ...sync,
    actions: [...syncActionsOf(state)],
    planning: (state === 'planning' && syncs?.progress(id)) || null,
    importId: syncs !== undefined && isComing ? null : importId,
  };
  return { ...shown, sentence: sentenceOf(shown), next: nextOf(shown) };
}

/** A sync with the first of what its guards object to. */
export function wholeSync(dir: DataDir, sync: Sync, syncs?: SyncRunner) {
  const shown = computed(sync, syncs);
  return syncView.strip().parse({
    ...shown,
    ...planned(planFiles(dir.sync(sync.id)).plan, sync),
    create: shownCreate(sync),
    before: hasBefore(dir, shown) ? `/v1/syncs/${sync.id}/before` : null,
  });
}

/** Returns the part of a sync's view that its plan at `path` has. */
function planned(path: string, sync: Sync) {
  if (sync.totals === null || !existsSync(path))
    return { findings: [], guards: [], unknownGroups: 0, notes: [], leftInPlace: null };
  using plan = openPlanReader(path);
  return {
    findings: plan.findings(FIRST_FINDINGS),
    guards: plan
      .guards()
      .map((one) => ({ ...one, meaning: GUARDS.find(({ name }) => name === one.guard)?.meaning ?? '' })),
    unknownGroups: plan.unknownGroups(),
    notes: [...plan.facts().notes],
    leftInPlace: leftByUndo(sync, plan),
  };
}

/** Whether there is a file of who was in the groups that a sync takes something from. */
export function hasBefore(dir: DataDir, { id, importId }: Pick<Sync, 'id' | 'importId'>) {
  return importId !== null && existsSync(planFiles(dir.sync(id)).before);
}

/** The reasons of changes that `includeUncertain` takes back. */
const UNCERTAIN: ReadonlySet<PlanReason> = new Set(['undo_uncertain', 'undo_unconfirmed']);

/** Returns the members whom a finished undo left in their place, with the reasons; null if it left none. */
function leftByUndo({ mode, state, totals }: Sync, plan: PlanReader) {
  const users = totals?.actions.report ?? 0;
  if (mode !== 'undo' || !isCarriedOut(state) || users === 0) return null;
  const reported = plan.reported();
  const why = reported.map(({ sentence, users: some }) => `${asSentence(sentence).slice(0, -1)}: ${grouped(some)}.`);
  const uncertain = reported.reduce((sum, { reason, users: some }) => sum + (UNCERTAIN.has(reason) ? some : 0), 0);
  return { users, uncertain, sentence: [`The undo left ${counted(users, 'user')} in place.`, ...why].join(' ') };
}

import { existsSync } from 'node:fs';
import { type SyncEntry, syncEntry } from '../../api/sync-entry.ts';
import { isMachineWait } from '../../imports/reason-codes.ts';
import type { PlanReason } from '../../membership/plan-reasons.ts';
import { planningWords } from '../../membership/plan-words.ts';
import { isCarriedOut } from '../../membership/sync-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { asClause, asSentence, counted, grouped, sumOf } from '../../text/wording.ts';
import { syncView } from './api.ts';
import { type Sync, shownCreate, syncActionsOf } from './kept-sync.ts';
import { planFiles } from './plan/plan-files.ts';
import { GUARDS } from './plan/plan-guards.ts';
import { openPlanReader, type PlanReader } from './plan/plan-reading.ts';
import type { SyncRunner } from './run/sync-runner.ts';

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

export function wholeSync(dir: DataDir, sync: Sync, syncs?: SyncRunner) {
  const shown = computed(sync, syncs);
  return syncView.strip().parse({
    ...shown,
    ...planned(planFiles(dir.sync(sync.id)).plan, sync),
    create: shownCreate(sync),
    before: hasBefore(dir, shown) ? `/v1/syncs/${sync.id}/before` : null,
  });
}

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
export function hasBefore(dir: DataDir, { id, importId }: Sync) {
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
  const uncertain = sumOf(reported.map((one) => (UNCERTAIN.has(one.reason) ? one.users : 0)));
  return { users, uncertain, sentence: [`The undo left ${counted(users, 'user')} in place.`, ...why].join(' ') };
}

/** A sync before what follows from it. */
type Known = Omit<SyncEntry, 'sentence' | 'next'>;

/** Its state and the meaning of it, in one or two sentences of its own for each state. */
export function sentenceOf({ state, code, reason, totals, importId, planning }: Known): string {
  const isUnderWay = state === 'planning' || state === 'applying';
  if (isUnderWay && isMachineWait(code ?? null))
    return `Waiting: ${asClause(reason)}. It continues by itself, and nothing is sent meanwhile.`;
  const { changes = 0, groups = 0, changedGroups = groups } = totals ?? {};
  const planned = totals === null ? '' : `${counted(changes, 'change')} in ${counted(changedGroups, 'group')}`;
  switch (state) {
    case 'planning':
      return `${planning === null ? 'The plan is being made' : planningWords(planning)}. Nothing is sent.`;
    case 'planned':
      return `Planned: ${planned}. Nothing has been sent.`;
    case 'held':
      return `Held: guards object to the plan (${planned}). Nothing is sent unless someone approves it.`;
    case 'unchanged':
      return `Nothing was sent: ${asClause(reason)}.`;
    case 'tried':
      return `A try: ${changes === 0 ? 'there is nothing to do' : planned}. Nothing is sent, and the plan is not carried out.`;
    case 'failed':
      return totals === null
        ? 'No plan could be made, and nothing was sent.'
        : 'The plan was not carried out: nothing was sent.';
    case 'cancelled':
      return 'Cancelled while the plan was made: nothing was sent.';
    case 'rejected':
      return `Rejected: the plan (${planned}) will not be carried out. Nothing was sent.`;
    case 'applying':
      return importId === null
        ? 'The file and the groups are being checked again, before anything is sent.'
        : `Being carried out by an import: ${planned}.`;
    case 'stale':
      return 'Not applied: the file or the groups have changed too much since the plan was made. Nothing was sent.';
    case 'applied':
      return `Applied: ${planned}. The import shows the result of each.`;
    case 'incomplete':
      return 'Not carried out completely: its import ended early.';
  }
}

/** The next steps, by the state: a person decides about a plan. */
export function nextOf({ state, totals }: Known): SyncEntry['next'] {
  if (state !== 'planned' && state !== 'held') return [];
  const changes = counted(totals?.changes ?? 0, 'change');
  return [
    state === 'planned'
      ? { operation: 'apply', name: `Apply ${changes}`, why: 'Look at every change, then carry the plan out' }
      : { operation: 'approve', name: 'Approve', why: 'Look at every change; if they are right, approve this plan' },
    { operation: 'reject', name: 'Reject', why: 'Or reject it; a new plan can be made at any time' },
  ];
}

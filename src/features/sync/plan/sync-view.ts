import { existsSync } from 'node:fs';
import type { Planning, SyncAction, SyncEntry } from '../../../api/sync-entry.ts';
import type { PlanReason } from '../../../membership/plan-words.ts';
import { isCarriedOut, type SyncState } from '../../../membership/sync-state.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import { asSentence, counted, grouped } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';
import type { SyncRecord, SyncTransition } from '../sync-catalog.ts';
import { readSyncOptions, shownCreate } from '../sync-options.ts';
import { openFindings } from './findings.ts';
import { openPlanReader } from './plan-reading.ts';
import { readTotals } from './plan-totals.ts';
import { planFiles } from './prepare.ts';

/** Syncs as the API and the command line show them. */

/** Objections that a sync is shown with; the list of each guard has all. */
const FIRST_FINDINGS = 20;

/** Returns the actions that a user can request for a sync in this state. */
export function syncActionsOf(state: SyncState): readonly SyncAction[] {
  if (state === 'planned') return ['apply', 'reject'];
  return state === 'held' ? ['approve', 'reject'] : [];
}

/** A sync in a list. @param planning its progress, where this process plans it */
export function syncEntry(record: SyncRecord, planning: Planning | null = null): SyncEntry {
  const { id, state, code, reason, file, undoOf, importId, approvedBy, approvedAt, approval } = record;
  const { flags, apply, sandbox, target } = readSyncOptions(record);
  return {
    id,
    state,
    ...(code !== null && { code }),
    reason,
    file,
    undoOf,
    importId,
    schedule: record.scheduleId,
    createdAt: new Date(record.createdAt).toISOString(),
    finishedAt: record.finishedAt === null ? null : new Date(record.finishedAt).toISOString(),
    sandbox,
    ...(target !== undefined && { target }),
    apply,
    mode: modeOf(record),
    missing: flags.missing,
    totals: readTotals(record),
    approved:
      approvedBy === null
        ? null
        : { by: approvedBy, at: new Date(approvedAt ?? 0).toISOString(), reason: approval ?? '' },
    actions: [...syncActionsOf(state)],
    planning: state === 'planning' ? planning : null,
  };
}

/** A sync with what its guards object to, at most `limit`. @param moves those of the sync, in their order */
export function wholeSync(
  dir: DataDir,
  record: SyncRecord,
  moves: readonly SyncTransition[],
  planning: Planning | null = null,
  limit = FIRST_FINDINGS,
): SyncView {
  const options = readSyncOptions(record);
  const { flags, limits } = options;
  const own = syncEntry(record, planning);
  return {
    ...own,
    ...objectionsOf(dir, record, limit),
    flags: { ...flags, mode: own.mode },
    create: shownCreate(options),
    limits: { ...limits },
    left: leftByUndo(record, planFiles(dir.sync(record.id)).plan),
    before: hasBefore(dir, record) ? `/v1/syncs/${record.id}/before` : null,
    moves: moves.map(({ at, ...move }) => ({ at: new Date(at).toISOString(), ...move })),
  };
}

function objectionsOf(
  dir: DataDir,
  record: SyncRecord,
  limit: number,
): Pick<SyncView, 'findings' | 'guards' | 'unknownGroups' | 'notes'> {
  const { plan } = planFiles(dir.sync(record.id));
  if (record.totals === null || !existsSync(plan)) return { findings: [], guards: [], unknownGroups: 0, notes: [] };
  const findings = openFindings(plan, modeOf(record));
  try {
    const unknownGroups = findings.unknownGroups();
    const { notes } = findings;
    return { findings: findings.first(limit), guards: findings.guards(), unknownGroups, notes: [...notes()] };
  } finally {
    findings.close();
  }
}

/** Whether there is a file of who was in the groups that a sync takes something from. */
export function hasBefore(dir: DataDir, { id, importId }: Pick<SyncRecord, 'id' | 'importId'>): boolean {
  return importId !== null && existsSync(planFiles(dir.sync(id)).before);
}

/** Returns the mode of a plan: an undo has none of the flags' modes. */
export function modeOf(record: SyncRecord): SyncEntry['mode'] {
  return record.undoOf === null ? readSyncOptions(record).flags.mode : 'undo';
}

/** The reasons of changes that `includeUncertain` takes back. */
const UNCERTAIN: ReadonlySet<PlanReason> = new Set(['undo_uncertain', 'undo_unconfirmed']);

/**
 * Returns the members whom a finished undo left in their place, with the reasons; null if it left none.
 * @param path of its plan
 */
function leftByUndo(record: SyncRecord, path: string): SyncView['left'] {
  const users = readTotals(record)?.actions.report ?? 0;
  if (record.undoOf === null || !isCarriedOut(record.state) || users === 0 || !existsSync(path)) return null;
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

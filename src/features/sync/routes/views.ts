import { existsSync } from 'node:fs';
import type { SyncState } from '../../../membership/sync-state.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import type { Planning, SyncAction, SyncEntry, SyncView } from '../api.ts';
import { openFindings } from '../plan/findings.ts';
import { leftByUndo } from '../plan/left-by-undo.ts';
import { readTotals } from '../plan/plan-totals.ts';
import { type PlanningProgress, planFiles } from '../plan/prepare.ts';
import type { SyncRunner } from '../run/runner-port.ts';
import type { SyncRecord } from '../sync-catalog.ts';
import { readSyncOptions, shownCreate } from '../sync-options.ts';

/** Objections that a sync is shown with; the list of each guard has all. */
const FIRST_FINDINGS = 20;

/** What a user may ask of a sync in this state. */
export function syncActionsOf(state: SyncState): readonly SyncAction[] {
  if (state === 'planned') return ['apply', 'reject'];
  return state === 'held' ? ['approve', 'reject'] : [];
}

export interface SyncViews {
  entry(record: SyncRecord): SyncEntry;
  whole(record: SyncRecord): SyncView;
}

/** @param transitions moves of a sync, in their order */
export function syncViews(
  syncs: Pick<SyncRunner, 'events'>,
  dir: DataDir,
  transitions: (id: string) => readonly { at: number; state: SyncState; reason: string; who: string }[],
): SyncViews {
  const planning = new Map<string, Planning>();
  syncs.events.on('planning', (id, progress) => planning.set(id, progressView(progress, planning.get(id)?.rows ?? 0)));
  syncs.events.on('state', ({ id, state }) => {
    if (state !== 'planning') planning.delete(id);
  });

  const entry = (record: SyncRecord): SyncEntry => {
    const { id, state, code, reason, file, undoOf, importId, approvedBy, approvedAt, approval } = record;
    const { flags, apply, sandbox } = readSyncOptions(record);
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
      apply,
      mode: modeOf(record),
      missing: flags.missing,
      totals: readTotals(record),
      approved:
        approvedBy === null
          ? null
          : { by: approvedBy, at: new Date(approvedAt ?? 0).toISOString(), reason: approval ?? '' },
      actions: [...syncActionsOf(state)],
      planning: state === 'planning' ? (planning.get(id) ?? null) : null,
    };
  };
  return {
    entry,
    whole: (record) => {
      const options = readSyncOptions(record);
      const { flags, limits } = options;
      const { protect, removeByName, ...plain } = flags;
      const own = entry(record);
      return {
        ...own,
        ...objectionsOf(dir, record),
        flags: { ...plain, mode: own.mode, protect: [...protect], removeByName: [...removeByName] },
        create: shownCreate(options),
        limits: { ...limits },
        left: leftByUndo(record, planFiles(dir.sync(record.id)).plan),
        before: hasBefore(dir, record) ? `/v1/syncs/${record.id}/before` : null,
        moves: transitions(record.id).map(({ at, ...move }) => ({ at: new Date(at).toISOString(), ...move })),
      };
    },
  };
}

function progressView(progress: PlanningProgress, rows: number): Planning {
  if (progress.step === 'reading') return { step: 'reading', rows: progress.rows, done: 0, groups: 0 };
  const { step, done, groups } = progress;
  return { step, rows, done, groups };
}

function objectionsOf(dir: DataDir, record: SyncRecord): Pick<SyncView, 'findings' | 'guards' | 'unknownGroups'> {
  const { plan } = planFiles(dir.sync(record.id));
  if (record.totals === null || !existsSync(plan)) return { findings: [], guards: [], unknownGroups: 0 };
  const findings = openFindings(plan, modeOf(record));
  try {
    const unknownGroups = findings.unknownGroups();
    return { findings: findings.first(FIRST_FINDINGS), guards: findings.guards(), unknownGroups };
  } finally {
    findings.close();
  }
}

/** Whether there is a file of who was in the groups that a sync takes something from. */
export function hasBefore(dir: DataDir, { id, importId }: Pick<SyncRecord, 'id' | 'importId'>): boolean {
  return importId !== null && existsSync(planFiles(dir.sync(id)).before);
}

/** Of a plan: an undo has none of the flags' modes. */
export function modeOf(record: SyncRecord): SyncEntry['mode'] {
  return record.undoOf === null ? readSyncOptions(record).flags.mode : 'undo';
}

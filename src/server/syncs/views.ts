import { existsSync } from 'node:fs';
import { z } from 'zod';
import { REGIONS } from '../../membership/membership.ts';
import { SYNC_STATES, type SyncState } from '../../membership/sync-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { planDocument } from '../../syncs/plan/plan-json.ts';
import { openPlanReader } from '../../syncs/plan/plan-reading.ts';
import { type PlanningProgress, planFiles } from '../../syncs/plan/prepare.ts';
import type { SyncRunner } from '../../syncs/run/sync-runner.ts';
import type { SyncRecord } from '../../syncs/sync-catalog.ts';
import { readSyncOptions } from '../../syncs/sync-options.ts';

const SYNC_ACTIONS = ['apply', 'approve', 'reject'] as const;
export type SyncAction = (typeof SYNC_ACTIONS)[number];

/** What somebody may ask of a sync in this state. */
export function syncActionsOf(state: SyncState): readonly SyncAction[] {
  if (state === 'planned') return ['apply', 'reject'];
  return state === 'held' ? ['approve', 'reject'] : [];
}

const time = z.iso.datetime();
const count = z.int().nonnegative();
const { totals, flags, findings } = planDocument.shape;

const planningView = z.strictObject({
  step: z.enum(['reading', 'members', 'owner', 'banned']).meta({
    description: 'The file is read; then the groups are asked for their members, owners, banned users.',
  }),
  rows: count.meta({ description: 'Rows of the file read so far.' }),
  done: count.meta({ description: 'Groups that have answered this step.' }),
  groups: count.meta({ description: 'Groups that are asked in this step.' }),
});

/** A sync as the API lists it. */
export const syncEntry = z
  .strictObject({
    id: z.string(),
    state: z.enum(SYNC_STATES),
    reason: z.string().meta({ description: 'Why it is in this state, in a sentence.' }),
    file: z.string().meta({ description: 'Its input; of an undo: that of the import.' }),
    undoOf: z.string().nullable().meta({ description: 'The import that it reverses.' }),
    importId: z.string().nullable().meta({ description: 'The import that carries it out.' }),
    schedule: z.string().nullable().meta({ description: 'The schedule that began it.' }),
    createdAt: time,
    finishedAt: time.nullable(),
    sandbox: z.boolean(),
    apply: z.boolean().meta({ description: 'To be applied at once, where no guard objects.' }),
    mode: z.enum(['add', 'mirror', 'undo']),
    missing: z.enum(['report', 'remove', 'ban']).meta({ description: 'Counts in mode mirror only.' }),
    totals: totals.nullable().meta({ description: 'The plan in numbers; null until it is made.' }),
    approved: z
      .strictObject({ by: z.string(), at: time, reason: z.string() })
      .nullable()
      .meta({ description: 'Who let it through although a guard objects, and why.' }),
    actions: z.array(z.enum(SYNC_ACTIONS)).meta({ description: 'What is possible now.' }),
    planning: planningView.nullable().meta({ description: 'Set while the plan is made.' }),
  })
  .meta({ id: 'SyncEntry' });
export type SyncEntry = z.infer<typeof syncEntry>;

/** A sync on its own: what guards say, how it was decided, and every state that it was in. */
export const syncView = syncEntry
  .extend({
    findings: findings.meta({ description: 'What the guards object to. Empty: nothing.' }),
    flags: flags.unwrap(),
    limits: z.record(z.string(), z.number()).meta({ description: 'Limits of guards in place of their defaults.' }),
    moves: z.array(
      z.strictObject({
        at: time,
        state: z.enum(SYNC_STATES),
        reason: z.string(),
        who: z.string().meta({ description: 'Who asked for it; empty if the sync itself did.' }),
      }),
    ),
  })
  .meta({ id: 'Sync' });
export type SyncView = z.infer<typeof syncView>;

export const groupView = z.strictObject({
  region: z.enum(REGIONS),
  guid: z.string(),
  listing: z.enum(['pending', 'listed', 'not_found', 'failed']),
  problem: z.string().meta({ description: 'Why nothing is done in it; empty where it was listed.' }),
  members: count.meta({ description: 'Before the sync.' }),
  actions: planDocument.shape.groups.element.shape.actions,
  right: count.meta({ description: 'Members that are as the file says.' }),
});
export const actionView = planDocument.shape.actions.element;

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
  const planning = new Map<string, NonNullable<SyncEntry['planning']>>();
  syncs.events.on('planning', (id, progress) => planning.set(id, progressView(progress, planning.get(id)?.rows ?? 0)));
  syncs.events.on('state', ({ id, state }) => {
    if (state !== 'planning') planning.delete(id);
  });

  const entry = (record: SyncRecord): SyncEntry => {
    const { id, state, reason, file, undoOf, importId, approvedBy, approvedAt, approval } = record;
    const { flags, apply, sandbox } = readSyncOptions(record);
    return {
      id,
      state,
      reason,
      file,
      undoOf,
      importId,
      schedule: record.scheduleId,
      createdAt: new Date(record.createdAt).toISOString(),
      finishedAt: record.finishedAt === null ? null : new Date(record.finishedAt).toISOString(),
      sandbox,
      apply,
      mode: undoOf === null ? flags.mode : 'undo',
      missing: flags.missing,
      totals: record.totals === null ? null : JSON.parse(record.totals),
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
      const { flags, limits } = readSyncOptions(record);
      const { protect, removeByName, ...plain } = flags;
      const own = entry(record);
      return {
        ...own,
        findings: findingsOf(dir, record),
        flags: { ...plain, mode: own.mode, protect: [...protect], removeByName: [...removeByName] },
        limits: { ...limits },
        moves: transitions(record.id).map(({ at, ...move }) => ({ at: new Date(at).toISOString(), ...move })),
      };
    },
  };
}

function progressView(progress: PlanningProgress, rows: number): NonNullable<SyncEntry['planning']> {
  if (progress.step === 'reading') return { step: 'reading', rows: progress.rows, done: 0, groups: 0 };
  const { step, done, groups } = progress;
  return { step, rows, done, groups };
}

function findingsOf(dir: DataDir, { id, totals }: SyncRecord): SyncView['findings'] {
  const { plan } = planFiles(dir.sync(id));
  if (totals === null || !existsSync(plan)) return [];
  const reader = openPlanReader(plan);
  try {
    return reader.findings();
  } finally {
    reader.close();
  }
}

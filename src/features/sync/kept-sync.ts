import { z } from 'zod';
import { planFlags, type SyncAction, syncEntry } from '../../api/sync-entry.ts';
import { option, words } from '../../errors/named-options.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { newImportId, reserve } from '../../imports/import-id.ts';
import { type ImportOptions, lookupSources, readingOptions } from '../../imports/import-options.ts';
import type { Aimed } from '../../imports/target.ts';
import type { SyncState } from '../../membership/sync-state.ts';
import { DEFAULT_MAX_CREATE } from '../../options/create-limit.ts';
import { createOptions, textOfMaxCreate } from '../../options/create-options.ts';
import type { ByLookup } from '../../options/lookups.ts';
import { keptOf, keptShape } from '../../options/option.ts';
import { EXPECTING, GIVING_UP, SURVEYING } from '../../options/sending-options.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { isoTime } from '../../text/wording.ts';
import { guardLimits, syncView } from './api.ts';
import { type GivenLimits, LIMIT_OPTIONS } from './guard-limits.ts';
import type { DecidingQuery } from './operations.ts';

/** Options for reading the file of a sync. Identity and group files are read again for each plan. */
const syncReading = readingOptions.extend({ ...lookupSources, ...keptShape(EXPECTING) });
export type SyncReading = z.infer<typeof syncReading>;

/** A sync as the catalog keeps it: what a list shows of it, and how it is read, decided and carried out. */
export const keptSync = z.strictObject({
  ...syncEntry.omit({ actions: true, planning: true, sentence: true, next: true }).shape,
  ...planFlags.shape,
  /** The path that it is read from; empty where it is an undo. Runs of the same sync without a name have the same. */
  source: z.string(),
  /** Absent where it is an undo, which reads an import's ledger. */
  reading: syncReading.optional(),
  limits: guardLimits.default({}),
  /** The users and groups that it may create. Absent: none. */
  create: createOptions.optional(),
  /** For its planning and its import; absent: as the process says that sends it. */
  ...keptShape({ ...GIVING_UP, ...SURVEYING }),
  /** It is only planned, to show what a run of a schedule would do. */
  isTry: z.literal(true).optional(),
  moves: syncView.shape.moves,
});
export type Sync = Readonly<z.output<typeof keptSync>>;

/** A move of a sync; `who` is empty where the sync moved by itself. */
export type SyncMove = Sync['moves'][number];

const wantedSync = keptSync
  .omit({ state: true, reason: true, code: true, importId: true, totals: true, approved: true, finishedAt: true })
  .omit({ createdAt: true, moves: true })
  // The id is given where the caller needs it beforehand, the sandbox where it says whom it is meant for.
  .partial({ id: true, sandbox: true, undoOf: true, schedule: true });

/** A sync of a file, as a command asks for it. */
export const syncRequest = wantedSync.omit({ undoOf: true, schedule: true, isTry: true });

export interface NewSync extends Omit<z.input<typeof wantedSync>, keyof Aimed> {
  /** The person who asks for it. */
  readonly who: string;
}

/** Marked as a sync, because the import that carries it out has the same id. */
export function newSyncId(kind: 'sync' | 'undo') {
  return `${kind}-${newImportId()}`;
}

/** A new id, with its folder made. */
export function reserveSync({ sync }: Pick<DataDir, 'sync'>) {
  return reserve(() => newSyncId('sync'), sync);
}

/** @param target where this process sends */
export function begunSync({ who, ...given }: NewSync & { readonly id: string }, target: Aimed) {
  const at = isoTime(Date.now());
  const first = { state: 'planning', reason: 'created' } as const;
  return keptSync.parse({
    undoOf: null,
    schedule: null,
    ...given,
    ...first,
    importId: null,
    totals: null,
    approved: null,
    finishedAt: null,
    ...target,
    createdAt: at,
    moves: [{ at, ...first, who }],
  });
}

/** The file of a sync is read as that of an import, but for the identity and group files. @throws BAD_OPTION */
export function syncReadingOf(options: ImportOptions, lookups: ByLookup<NonNullable<SyncReading['identities']>> = {}) {
  if (options.shape?.actions !== undefined) {
    throw new RollcallError('BAD_OPTION', {
      field: 'shape',
      what: 'the file of a sync says who should be a member, not what to change',
      remedy: words`${option('actions')} is for imports: leave it out, or import the file`,
    });
  }
  return { ...syncReading.omit({ identities: true, groups: true }).parse(options), ...lookups };
}

/** The options that decide a plan, among these; without a choice, the careful ones. @throws BAD_OPTION */
export function syncFlags(chosen: z.input<typeof planFlags>) {
  const { mode, missing, syncName } = chosen;
  if (missing !== undefined && mode !== 'mirror') {
    throw new RollcallError('BAD_OPTION', {
      field: 'missing',
      what: `members who are not in the file are ignored in mode add, which cannot ${missing} them`,
      remedy: words`add ${option('mode', 'mirror')}, or leave ${option('missing')} out`,
    });
  }
  if (chosen.whose === 'ours' && (missing ?? 'report') === 'report') {
    throw new RollcallError('BAD_OPTION', {
      field: 'whose',
      what: 'members who are not in the file are only reported, by whatever way they became members',
      remedy: words`add ${option('missing', 'remove')}, or leave ${option('whose')} out`,
    });
  }
  const [flags, byDefault] = [flagsOf(chosen), flagsOf({})];
  const field = (['whose', 'left', 'changed', 'adopt'] as const).find((name) => flags[name] !== byDefault[name]);
  if (field !== undefined && syncName === undefined) {
    throw new RollcallError('BAD_OPTION', {
      field,
      what: 'a sync without a name does not remember whom it made members',
      remedy: words`add ${option('syncName', 'nightly')}, or leave ${option(field)} out`,
    });
  }
  return flags;
}

/** The options that decide a plan, among these. */
export function flagsOf(chosen: z.input<typeof planFlags>) {
  return planFlags.strip().parse(chosen);
}

/** The options of a query that decide a plan, as they are kept. @throws BAD_OPTION */
export function decisionOf(query: DecidingQuery & z.input<typeof planFlags>) {
  return {
    ...syncFlags(query),
    limits: keptOf(LIMIT_OPTIONS, query) as GivenLimits,
    apply: query.apply === true,
    ...keptOf(SURVEYING, query),
  };
}

/** Returns the users and groups that a sync or schedule may create, for display; null: none. */
export function shownCreate({ create }: Pick<Sync, 'create'>) {
  if (create === undefined) return null;
  const { users, groups, reactivate, max } = create;
  const limits = {
    ...((users || reactivate) && { users: max.users ?? DEFAULT_MAX_CREATE.users }),
    ...(groups && { groups: max.groups ?? DEFAULT_MAX_CREATE.groups }),
  };
  return { users, groups, reactivate, maxCreate: textOfMaxCreate(limits) };
}

/** Reasons for the state of a sync, beside the codes of errors that end its planning. docs/errors.md explains each. */
export const SYNC_REASON_CODES = [
  'GUARDS_OBJECT', // held
  'PLAN_OUTDATED', // stale: file or groups have changed too much
  'IMPORT_ENDED', // incomplete: its import was cancelled or aborted
  'CANCELLED', // cancelled: while it was planned
  'PLANNING_FAILED', // failed: an unexpected error
  'PROCESS_DIED', // under way: it waits; at last failed: the process ended again and again while it was planned
  'WRONG_TARGET', // under way: it waits for a process that sends where it belongs
  'DISK_FULL', // under way: it waits for room on the disk; failed: where no server waits
  'DATABASE_BUSY', // under way: it waits until no other program holds a file of the data directory
] as const;
export type SyncReasonCode = (typeof SYNC_REASON_CODES)[number];

export function syncActionsOf(state: SyncState): readonly SyncAction[] {
  if (state === 'planned') return ['apply', 'reject'];
  return state === 'held' ? ['approve', 'reject'] : [];
}

const DONE = { apply: 'applied', approve: 'approved', reject: 'rejected' } as const;

/** Refuses a decision that the state of a sync does not allow. @throws SYNC_HELD, WRONG_STATE */
export function checkDecision({ id, state, reason }: Sync, action: SyncAction) {
  const possible = syncActionsOf(state);
  if (possible.includes(action)) return;
  const facts = { id, state, possible };
  if (action === 'apply' && state === 'held') throw new RollcallError('SYNC_HELD', { ...facts, reason });
  const isOpen = action === 'approve' && state === 'planned';
  throw new RollcallError('WRONG_STATE', {
    ...facts,
    what: `sync ${id} is ${state} and cannot be ${DONE[action]}`,
    command: isOpen ? `\`rollcall sync apply ${id}\` carries it out` : undefined,
  });
}

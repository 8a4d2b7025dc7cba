import { z } from 'zod';
import { sentTo } from '../../api/fields.ts';
import { option, words } from '../../errors/named-options.ts';
import { DEFAULT_MAX_CREATE } from '../../imports/create-limit.ts';
import { type ImportOptions, readingOptions } from '../../imports/import-options.ts';
import type { Aimed } from '../../imports/target.ts';
import { createOptions, textOfMaxCreate } from '../../options/create-options.ts';
import type { ByLookup } from '../../options/lookups.ts';
import { keptShape } from '../../options/option.ts';
import { EXPECTING, GIVING_UP, SURVEYING } from '../../options/sending-options.ts';
import { type PlanCreate, planFlags } from './api-plan.ts';
import type { UndoFlags } from './plan-flags.ts';
import type { SyncRecord } from './sync-catalog.ts';
import { BadSyncOption } from './sync-errors.ts';

const lookup = z
  .strictObject({ path: z.string(), name: z.string(), sha256: z.string().exactOptional() })
  .exactOptional();

const syncReading = readingOptions.extend({
  identities: lookup,
  groups: lookup,
  ...keptShape(EXPECTING),
});

/**
 * The file of a sync is read as that of an import, but for the identity and group files.
 * @throws BadSyncOption
 */
export function syncReadingOf(
  options: ImportOptions,
  lookups: ByLookup<NonNullable<SyncInput['identities']>> = {},
): SyncInput {
  if (options.shape?.actions !== undefined) {
    throw new BadSyncOption(
      'shape',
      'the file of a sync says who should be a member, not what to change',
      words`${option('actions')} is for imports: leave it out, or import the file`,
    );
  }
  return { ...syncReading.omit({ identities: true, groups: true }).parse(options), ...lookups };
}

/**
 * The options for reading the file of a sync. Identity and group files are read again for each plan, which keeps a
 * copy.
 */
export type SyncInput = z.infer<typeof syncReading>;

/** The options for reading and deciding a sync. */
const syncOptions = z.strictObject({
  /** Null where it is an undo, which reads an import's ledger. */
  reading: syncReading.nullable(),
  /** For an undo, the mode and the action for missing users do not count. */
  flags: planFlags.extend({ mode: z.enum(['add', 'mirror']) }),
  /** The users and groups that it may create. Absent: none. */
  create: createOptions.optional(),
  /** Limits of guards in place of their defaults (guard-limits.ts). */
  limits: z.record(z.string(), z.number()),
  /** For its planning and its import; absent: as the process says that sends it. */
  ...keptShape({ ...GIVING_UP, ...SURVEYING }),
  /** Whether it is carried out at once, where no guard objects. */
  apply: z.boolean(),
  /** It is only planned, to show what a run of a schedule would do. */
  isTry: z.literal(true).exactOptional(),
  /** Meant for the sandbox: must never continue against the service itself. */
  sandbox: z.boolean(),
  /** The target of planning and changes. */
  target: sentTo.optional(),
});

/** The options for reading and deciding a sync. Kept with it, so that it is planned the same way after a restart. */
export type SyncOptions = Readonly<z.infer<typeof syncOptions>>;

/** Requests to the sync runner. */
interface Wanted extends Partial<Pick<SyncOptions, 'limits'>>, Pick<SyncOptions, 'apply' | 'maxCalls'> {
  /** The person who asks for it. */
  readonly who: string;
}

export interface CreateSync extends Wanted, Omit<SyncOptions, 'limits' | 'apply' | 'reading' | keyof Aimed> {
  /** The file as the user named it. */
  readonly file: string;
  /** The path to read; it is copied when planning begins. */
  readonly source: string;
  readonly reading: SyncInput;
  /** Runs of one schedule are compared with each other, whatever their files. */
  readonly scheduleId?: string;
  /** Given where the caller needs it beforehand. */
  readonly id?: string;
}

export interface CreateUndo extends Wanted {
  readonly flags: UndoFlags;
}

export function syncOptionsToJson(options: SyncOptions): string {
  return JSON.stringify(options);
}

/** Reads what `syncOptionsToJson` wrote. */
export function readSyncOptions({ options }: Pick<SyncRecord, 'options'>): SyncOptions {
  return syncOptions.parse(JSON.parse(options));
}

/** Returns the users and groups that a sync or schedule may create, for display; null: none. */
export function shownCreate({ create }: Pick<SyncOptions, 'create'>): PlanCreate | null {
  if (create === undefined) return null;
  const { users, groups, reactivate, max } = create;
  const limits = {
    ...((users || reactivate) && { users: max.users ?? DEFAULT_MAX_CREATE.users }),
    ...(groups && { groups: max.groups ?? DEFAULT_MAX_CREATE.groups }),
  };
  return { users, groups, reactivate, maxCreate: textOfMaxCreate(limits) };
}

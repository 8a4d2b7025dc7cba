import { z } from 'zod';
import { DEFAULT_MAX_CREATE } from '../../imports/create-limit.ts';
import { readingOptions } from '../../imports/import-options.ts';
import { type CreateOptions, createOptions, textOfMaxCreate } from '../../options/create-options.ts';
import { keptShape } from '../../options/option.ts';
import { EXPECTING } from '../../options/sending-options.ts';
import { type PlanCreate, planFlags } from './api-plan.ts';
import { plainFlags, type SyncFlags, withSets } from './plan-flags.ts';
import type { SyncRecord } from './sync-catalog.ts';

const reading = readingOptions.extend({
  identities: z
    .strictObject({ path: z.string(), name: z.string(), sha256: z.string().exactOptional() })
    .exactOptional(),
  ...keptShape(EXPECTING),
});

/** Older data directories keep columns as `mapping`, and the values of rows without one as `defaults`. */
const keptReading = z.preprocess((kept) => {
  if (typeof kept !== 'object' || kept === null || !('mapping' in kept)) return kept;
  const { mapping: map, defaults, ...rest } = kept as Record<string, unknown>;
  return { ...rest, map, ...(defaults as object) };
}, reading);

/** How the file of a sync is read. The identity file is read again for each plan, which keeps a copy. */
export type SyncInput = z.infer<typeof reading>;

const kept = z.strictObject({
  reading: keptReading.nullable(),
  flags: planFlags.extend({ mode: z.enum(['add', 'mirror']) }),
  create: createOptions.optional(),
  limits: z.record(z.string(), z.number()),
  giveUpAfterMs: z.int().positive().optional(),
  apply: z.boolean(),
  sandbox: z.boolean(),
});

/** How a sync is read and decided. Kept with it, so that it is planned the same way after a restart. */
export interface SyncOptions {
  /** Null where it is an undo, which reads an import's ledger. */
  readonly reading: SyncInput | null;
  /** For an undo, the mode and the action for missing users do not count. */
  readonly flags: SyncFlags;
  /** What it may create; absent: nothing. */
  readonly create?: CreateOptions | undefined;
  /** Limits of guards in place of their defaults (guard-limits.ts). */
  readonly limits: Readonly<Record<string, number>>;
  /** How long its planning and its import wait for a service that answers nothing, in ms; absent: as the process says that sends it. */
  readonly giveUpAfterMs?: number | undefined;
  /** Whether it is carried out at once, where no guard objects. */
  readonly apply: boolean;
  /** Meant for the sandbox: must never continue against the service itself. */
  readonly sandbox: boolean;
}

export function syncOptionsToJson({ flags, ...rest }: SyncOptions): string {
  return JSON.stringify({ ...rest, flags: plainFlags(flags) });
}

/** Reads what `syncOptionsToJson` wrote. */
export function readSyncOptions({ options }: Pick<SyncRecord, 'options'>): SyncOptions {
  const { flags, ...rest } = kept.parse(JSON.parse(options));
  return { ...rest, flags: withSets(flags) };
}

/** What a sync or schedule may create, as it is shown; null: nothing. */
export function shownCreate({ create }: Pick<SyncOptions, 'create'>): PlanCreate | null {
  if (create === undefined) return null;
  const { users, groups, reactivate, max } = create;
  const limits = {
    ...((users || reactivate) && { users: max.users ?? DEFAULT_MAX_CREATE.users }),
    ...(groups && { groups: max.groups ?? DEFAULT_MAX_CREATE.groups }),
  };
  return { users, groups, reactivate, maxCreate: textOfMaxCreate(limits) };
}

import { z } from 'zod';
import { CALL_KINDS } from '../../chat/service/codes.ts';
import { REGIONS, type Region } from '../../membership/membership.ts';
import { OUTCOMES } from '../../membership/outcome.ts';

/** A list that nobody changes. */
const list = <Item extends z.ZodType>(item: Item) => z.array(item) as z.ZodType as z.ZodType<readonly z.output<Item>[]>;

/** Rows as [number, text]. Checked by hand: a schema for each row takes ten times as long. */
export function isListed(rows: unknown): boolean {
  if (!Array.isArray(rows)) return false;
  for (const row of rows) {
    if (!Array.isArray(row) || row.length !== 2) return false;
    if (!Number.isSafeInteger(row[0]) || typeof row[1] !== 'string') return false;
  }
  return true;
}

export const callRecord = z.object({
  /** Start, ms since 1970. */
  at: z.int(),
  ms: z.int(),
  /** Null where there was no HTTP reply. */
  httpStatus: z.int().nullable(),
  /** Empty when the call was answered. */
  code: z.string(),
  /** `answered`, or what the refusal meant. */
  kind: z.enum(CALL_KINDS),
  /** The service's message about a refused call, and its id. */
  message: z.string().optional(),
  requestId: z.string().optional(),
});
export type CallRecord = z.infer<typeof callRecord>;

const REFUSAL = { code: z.string(), message: z.string() };
const refusal = z.object(REFUSAL);

/** An outcome of a row that is not plain success. */
const rowOutcome = z.object({ row: z.int(), outcome: z.enum(OUTCOMES), ...REFUSAL });
export type RowOutcome = z.infer<typeof rowOutcome>;

/** Outcome for a user or group that the service did not know, or may not know. */
const creationOutcome = z.enum(['missing', 'existing', 'created', 'reactivated']);
export type CreationOutcome = z.infer<typeof creationOutcome>;

/** The history of a batch that is sent again. Times are in ms since 1970. */
export const standing = z.object({
  /** Calls that settled nothing, while others of the region did. */
  tries: z.int(),
  /** Start of the first of them. */
  since: z.int(),
  /** Replies that said nothing of its users. */
  unsaid: z.int().optional(),
  /** It is not sent before. */
  notBefore: z.int().optional(),
  /**
   * Set when nothing more is sent: its group is asked a last time. `absent` is the outcome of a row that is not as asked;
   * default: failed.
   */
  ended: refusal.extend({ absent: z.literal('unprocessed').optional() }).optional(),
});
export type Standing = z.infer<typeof standing>;

/** The outcomes of a call's rows in its reply. Rows in neither list were added, or banned if that was asked for. */
const answered = z.object({
  others: list(rowOutcome),
  /** Rows without an outcome yet: they are sent again, in a batch of their own. */
  missing: list(z.int()),
  /** About that batch; absent where the reply did not mention its rows. */
  again: z
    .object({
      /** The reason why an earlier call for them may have been carried out. */
      why: z.string(),
      standing,
      /** Whether there were too many calls, so that the region waits. */
      slowsDown: z.boolean().optional(),
    })
    .exactOptional(),
  /** Ids of the messages that the service wrote about additions, by row; absent where the reply names none. */
  messages: z
    .custom<readonly (readonly [row: number, id: string])[]>(isListed, {
      error: 'expected messages as [row number, id]',
    })
    .exactOptional(),
  /** Members of the group after the last addition; absent where the reply does not say. */
  members: z.int().exactOptional(),
});
export type Answered = z.infer<typeof answered>;

const sent = z.discriminatedUnion('kind', [
  answered.extend({ kind: z.literal('answered') }),
  /** A user or group was checked, created or reactivated; the first members of a new group are answered as above. */
  answered.extend({
    kind: z.literal('made'),
    outcome: creationOutcome,
    /** The users with this outcome, if there are several; absent if the reply names none. */
    uids: list(z.string()).exactOptional(),
    /** Each of several, by its id in lower case, where each has an outcome of its own. */
    each: list(
      z.object({ name: z.string(), outcome: z.enum(['created', 'existing', 'refused', 'unconfirmed']), ...REFUSAL }),
    ).exactOptional(),
    ...REFUSAL,
  }),
  refusal.extend({ kind: z.literal('halve'), standing: standing.optional() }),
  refusal.extend({ kind: z.literal('group') }),
  refusal.extend({ kind: z.literal('stop-region') }),
  refusal.extend({ kind: z.literal('refused'), outcome: z.enum(['failed', 'already_member', 'banned']) }),
  /** Attempts are used up without an answer. */
  refusal.extend({ kind: z.literal('unanswered'), maybeCarriedOut: z.boolean() }),
]);
export type Sent = z.infer<typeof sent>;

/** A worker's result for a batch. */
export const batchResult = z.object({
  batch: z.int(),
  region: z.enum(REGIONS),
  /** Every call of this batch since it was dispatched, in order. */
  calls: list(callRecord),
  /** The reason why one of these or an earlier call may have been carried out; null when none can have been. */
  uncertainty: z.string().nullable(),
  sent,
  /** End of the last call, ms since 1970. */
  at: z.int(),
});
export type BatchResult = z.infer<typeof batchResult>;

/** A batch that left the queue without a result. */
export interface ReclaimedBatch extends Pick<BatchResult, 'batch' | 'calls' | 'uncertainty'> {}

/** A region that refuses every call until a person has fixed its key or plan. */
export interface StoppedRegion extends z.infer<typeof refusal> {
  readonly region: Region;
}

export type BatchState = 'pending' | 'dispatched' | 'done' | 'replaced' | 'waiting' | 'later';

/** A batch whose result is recorded. */
export interface Batch {
  readonly id: number;
  readonly state: BatchState;
  readonly size: number;
  readonly bans: number;
  readonly region_id: number;
  /** Assumed to exist; unknown to the service, which may create them; or settled after that. */
  readonly users: 'assumed' | 'unknown' | 'settled';
  readonly uncertainty: string | null;
  readonly dispatched_at: number | null;
  readonly group_id: number;
  readonly on_behalf_of: string;
  readonly action_id: number;
}

/** A row in a batch. */
export interface BatchRow {
  readonly row_id: number;
  readonly scope_id: number;
}

import type { CALL_KINDS } from '../../chat/service/codes.ts';
import type { Region } from '../../membership/membership.ts';
import type { Outcome } from '../../membership/outcome.ts';

/** One call to the chat service, as the ledger keeps it. */
export interface CallRecord {
  /** Start, ms since 1970. */
  readonly at: number;
  readonly ms: number;
  /** Null where there was no HTTP reply. */
  readonly httpStatus: number | null;
  /** Empty when the call was answered. */
  readonly code: string;
  /** `answered`, or what the refusal meant. */
  readonly kind: (typeof CALL_KINDS)[number];
  /** The service's message about a refused call. */
  readonly message?: string | undefined;
  /** The service's id of a refused call, if it gives one. */
  readonly requestId?: string | undefined;
}

/** An outcome of a row that is not plain success. */
export interface RowOutcome {
  readonly row: number;
  readonly outcome: Outcome;
  readonly code: string;
  readonly message: string;
}

interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** Outcome for a user or group that the service did not know, or may not know. */
export type CreationOutcome = 'missing' | 'existing' | 'created' | 'reactivated';

/** The end of a batch whose group has the last word. */
interface Ended extends Refusal {
  /** Outcome of a row that is not as asked. Default: failed. */
  readonly absent?: 'unprocessed' | undefined;
}

/** The history of a batch that is sent again. Times are in ms since 1970. */
export interface Standing {
  /** Calls that settled nothing, while others of the region did. */
  readonly tries: number;
  /** Start of the first of them. */
  readonly since: number;
  /** Replies that said nothing of its users. */
  readonly unsaid?: number | undefined;
  /** It is not sent before. */
  readonly notBefore?: number | undefined;
  /** Set when nothing more is sent: its group is asked a last time. */
  readonly ended?: Ended | undefined;
}

/** The outcomes of a call's rows in its reply. Rows in neither list were added, or banned if that was asked for. */
export interface Answered {
  readonly others: readonly RowOutcome[];
  /** Rows without an outcome yet: they are sent again, in a batch of their own. */
  readonly missing: readonly number[];
  /** About that batch; absent where the reply did not mention its rows. */
  readonly again?: {
    /** The reason why an earlier call for them may have been carried out. */
    readonly why: string;
    readonly standing: Standing;
    /** Whether there were too many calls, so that the region waits. */
    readonly slowsDown?: boolean | undefined;
  };
  /** Ids of the messages that the service wrote about additions, by row; absent where the reply names none. */
  readonly messages?: readonly (readonly [row: number, id: string])[];
  /** Members of the group after the last addition; absent where the reply does not say. */
  readonly members?: number;
}

/** The result of sending a batch. */
export type Sent =
  | ({ readonly kind: 'answered' } & Answered)
  /** A user or group was checked, created or reactivated; the first members of a new group are answered as above. */
  | ({
      readonly kind: 'made';
      readonly outcome: CreationOutcome;
      /** The users with this outcome, if there are several; absent if the reply names none. */
      readonly uids?: readonly string[];
    } & Answered &
      Refusal)
  | ({ readonly kind: 'halve'; readonly standing?: Standing | undefined } & Refusal)
  | ({ readonly kind: 'group' } & Refusal)
  | ({ readonly kind: 'stop-region' } & Refusal)
  | ({ readonly kind: 'refused'; readonly outcome: 'failed' | 'already_member' | 'banned' } & Refusal)
  /** Attempts are used up without an answer. */
  | ({ readonly kind: 'unanswered'; readonly maybeCarriedOut: boolean } & Refusal);

/** A worker's result for a batch. */
export interface BatchResult {
  readonly batch: number;
  readonly region: Region;
  /** Every call of this batch since it was dispatched, in order. */
  readonly calls: readonly CallRecord[];
  /** The reason why one of these or an earlier call may have been carried out; null when none can have been. */
  readonly uncertainty: string | null;
  readonly sent: Sent;
  /** End of the last call, ms since 1970. */
  readonly at: number;
}

/** A batch that left the queue without a result. */
export interface ReclaimedBatch extends Pick<BatchResult, 'batch' | 'calls' | 'uncertainty'> {}

/** A region that refuses every call until a person has fixed its key or plan. */
export interface StoppedRegion extends Refusal {
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

/** The facts about a batch that recording its result needs. */
export interface BatchRecording {
  rowsOf(batch: Batch): BatchRow[];
  /** Moves rows of a batch into a new pending batch; returns its id. */
  cutOff(batch: Batch, rows: readonly BatchRow[], result: BatchResult): number;
  answered(batch: Batch, result: BatchResult, sent: Answered): number;
  /** Adds to a running total of the batch's region. */
  count(region: number, name: string, n: number): void;
  /** Ends the batch: its rows have outcomes, or are in other batches. */
  close(batch: Batch, result: BatchResult, replaced: boolean): void;
}

import type { Answered, BatchResult, RowOutcome } from './batch-result.ts';

export type BatchState = 'pending' | 'dispatched' | 'done' | 'replaced' | 'waiting' | 'later';

/** A batch whose result is recorded. */
export interface Batch {
  readonly id: number;
  readonly state: BatchState;
  readonly size: number;
  readonly bans: number;
  readonly region_id: number;
  readonly asked_again: number;
  /** Assumed to exist; unknown to the service, which may create them; or settled after that. */
  readonly users: 'assumed' | 'unknown' | 'settled';
  readonly uncertainty: string | null;
  readonly dispatched_at: number | null;
  readonly group_id: number;
  readonly on_behalf_of: string;
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

/** Records the outcomes of users and groups that an import creates. */
export interface CreationRecording {
  /** Whether a batch looks for something, or creates or reactivates it. */
  creates(batch: number): boolean;
  /** Records a result of such a batch; returns how many batches wait because of it. */
  record(batch: Batch, result: BatchResult): number;
  /** Lets rows wait whose users the service does not know; returns the other rows. */
  park(batch: Batch, result: BatchResult, others: readonly RowOutcome[]): readonly RowOutcome[];
}

/** Makes the recording of an import that creates users or groups. */
export type Creations = (recording: BatchRecording) => CreationRecording;

import type { BatchResult, RowOutcome, Sent } from './batch-result.ts';

/** A batch whose result is recorded. */
export interface Batch {
  readonly id: number;
  readonly state: number;
  readonly size: number;
  readonly bans: number;
  readonly region_id: number;
  readonly asked_again: number;
  /** 1: its users are not known and may be created; 2: that was done. */
  readonly asked_for: number;
  readonly doubt: string | null;
  readonly dispatched_at: number | null;
  readonly group_id: number;
  readonly on_behalf_of: string;
}

/** A row in a batch. */
export interface BatchRow {
  readonly row_id: number;
  readonly scope_id: number;
}

/** What recording a result needs of its batch. */
export interface BatchRecording {
  rowsOf(batch: Batch): BatchRow[];
  /** Puts rows of a batch into one of their own, which is pending; gives its id. */
  cutOff(batch: Batch, rows: readonly BatchRow[], result: BatchResult): number;
  answered(
    batch: Batch,
    result: BatchResult,
    sent: Pick<Extract<Sent, { kind: 'answered' }>, 'others' | 'missing'>,
  ): number;
  /** Adds to a running total of the batch's region. */
  tally(region: number, name: string, n: number): void;
  /** The batch is over: its rows have outcomes, or are in other batches. */
  close(batch: Batch, result: BatchResult, replaced: boolean): void;
}

/** Records what became of users and groups that an import creates. */
export interface CreationRecording {
  /** Whether a batch looks for something, or creates or reactivates it. */
  creates(batch: number): boolean;
  /** A result of such a batch; gives how many batches wait because of it. */
  record(batch: Batch, result: BatchResult): number;
  /** Has rows wait whose users the service does not know; gives those that do not. */
  park(batch: Batch, result: BatchResult, others: readonly RowOutcome[]): readonly RowOutcome[];
}

/** What makes the recording of an import that creates users or groups. */
export type Creations = (recording: BatchRecording) => CreationRecording;

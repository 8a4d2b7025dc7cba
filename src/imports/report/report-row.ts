import type { Outcome } from '../../membership/outcome.ts';

/** One row of the input with what happened to it. Texts are '' when there is nothing to say. */
export interface ReportRow {
  /** Line number that a spreadsheet shows, the header counted; for JSON and NDJSON the element's number from 1. */
  readonly line: number;
  /** The input as it was, as JSON text: an array of cells (CSV input) or an object (JSON and NDJSON input). */
  readonly original: string;
  readonly status: Outcome;
  readonly code: string;
  readonly message: string;
  readonly region: string;
  readonly guid: string;
  readonly uid: string;
  readonly scope: string;
  /** Calls in which the row was sent. */
  readonly attempts: number;
  readonly httpStatus: number | null;
  readonly batch: number | null;
  /** Milliseconds since 1970, UTC. */
  readonly finishedAt: number | null;
  /** What was created for it: `user`, `group`, `user+group`; `reactivated` for a user made active again. With ` (deleted)` where an undo deleted it. */
  readonly created: string;
  /** Of the message that the service wrote into the group's conversation about the addition. */
  readonly messageId: string;
  /** Members of the group after the call that added the row. */
  readonly members: number | null;
  /** Which value of its row the membership is; empty where the row has one membership only. */
  readonly value?: string;
}

/** What a report must know about the input to write it in its original columns. */
export interface ReportInput {
  /** Original columns in order, with `_extra_1` … when a row has more cells than the header; for JSON the union of all keys. */
  readonly columns: readonly string[];
  readonly inputFormat: 'csv' | 'json' | 'ndjson';
  /** Delimiter of CSV input; not used for JSON and NDJSON. */
  readonly delimiter: string;
  /** A row of the input may be several rows of the report: `_value` says which value each is. */
  readonly shaped?: boolean;
}

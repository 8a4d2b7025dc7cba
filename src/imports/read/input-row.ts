import type { Action, Region, Scope } from '../../membership/membership.ts';

/** Why a row is `invalid`. A row may have several; all of them are listed. */
export interface RowProblem {
  /** The column as the input names it, or the field where the input has no such column. */
  readonly column: string;
  readonly value: string;
  readonly code: RowProblemCode;
  /** One sentence: the value, what is wrong with it, what is allowed. */
  readonly reason: string;
}

export type RowProblemCode =
  | 'CELL_COUNT'
  | 'EMPTY'
  | 'REPEATED_KEY' // a key that stands twice in a JSON object
  | 'NOT_TEXT' // a JSON value that is neither a string nor a safe integer
  | 'TOO_LONG'
  | 'BAD_CHARACTER'
  | 'CONTROL_CHARACTER'
  | 'UNKNOWN_SCOPE'
  | 'UNKNOWN_REGION'
  | 'UNKNOWN_ACTION'; // in an import of edits

/** One row of the input. The membership's fields mean nothing when there are problems. */
export interface InputRow {
  /**
   * `_row` of the report, 1-based and strictly increasing. CSV: as a spreadsheet counts (the header is 1, blank lines
   * count, a cell with line breaks does not add any). JSON and NDJSON: the element's number; in the service's own
   * shape, where an element holds many memberships, the membership's number.
   */
  readonly line: number;
  /** JSON text. CSV: array of the cells as they were. JSON, NDJSON: the element; own shape: one membership as an object. */
  readonly original: string;
  readonly region: Region;
  readonly guid: string;
  readonly uid: string;
  readonly scope: Scope;
  /** UID of the acting user; empty when the service itself acts. */
  readonly onBehalfOf: string;
  /** What is to be done, in an import of edits; absent: `add`. */
  readonly action?: Action;
  /** The shared NO_PROBLEMS when there are none. */
  readonly problems: readonly RowProblem[];
}

export const NO_PROBLEMS: readonly RowProblem[] = Object.freeze([]);

import type { Membership } from '../../membership/membership.ts';
import { cellOf } from '../../text/csv-line.ts';

/** A reason why a row is `invalid`. A row may have several; all of them are listed. */
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
  | 'REPEATED_KEY' // a key that occurs twice in a JSON object
  | 'NOT_TEXT' // a JSON value that is neither a string nor a safe integer
  | 'TOO_LONG'
  | 'BAD_CHARACTER'
  | 'CONTROL_CHARACTER'
  | 'UNKNOWN_SCOPE'
  | 'UNKNOWN_REGION'
  | 'BAD_TIME' // it cannot be read, or is in the future
  | 'NOT_SILENT' // in an import that is silent: no addition
  | 'ENDED' // in an import; in a sync it counts as not named
  | 'UNKNOWN_ACTION' // in an import of edits, or of a file of changes
  // Codes of shaped inputs:
  | 'UNKNOWN_IDENTITY' // the identity file does not have the key
  | 'UNKNOWN_GROUP' // the same of the group file
  | 'UNKNOWN_MARK' // what a person has in the column of a group
  | 'VALUE_COUNT' // not as many scopes as groups in their cells
  | 'TOO_MANY_MEMBERSHIPS'
  | 'FILTERED' // why a row is left out: a condition,
  | 'NO_MEMBERSHIP' // or nothing in it is a membership
  | 'LEFT_IN_PLACE'; // of an undo: it does nothing about the member, and the row says why

/** Fields that shaping adds to a row: one row of the input may give several memberships. */
interface ShapedRow {
  /** Number of the membership in its row of the input, from 1. The first one has the `original` of all. */
  readonly part: number;
  /** The value of the row that gave it, such as `course2=math`; empty if the row gives one membership only. */
  readonly value: string;
  /** The row is left out, or gives no membership: its one problem says why. It is not invalid. */
  readonly skipped?: true;
  /** The texts from which a template made the ids: if two texts give the same id, no one is added. */
  readonly sources?: Readonly<Record<'uid' | 'guid', string | undefined>>;
}

/** One row of the input. The membership's fields are not valid when there are problems. */
export interface InputRow extends Membership {
  /**
   * `_row` of the report, 1-based and increasing. CSV: as a spreadsheet counts (the header is 1, blank lines
   * count, a cell with line breaks does not add any). JSON and NDJSON: the element's number; in the service's own
   * shape, where an element holds many memberships, the membership's number. Memberships of one row have the same.
   */
  readonly line: number;
  /** JSON text. CSV: array of the cells as they were. JSON, NDJSON: the element; own shape: one membership as an object. */
  readonly original: string;
  readonly problems: readonly RowProblem[];
  /** Absent where the input is read as it is. */
  readonly shaped?: ShapedRow;
}

export const NO_PROBLEMS: readonly RowProblem[] = Object.freeze([]);

/** Longest text that says which value of a row a membership is, in characters. */
const MAX_VALUE_LENGTH = 200;

/** Shortens the value that tells several memberships of a row apart, such as `course2=math`. */
export function shortValue(text: string) {
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function noMembership(column: string, reason: string, value = ''): RowProblem {
  return { column, value, code: 'NO_MEMBERSHIP', reason };
}

export function tooManyMemberships(column: string, most: number): RowProblem {
  const reason = `the row gives more than ${most} memberships; if that is right, raise the bound memberships`;
  return { column, value: '', code: 'TOO_MANY_MEMBERSHIPS', reason };
}

/** Reads the cells of a row as the input had it (`original`) by the places of their columns; '' where it has none. */
export function cellReader(original: string, columns: readonly string[]): (at: number) => string {
  const row = JSON.parse(original) as object;
  return (at) => cellOf(Array.isArray(row) ? row[at] : Reflect.get(row, columns[at] ?? '')).trim();
}

import type { InputFormat, InputKind } from '../../options/input-kinds.ts';
import type { InputRow } from '../read/input-row.ts';
import type { IntakeNote } from '../read/notes.ts';

/** A row as staging takes it. */
export interface StagedRow extends InputRow {
  /** Sent later: it is not one of the rows to try first. */
  readonly later?: boolean;
}

/** The input as it was read, for the report. */
export interface InputDescription {
  /** The stored form of the rows. */
  readonly format: InputFormat;
  /** The kind of the file; absent: the same as `format`. */
  readonly kind?: InputKind;
  /** Remarks on the input for a person. */
  readonly notes?: readonly IntakeNote[];
  /** The delimiter of a CSV file; otherwise empty. */
  readonly delimiter: string;
  /** The original columns in order. */
  readonly columns: readonly string[];
  /** Field -> column that it was read from. */
  readonly recognised: Readonly<Record<string, string>>;
  /** Whether a row may have given several memberships. */
  readonly shaped?: boolean;
  /** Rows of the input and the memberships made of them, as the reader counted: compared with the ledger at the end. */
  readonly rowsRead?: number;
  readonly entries?: number;
}

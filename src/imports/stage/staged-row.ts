import type { InputFormat, InputKind } from '../read/detect.ts';
import type { InputRow } from '../read/input-row.ts';
import type { IntakeNote } from '../read/intake-note.ts';

/** A row as staging takes it. */
export interface StagedRow extends InputRow {
  /** Not among the rows to try first. */
  readonly later?: boolean;
}

/** How the input was read, for the report. */
export interface InputDescription {
  /** How the rows are kept. */
  readonly format: InputFormat;
  /** What the file is; absent: what its rows are. */
  readonly kind?: InputKind;
  /** What a person should know about it. */
  readonly notes?: readonly IntakeNote[];
  /** Of a CSV file, else empty. */
  readonly delimiter: string;
  /** The original columns in order. */
  readonly columns: readonly string[];
  /** Field -> column that it was read from. */
  readonly recognised: Readonly<Record<string, string>>;
  /** Whether a row may have given several memberships. */
  readonly shaped?: boolean;
  /** Rows of the input, and what was made of them, as the reader counted: the ledger is compared with it at the end. */
  readonly rowsRead?: number;
  readonly entries?: number;
}

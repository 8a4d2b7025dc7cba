import type { ExportName, InputFormat, InputKind } from '../../options/input-kinds.ts';
import type { Shape } from '../../options/shape.ts';
import type { FileOptions } from './byte-source.ts';
import type { ColumnMapping, ColumnRole } from './columns.ts';
import type { InputRow } from './input-row.ts';
import type { GivenBounds } from './intake-error.ts';
import type { RowDefaults } from './membership-row.ts';
import type { IntakeNote } from './notes.ts';
import type { Lookups } from './shape/parties.ts';
import type { Sheet } from './workbook/workbook.ts';

/** The options of reading, as they are kept with an import, and those that only reading takes. */
export interface IntakeOptions extends RowDefaults, FileOptions {
  readonly format: InputKind | 'auto';
  /** Name of the encoding; absent: UTF-8, or UTF-16 by its byte order mark. */
  readonly encoding?: string | undefined;
  /** One character; absent: detected among `,` `;` tab and `|`. */
  readonly delimiter?: string | undefined;
  /** Columns that are not recognised by their names (`--map uid=member,…`). */
  readonly map: ColumnMapping;
  /** For previews: also reads when the columns for UID or GUID are missing or ambiguous. */
  readonly lenient?: boolean | undefined;
  /**
   * Reads the column `action` of a CSV input: rows may ask for a member's scope to be changed or for its removal. Without
   * it that column is ignored, so that an ordinary input file cannot remove anyone.
   */
  readonly edits?: boolean | undefined;
  /** The input is an export of this system: memberships are searched inside its elements. */
  readonly exportOf?: ExportName | undefined;
  /** Users whom another file of the export says to be deleted. */
  readonly deletedUsers?: ReadonlySet<string> | undefined;
  /** The mapping from rows to memberships, if rows are not simply one membership each. */
  readonly shape?: Shape | undefined;
  readonly lookups?: Lookups | undefined;
  readonly bounds?: GivenBounds | undefined;
  /** Sheet of a workbook: its name, or its number from 1; absent: the first visible one with a table. */
  readonly sheet?: string | undefined;
  /** Told which sheets a workbook has, as soon as it is open. */
  readonly onSheets?: ((sheets: readonly Sheet[]) => void) | undefined;
  /** Files of a folder or ZIP archive, as patterns such as `members*.csv`; absent: those at its top that have rows. */
  readonly files?: readonly string[] | undefined;
}

/** One input, opened. Its rows are read once; iterate `chunks()` or close the iterator, else the file stays open. */
export interface Intake {
  /** The stored form of the rows. */
  readonly format: InputFormat;
  readonly kind: InputKind;
  readonly encoding: string;
  readonly delimiter?: string;
  /** Field → column it is read from, as recognised or mapped. JSON: as far as the rows have been read. */
  recognised(): Readonly<Partial<Record<ColumnRole, string>>>;
  /**
   * Original columns in order. CSV: the header, and `_extra_1`, … for rows that are longer. JSON and NDJSON: the union
   * of the keys. Complete when the rows have been read.
   */
  columns(): readonly string[];
  /** Whether a row may give several memberships; complete when the rows have been read, since JSON may have lists. */
  shaped(): boolean;
  /** Rows of the input so far, skipped ones included. The same as the rows from `chunks` unless a row gives several memberships. */
  rowsRead(): number;
  /** Returns remarks on the input for a person; complete when the rows have been read. */
  notes(): readonly IntakeNote[];
  /** Bytes of the source read so far (compressed ones when gzipped). */
  bytesRead(): number;
  /**
   * Rows in order, in chunks of some hundreds, never empty. Rejects with IntakeError, or the signal's reason. The
   * generators behind it hold a chunk until the next one is asked for: a caller that reads many should empty each when done.
   */
  chunks(): AsyncGenerator<InputRow[]>;
}

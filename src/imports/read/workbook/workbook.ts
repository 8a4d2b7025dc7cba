import type { IntakeNote } from '../notes.ts';
import type { SheetCounts } from './sheet-reader.ts';
import type { Warnings } from './warnings.ts';

export interface Sheet {
  readonly name: string;
  readonly isVisible: boolean;
}

/** A workbook of any format, opened: its sheets in the order of their tabs. */
export interface Workbook {
  readonly kind: 'xlsx' | 'ods';
  readonly sheets: readonly Sheet[];
  /**
   * Reads a sheet piece by piece; `onRow` is called for each of its rows.
   * @param counts counts what is read; absent for a look at the first rows
   */
  read(
    sheet: number,
    warnings: Warnings,
    onRow: (line: number, cells: readonly string[]) => void,
    counts?: SheetCounts,
  ): AsyncGenerator<void>;
  close(): void;
}

/** One sheet of a workbook as CSV text: its rows with their numbers, comma and quote. */
export interface SheetText {
  readonly kind: 'xlsx' | 'ods';
  readonly sheet: string;
  /** The names of the other sheets. */
  readonly others: readonly string[];
  /** Rows above its table. */
  readonly above: number;
  blocks(): AsyncGenerator<Buffer>;
  /**
   * Returns remarks on the sheet; complete when it has been read.
   * @param isId whether ids are read from the column of this number
   */
  notes(isId: (column: number) => boolean): IntakeNote[];
  close(): void;
}

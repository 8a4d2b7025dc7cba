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
   * @param counts filled in at the end; absent for a look at the first rows
   */
  read(
    sheet: number,
    warnings: Warnings,
    onRow: (line: number, cells: readonly string[]) => void,
    counts?: SheetCounts,
  ): AsyncGenerator<void>;
  close(): void;
}

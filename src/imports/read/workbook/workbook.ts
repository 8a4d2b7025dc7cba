import { IntakeError } from '../intake-error.ts';
import type { IntakeNote } from '../notes.ts';
import { Warnings } from './warnings.ts';
import { broken } from './xml.ts';

export interface Sheet {
  readonly name: string;
  readonly isVisible: boolean;
}

/** Called for every row with a filled cell, in order: its number, and the cells up to the last one that is filled. */
export type OnRow = (line: number, cells: readonly string[]) => void;

/** A workbook of any format, opened: its sheets in the order of their tabs. */
export interface Workbook {
  readonly kind: 'xlsx' | 'ods';
  readonly sheets: readonly Sheet[];
  /**
   * Reads a sheet piece by piece.
   * @param warnings gets what people should know about its cells; absent for a look at the first rows
   */
  read(sheet: number, onRow: OnRow, warnings?: Warnings): AsyncGenerator<void>;
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

export const MAX_COLUMNS = 16_384;
export const MAX_ROWS = 1_048_576;

/** The rows of a sheet in any format, one after the other. */
export class SheetRows {
  /** Names the sheet in errors. */
  readonly place: string;
  readonly warnings: Warnings;
  /** The row that was read last. */
  line = 0;
  readonly #onRow: OnRow;
  /** Merged areas that continue below. */
  #merged: { readonly column: number; readonly bottom: number; readonly value: string }[] = [];

  constructor(name: string, onRow: OnRow, warnings = new Warnings()) {
    this.place = `sheet ${JSON.stringify(name)}`;
    this.warnings = warnings;
    this.#onRow = onRow;
  }

  /** The value of a merged area holds for each of its rows, in its first column; a row with nothing else stays empty. */
  merge(column: number, bottom: number, value: string): void {
    if (value !== '' && bottom > this.line) this.#merged.push({ column, bottom, value });
  }

  /** @param times rows that are the same */
  add(line: number, cells: string[], isHidden: boolean, times = 1): void {
    while (cells.length > 0 && cells.at(-1)?.trim() === '') cells.pop();
    this.line = line + times - 1;
    if (cells.length > 0) {
      if (this.line > MAX_ROWS) throw broken(`row ${line}`, `rows go up to ${MAX_ROWS}`);
      if (isHidden) this.warnings.hiddenRows += times;
      for (const { column, value } of this.#merged) {
        if ((cells[column] ?? '') !== '') continue;
        while (cells.length <= column) cells.push('');
        cells[column] = value;
        this.warnings.filled += 1;
      }
      for (let row = line; row <= this.line; row += 1) this.#onRow(row, cells);
    }
    if (this.#merged.length > 0) this.#merged = this.#merged.filter(({ bottom }) => bottom > this.line);
  }
}

/** Refuses more cells in a row than a sheet can have. */
export function checkColumns(count: number, place: string): void {
  if (count <= MAX_COLUMNS) return;
  throw new IntakeError(
    'TOO_MANY_COLUMNS',
    `there are ${count} columns; a sheet has up to ${MAX_COLUMNS}`,
    'Delete the columns that are not needed',
    { place, facts: { count, most: MAX_COLUMNS } },
  );
}

import type { InputBytes } from '../byte-source.ts';
import { intakeError } from '../intake-error.ts';
import { Found, type IntakeNote } from '../notes.ts';
import { columnLetters } from './cell-text.ts';
import { broken } from './xml.ts';

export interface Sheet {
  readonly name: string;
  readonly isVisible: boolean;
}

/** A row with a filled cell: its number, and the cells up to the last one that is filled. */
export interface SheetRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** By which signs a table is known in a sheet. */
export interface TableSigns {
  /** Rows to skip, counted as a spreadsheet counts. */
  readonly skip: number;
  /** It is said where the table begins, so that its header is not looked for. */
  readonly isTopGiven: boolean;
  /** A cell is called as a column that is read. */
  readonly isColumn: (text: string) => boolean;
  /** Cells are called as all the columns that are needed. */
  readonly areAll: (cells: readonly string[]) => boolean;
}

/** A workbook of any format, opened: its sheets in the order of their tabs. */
export interface Workbook {
  readonly sheets: readonly Sheet[];
  /**
   * The rows of a sheet in order, piece by piece.
   * @param warnings gets what people should know about its cells; absent for a look at the first rows
   */
  read(sheet: number, warnings?: Warnings): AsyncGenerator<Iterable<SheetRow>>;
}

/** One sheet of a workbook, whose rows are read once. */
export interface SheetInput extends Omit<InputBytes, 'blocks'> {
  readonly kind: 'xlsx' | 'ods';
  readonly sheet: string;
  readonly others: readonly string[];
  readonly above: number;
  /** Characters of its rows so far. */
  length(): number;
  rows(): AsyncGenerator<Iterable<SheetRow>>;
  /**
   * Returns remarks on the sheet; complete when it has been read.
   * @param isId whether ids are read from the column of this number
   */
  notes(isId: (column: number) => boolean): IntakeNote[];
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
  /** Rows that are the same are kept once. */
  #runs: (SheetRow & { readonly times: number })[] = [];
  /** Merged areas that continue below. */
  #merged: { readonly column: number; readonly bottom: number; readonly value: string }[] = [];

  constructor(name: string, warnings = new Warnings()) {
    this.place = `sheet ${JSON.stringify(name)}`;
    this.warnings = warnings;
  }

  *take(): Generator<SheetRow> {
    const runs = this.#runs;
    this.#runs = [];
    for (const { line, cells, times } of runs)
      for (let time = 0; time < times; time += 1) yield { line: line + time, cells };
  }

  /** The value of a merged area holds for each of its rows, in its first column; a row with nothing else stays empty. */
  merge(column: number, bottom: number, value: string) {
    if (value !== '' && bottom > this.line) this.#merged.push({ column, bottom, value });
  }

  /** @param times rows that are the same */
  add(line: number, cells: string[], isHidden: boolean, times = 1) {
    while (cells.length > 0 && cells.at(-1)?.trim() === '') cells.pop();
    this.line = line + times - 1;
    if (cells.length > 0) {
      if (this.line > MAX_ROWS) throw broken(`row ${line}`, `rows go up to ${MAX_ROWS}`);
      if (isHidden) this.warnings.hiddenRows.add(() => String(line), times);
      for (const { column, value } of this.#merged) {
        if ((cells[column] ?? '') !== '') continue;
        while (cells.length <= column) cells.push('');
        cells[column] = value;
        this.warnings.filled.add(() => address(line, column));
      }
      this.#runs.push({ line, cells, times });
    }
    if (this.#merged.length > 0) this.#merged = this.#merged.filter(({ bottom }) => bottom > this.line);
  }
}

export function checkColumns(count: number, place: string) {
  if (count <= MAX_COLUMNS) return;
  throw intakeError(
    'TOO_MANY_COLUMNS',
    `there are ${count} columns; a sheet has up to ${MAX_COLUMNS}`,
    'Delete the columns that are not needed',
    { place, count, most: MAX_COLUMNS },
  );
}

const KEPT_DIGITS = 15;

/** A cell that probably differs from what was typed, by what it is now. */
type Sign = 'numbers' | 'long' | 'dates' | 'booleans';

/**
 * Cells that probably differ from what was typed: Excel turns ids into numbers and dates when a file is opened or a cell is
 * filled in, and the original value is lost.
 */
export class Warnings {
  readonly #columns = new Map<number, Record<Sign, Found>>();
  /** An id of a column that begins with a zero: a text. */
  readonly #zeros = new Map<number, string>();
  readonly hiddenRows = new Found();
  readonly emptyFormulas = new Found();
  /** Cells that got the value of the merged area that they are in. */
  readonly filled = new Found();

  add(sign: Sign, line: number, column: number) {
    let found = this.#columns.get(column);
    if (found === undefined) {
      found = { numbers: new Found(), long: new Found(), dates: new Found(), booleans: new Found() };
      this.#columns.set(column, found);
    }
    found[sign].add(() => address(line, column));
  }

  number(text: string, line: number, column: number) {
    this.add('numbers', line, column);
    if (text.length > KEPT_DIGITS && /^-?\d{16,}$/.test(text)) this.add('long', line, column);
  }

  text(text: string, line: number, column: number) {
    if (text.charCodeAt(0) !== 0x30 || this.#zeros.has(column) || !/^0\d+$/.test(text)) return;
    this.#zeros.set(column, address(line, column));
  }

  notes(isId: (column: number) => boolean): IntakeNote[] {
    return [
      ...this.hiddenRows.note('HIDDEN_ROWS', 'rows that are hidden, by a filter for instance, and are read as well'),
      ...this.emptyFormulas.note(
        'EMPTY_FORMULAS',
        'formulas without a stored result, which are read as empty',
        'Open the workbook in Excel and save it, so that the results are stored',
      ),
      ...this.filled.note('MERGED_CELLS', 'cells that got the value of the merged cells that they are part of'),
      ...[...this.#columns].flatMap(([column, found]) => this.#notesOfColumn(column, found, isId(column))),
    ];
  }

  #notesOfColumn(column: number, { long, dates, booleans, numbers }: Record<Sign, Found>, isOfIds: boolean) {
    const ofLong = `numbers of more than ${KEPT_DIGITS} digits, of which Excel keeps the first ${KEPT_DIGITS} and loses the others`;
    const notes = long.note('LONG_NUMBERS', ofLong, AS_TEXT);
    if (!isOfIds) return notes;
    const zeros = this.#zeros.get(column);
    if (zeros !== undefined) {
      const what = `numbers, which lose leading zeros, in a column where ${zeros} is a text that begins with 0`;
      notes.push(...numbers.note('LOST_ZEROS', what, AS_TEXT));
    }
    return [
      ...notes,
      ...dates.note('DATES_AS_IDS', 'dates in a column of ids, which Excel makes of ids such as 1-2 or mar1', AS_TEXT),
      ...booleans.note('BOOLEANS_AS_IDS', 'TRUE or FALSE in a column of ids', AS_TEXT),
    ];
  }
}

const AS_TEXT = 'Give the column the format Text before the values are entered or imported, and fill it again';

export function address(line: number, column: number) {
  return `${columnLetters(column)}${line}`;
}

import { counted, enumerate, grouped } from '../../../text/wording.ts';
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
  /** The names of the other sheets. */
  readonly others: readonly string[];
  /** Rows above its table. */
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

  /** The rows since the last call. */
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
      if (isHidden) this.warnings.hiddenRows += times;
      for (const { column, value } of this.#merged) {
        if ((cells[column] ?? '') !== '') continue;
        while (cells.length <= column) cells.push('');
        cells[column] = value;
        this.warnings.filled += 1;
      }
      this.#runs.push({ line, cells, times });
    }
    if (this.#merged.length > 0) this.#merged = this.#merged.filter(({ bottom }) => bottom > this.line);
  }
}

/** Refuses more cells in a row than a sheet can have. */
export function checkColumns(count: number, place: string) {
  if (count <= MAX_COLUMNS) return;
  throw intakeError(
    'TOO_MANY_COLUMNS',
    `there are ${count} columns; a sheet has up to ${MAX_COLUMNS}`,
    'Delete the columns that are not needed',
    { place, count, most: MAX_COLUMNS },
  );
}

/** Digits that Excel keeps of a number. */
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
  /** Rows that are hidden, by a filter or by hand. */
  hiddenRows = 0;
  /** Formulas without a stored value. */
  readonly emptyFormulas = new Found(1);
  /** Cells that got the value of the merged area that they are in. */
  filled = 0;

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

  /** Remarks on the sheet as a whole. */
  notesOfSheet(): IntakeNote[] {
    const { hiddenRows, filled, emptyFormulas } = this;
    return [
      ...noteOf(
        'HIDDEN_ROWS',
        hiddenRows,
        'row',
        ({ is, was }) => `${is} hidden in the workbook, by a filter for instance, and ${was} read as well`,
      ),
      ...noteOf(
        'EMPTY_FORMULAS',
        emptyFormulas.count,
        'formula',
        ({ has, was }) =>
          `${has} no stored result, the first in ${emptyFormulas.named.join()}, and ${was} read as empty. Open the workbook in Excel and save it, so that the results are stored`,
      ),
      ...noteOf('MERGED_CELLS', filled, 'cell', ({ itIs }) => `got the value of the merged cells that ${itIs} part of`),
    ];
  }

  /** Remarks on its columns. @param isId whether ids are read from a column of this number */
  notes(isId: (column: number) => boolean): IntakeNote[] {
    return [...this.#columns].flatMap(([column, { long, dates, booleans, numbers }]) => {
      const zeros = this.#zeros.get(column);
      const ofLong = noteOfCells(
        'LONG_NUMBERS',
        long,
        ['holds a number', 'hold numbers'],
        ` of more than ${KEPT_DIGITS} digits: Excel keeps ${KEPT_DIGITS}, and the digits behind them are lost`,
      );
      if (!isId(column)) return ofLong;
      return [
        ...ofLong,
        ...(zeros === undefined
          ? []
          : noteOfCells(
              'LOST_ZEROS',
              numbers,
              ['is a number', 'are numbers'],
              `, while ${zeros} in the same column is a text that begins with 0: numbers have lost such zeros`,
            )),
        ...noteOfCells(
          'DATES_AS_IDS',
          dates,
          ['is a date', 'are dates'],
          ' in a column of ids: Excel makes dates of ids such as 1-2 or mar1',
        ),
        ...noteOfCells('BOOLEANS_AS_IDS', booleans, ['is', 'are'], ' TRUE or FALSE in a column of ids'),
      ];
    });
  }
}

const ONE = { is: 'is', was: 'was', has: 'has', itIs: 'it is' };
const SEVERAL = { is: 'are', was: 'were', has: 'have', itIs: 'they are' };

function noteOf(code: string, count: number, noun: string, says: (verbs: typeof ONE) => string): IntakeNote[] {
  return count === 0 ? [] : [{ code, text: `${counted(count, noun)} ${says(count === 1 ? ONE : SEVERAL)}` }];
}

/** @param verbs for one cell, and for several */
function noteOfCells(
  code: string,
  { count, named, more }: Found,
  [one, several]: readonly [string, string],
  rest: string,
): IntakeNote[] {
  if (count === 0) return [];
  const cells = enumerate([...named, ...(more > 0 ? [`${grouped(more)} more cells`] : [])]);
  const text = `${cells} ${count === 1 ? one : several}${rest}. Give the column the format Text before the values are entered or imported, and fill it again`;
  return [{ code, text }];
}

export function address(line: number, column: number) {
  return `${columnLetters(column)}${line}`;
}

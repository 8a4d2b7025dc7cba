import { counted, grouped } from '../../../text/wording.ts';
import { Found, type IntakeNote } from '../notes.ts';
import { columnLetters } from './cell-text.ts';

/** Digits that Excel keeps of a number. */
const KEPT_DIGITS = 15;

/** The cells of a column that probably differ from what was typed. */
class ColumnWarnings {
  readonly long = new Found();
  readonly dates = new Found();
  readonly booleans = new Found();
  readonly numbers = new Found();
  /** An id that begins with a zero: a text. */
  zeros: string | undefined;
}

/**
 * Cells that probably differ from what was typed: Excel turns ids into numbers and dates when a file is opened or a cell is
 * filled in, and the original value is lost.
 */
export class Warnings {
  readonly #columns = new Map<number, ColumnWarnings>();
  /** Rows that are hidden, by a filter or by hand. */
  hiddenRows = 0;
  /** Formulas without a stored value. */
  readonly emptyFormulas = new Found(1);
  /** Cells that got the value of the merged area that they are in. */
  filled = 0;

  number(text: string, line: number, column: number): void {
    const warnings = this.#of(column);
    const at = () => address(line, column);
    warnings.numbers.add(at);
    if (text.length > KEPT_DIGITS && /^-?\d{16,}$/.test(text)) warnings.long.add(at);
  }

  date(line: number, column: number): void {
    this.#of(column).dates.add(() => address(line, column));
  }

  boolean(line: number, column: number): void {
    this.#of(column).booleans.add(() => address(line, column));
  }

  text(text: string, line: number, column: number): void {
    if (text.charCodeAt(0) !== 0x30 || !/^0\d+$/.test(text)) return;
    this.#of(column).zeros ??= address(line, column);
  }

  /** Remarks on the sheet as a whole. */
  notesOfSheet(): IntakeNote[] {
    const notes: IntakeNote[] = [];
    const { hiddenRows, filled } = this;
    const { count, named } = this.emptyFormulas;
    if (hiddenRows > 0) {
      const text = `${counted(hiddenRows, 'row')} ${hiddenRows === 1 ? 'is' : 'are'} hidden in the workbook, by a filter for instance, and ${hiddenRows === 1 ? 'was' : 'were'} read as well`;
      notes.push({ code: 'HIDDEN_ROWS', text });
    }
    if (count > 0) {
      const text = `${counted(count, 'formula')} ${count === 1 ? 'has' : 'have'} no stored result, the first in ${named.join()}, and ${count === 1 ? 'was' : 'were'} read as empty. Open the workbook in Excel and save it, so that the results are stored`;
      notes.push({ code: 'EMPTY_FORMULAS', text });
    }
    if (filled > 0) {
      const text = `${counted(filled, 'cell')} got the value of the merged cells that ${filled === 1 ? 'it is' : 'they are'} part of`;
      notes.push({ code: 'MERGED_CELLS', text });
    }
    return notes;
  }

  /** Remarks on its columns. @param isId whether ids are read from a column of this number */
  notes(isId: (column: number) => boolean): IntakeNote[] {
    const notes: IntakeNote[] = [];
    for (const [column, { long, dates, booleans, numbers, zeros }] of this.#columns) {
      const again = 'Give the column the format Text before the values are entered or imported, and fill it again';
      if (long.count > 0) {
        const text = `${cells(long)} ${long.count === 1 ? 'holds a number' : 'hold numbers'} of more than ${KEPT_DIGITS} digits: Excel keeps ${KEPT_DIGITS}, and the digits behind them are lost. ${again}`;
        notes.push({ code: 'LONG_NUMBERS', text });
      }
      if (!isId(column)) continue;
      if (zeros !== undefined && numbers.count > 0) {
        const text = `${cells(numbers)} ${numbers.count === 1 ? 'is a number' : 'are numbers'}, while ${zeros} in the same column is a text that begins with 0: numbers have lost such zeros. ${again}`;
        notes.push({ code: 'LOST_ZEROS', text });
      }
      if (dates.count > 0) {
        const text = `${cells(dates)} ${dates.count === 1 ? 'is a date' : 'are dates'} in a column of ids: Excel makes dates of ids such as 1-2 or mar1. ${again}`;
        notes.push({ code: 'DATES_AS_IDS', text });
      }
      if (booleans.count > 0) {
        const text = `${cells(booleans)} ${booleans.count === 1 ? 'is' : 'are'} TRUE or FALSE in a column of ids. ${again}`;
        notes.push({ code: 'BOOLEANS_AS_IDS', text });
      }
    }
    return notes;
  }

  #of(column: number): ColumnWarnings {
    let warnings = this.#columns.get(column);
    if (warnings === undefined) {
      warnings = new ColumnWarnings();
      this.#columns.set(column, warnings);
    }
    return warnings;
  }
}

function cells({ named, more }: Found) {
  if (more > 0) return `${named.join(', ')} and ${grouped(more)} more cells`;
  return named.length === 1 ? `${named[0]}` : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

export function address(line: number, column: number): string {
  return `${columnLetters(column)}${line}`;
}

import { CsvError } from 'csv-parse';
import { option, words } from '../../errors/named-options.ts';
import type { PlanActionName } from '../../membership/plan-words.ts';
import { FIELDS, type Field } from './columns.ts';
import { CsvRecords } from './csv-records.ts';
import { isPreamble } from './detect.ts';
import type { InputRow, RowProblem } from './input-row.ts';
import { IntakeError, shown, tooLong } from './intake-error.ts';
import type { RowReading } from './membership-row.ts';
import type { IdleRows } from './notes.ts';
import type { ShapedCells, TableTop } from './shape/shaping.ts';

interface CsvOptions extends RowReading {
  readonly delimiter: string;
  readonly lineEnds: string[];
  /** Whether the column `action` is read. */
  readonly edits: boolean;
  /** Whether the first line is Excel's `sep=;`. */
  readonly separatorLine: boolean;
  /** Whether it is the text of a workbook's sheet, in which every cell has its column, however long the row is. */
  readonly isSheet: boolean;
  readonly top: TableTop;
  /** Gets the rows of a file that have no outcome, though they have cells. */
  readonly idle: IdleRows;
  /** Makes memberships of the rows, where a row is not simply one. */
  readonly shaped?: ShapedCells | undefined;
}

/** Throws BAD_DELIMITER. */
export function checkDelimiter(delimiter: string): string {
  if (/^[^"\r\n]$/u.test(delimiter)) return delimiter;
  throw new IntakeError(
    'BAD_DELIMITER',
    `the delimiter ${shown(delimiter)} cannot be used; allowed is one character that is neither a quote nor a line break`,
    words`Correct ${option('delimiter')}, or leave it out to have it detected among comma, semicolon, tab and |`,
    { facts: { delimiter } },
  );
}

/**
 * Rows of a CSV text in UTF-8, one chunk for each block.
 *
 * A quote inside an unquoted cell is an ordinary character, as in spreadsheets: `5" disk`. A quoted cell that continues
 * after its closing quote is unreadableRecord (MISPLACED_QUOTE): it is not clear where that cell ends, and a lenient reading
 * would let the rows up to the next quote vanish inside one cell.
 *
 * Throws UNCLOSED_QUOTE, MISPLACED_QUOTE, ROW_TOO_LONG and the errors of Columns.
 */
export async function* csvRows(blocks: AsyncIterable<Buffer>, options: CsvOptions): AsyncGenerator<InputRow[]> {
  const records = new CsvRecords(options.delimiter, options.lineEnds, options.bounds.row);
  const table = new CsvTable(options);
  try {
    for await (const block of blocks) yield table.rowsOf(await records.of(block));
    const last = await records.rest();
    const rest = table.rowsOf(last, records.endsOpen);
    yield records.endsOpen ? rest.map(maybeCut) : rest;
  } catch (cause) {
    throw cause instanceof CsvError ? unreadableRecord(cause, records, options) : cause;
  } finally {
    records.close();
  }
}

/** Records → rows: the first record that is not blank is the header. */
class CsvTable {
  readonly #options: CsvOptions;
  #line = 0;
  /** Cells of the header; 0 until it is read. */
  #width = 0;
  /** Cells that a row must have: up to the last column that a membership needs. Spreadsheets leave out empty last cells. */
  #needed = 0;
  /** The header's names, if a row has them. */
  #names: ReadonlySet<string> = new Set();
  #header: readonly string[] = [];
  /** Cells of the longest row so far. */
  #widest = 0;
  /** Empty cells past the header with which the first row ends. */
  #excess: number | undefined;
  readonly #at: Record<Field, number> = { region: -1, guid: -1, uid: -1, scope: -1, onBehalfOf: -1 };
  #actionAt = -1;
  #reasonAt = -1;
  #separatorLine: boolean;

  constructor(options: CsvOptions) {
    this.#options = options;
    this.#separatorLine = options.separatorLine;
  }

  /** @param isOpen the last record has no line end, so that some of it may be missing */
  rowsOf(records: readonly string[][], isOpen = false): InputRow[] {
    const rows: InputRow[] = [];
    for (const [index, cells] of records.entries()) {
      this.#line += 1;
      if (isBlank(cells)) {
        if (cells.length > 1 && this.#width > 0 && !this.#options.isSheet)
          this.#options.idle.blank.add(() => String(this.#line));
        continue;
      }
      if (this.#names.has(cells[0] as string) && this.#isHeader(cells)) {
        this.#options.idle.headers.add(() => String(this.#line));
        continue;
      }
      if (isOpen && index === records.length - 1) this.#needed = this.#width;
      if (this.#width === 0) {
        if (this.#isAbove(cells)) continue;
        this.#readHeader(this.#options.top.names ?? cells);
        if (this.#options.top.names === undefined) {
          this.#header = cells;
          this.#names = new Set(cells);
          continue;
        }
      }
      if (this.#options.shaped === undefined) rows.push(this.#row(cells));
      else for (const row of this.#shapedRows(this.#options.shaped, cells)) rows.push(row);
    }
    return rows;
  }

  /** Whether a row is above the header. */
  #isAbove(cells: readonly string[]) {
    if (this.#separatorLine) {
      this.#separatorLine = false;
      return true;
    }
    return this.#line <= this.#options.top.skip || isPreamble(cells);
  }

  /** Whether a row is the header again, as in files that were put one behind the other. */
  #isHeader(cells: readonly string[]) {
    const header = this.#header;
    if (cells.length !== header.length || !cells.every((cell) => this.#names.has(cell))) return false;
    if (cells.every((cell, index) => cell === header[index])) return true;
    if (new Set(cells).size < cells.length) return false;
    throw new IntakeError(
      'AMBIGUOUS_COLUMN',
      'this is the header again, with its columns in another order',
      'Make a file of its own of what is below it, and import both as a folder or ZIP archive',
      { place: `line ${this.#line}`, facts: { line: this.#line } },
    );
  }

  #readHeader(cells: readonly string[]) {
    this.#options.columns.addHeader(cells);
    this.#width = cells.length;
    this.#widest = cells.length;
    const named = cells.findLastIndex((name) => name.trim() !== '') + 1;
    if (this.#options.shaped !== undefined) {
      this.#options.shaped.begin();
      this.#needed = Math.min(named, this.#options.shaped.needed());
      return;
    }
    this.#options.columns.requireMembership(this.#options.hasDefaultGuid);
    this.#options.columns.requireMapped();
    this.#options.columns.requireAction();
    for (const field of FIELDS) this.#at[field] = this.#options.columns.indexOf(field);
    this.#actionAt = this.#options.columns.indexOf('action');
    this.#reasonAt = cells.indexOf(REASON_COLUMN);
    this.#needed = this.#options.edits ? named : 1 + Math.max(this.#at.uid, this.#at.guid);
  }

  #row(cells: readonly string[]): InputRow {
    if (cells.length === this.#width) this.#excess ??= 0;
    else {
      const problem = this.#compareWidth(cells);
      if (problem !== undefined) this.#options.reader.addProblem(problem);
    }
    const at = this.#at;
    const action = this.#options.edits ? (cells[this.#actionAt] ?? '') : undefined;
    const isLeft = action === LEFT_IN_PLACE;
    const row = this.#options.reader.read(
      this.#line,
      JSON.stringify(cells),
      cells[at.region] ?? '',
      cells[at.guid] ?? '',
      cells[at.uid] ?? '',
      cells[at.scope] ?? '',
      cells[at.onBehalfOf] ?? '',
      isLeft ? undefined : action,
    );
    return isLeft ? leftInPlace(row, cells[this.#reasonAt] ?? '') : row;
  }

  #shapedRows(shaped: ShapedCells, cells: readonly string[]): InputRow[] {
    if (cells.length === this.#width) this.#excess ??= 0;
    const problem = cells.length === this.#width ? undefined : this.#compareWidth(cells);
    return shaped.rows(this.#line, cells, problem && [problem]);
  }

  /**
   * Many programs end every row with a delimiter: empty cells past the header are no problem where the first row has as
   * many. In another row they may come from a delimiter inside a cell, which moves every cell behind it into a wrong column.
   */
  #compareWidth(cells: readonly string[]): RowProblem | undefined {
    const width = this.#width;
    this.#excess ??= Math.max(0, cells.length - width);
    if (cells.length > this.#widest) {
      this.#options.columns.requireRoom(cells.length, `line ${this.#line}`);
      for (; this.#widest < cells.length; this.#widest += 1) {
        this.#options.columns.addExtra(`_extra_${this.#widest - width + 1}`);
      }
    }
    if (this.#options.isSheet || (cells.length >= this.#needed && cells.length < width)) return undefined;
    const extra = cells.findIndex((cell, index) => index >= width && cell.trim() !== '');
    if (extra === -1 && cells.length - width === this.#excess) return undefined;
    const column = this.#options.columns.names[cells.length > width ? Math.max(extra, width) : cells.length] ?? '';
    const counts = `the row has ${cells.length} cells and the header ${width}`;
    const hint = cells.some((cell) => /^\s+"/.test(cell))
      ? 'there is a space between a delimiter and a quote, so that the quote counts as text: remove the blank'
      : 'a delimiter inside a cell needs quotes around the cell';
    const reason =
      cells.length < width ? `${counts}: those from ${shown(column)} on are missing` : `${counts}: too many; ${hint}`;
    return { column, value: cells[extra] ?? '', code: 'CELL_COUNT', reason };
  }
}

/** The action of an edit about which nothing is done: it is in the file so that the report has it. */
const LEFT_IN_PLACE = 'report' satisfies PlanActionName;
const REASON_COLUMN = 'reason';

function leftInPlace(row: InputRow, reason: string): InputRow {
  const why: RowProblem = { column: REASON_COLUMN, value: '', code: 'LEFT_IN_PLACE', reason };
  return { ...row, problems: [why], shaped: { part: 1, value: '', skipped: true } };
}

/** A last row that has no line end and is wrong: it says that the input may be cut. */
function maybeCut(row: InputRow): InputRow {
  const [first, ...others] = row.problems;
  if (first === undefined || row.shaped?.skipped) return row;
  const reason = `${first.reason}; the input ends here without a line end, so it may be cut off`;
  return { ...row, problems: [{ ...first, reason }, ...others] };
}

/** A blank line, or what spreadsheets write for one: nothing but delimiters. */
function isBlank(cells: readonly string[]) {
  for (const cell of cells) {
    if (cell !== '' && cell.trim() !== '') return false;
  }
  return true;
}

function unreadableRecord(cause: CsvError, records: CsvRecords, { columns, bounds }: CsvOptions) {
  const cell = typeof cause['column'] === 'number' ? cause['column'] : 0;
  const name = columns.names[cell];
  const place = `line ${records.count + 1}, column ${name === undefined ? cell + 1 : shown(name)}`;
  // Only a quote lets a row run over several lines of text.
  if (cause.code === 'CSV_QUOTE_NOT_CLOSED' || records.runsOverLines) {
    return new IntakeError(
      'UNCLOSED_QUOTE',
      'a quote opens here and never closes, so that everything after it would be one cell',
      'Close the quote, or write it twice if it belongs to the text; if the input was cut off, get all of it',
      { place, cause },
    );
  }
  const advice = words`Shorten it, say with ${option('format')} what the file is if it is not CSV`;
  return tooLong('row', bounds, { place, advice, cause });
}

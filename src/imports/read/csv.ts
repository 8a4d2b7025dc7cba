import { CsvError } from 'csv-parse';
import { option, words } from '../../errors/named-options.ts';
import type { PlanActionName } from '../../membership/plan-words.ts';
import { FIELDS, type Field } from './columns.ts';
import { csvRecords } from './csv-records.ts';
import { isPreamble } from './detect.ts';
import { chunked } from './element.ts';
import type { InputRow, RowProblem } from './input-row.ts';
import { intakeError, shown, tooLong } from './intake-error.ts';
import type { RowReading } from './membership-row.ts';
import type { IdleRows } from './notes.ts';
import type { TableTop } from './shape/shaping.ts';
import type { SheetRow } from './workbook/workbook.ts';

/** The form of a table in text. */
export interface Dialect {
  readonly delimiter: string;
  readonly lineEnds: string[];
  readonly separatorLine: boolean;
}

/** The way of reading the records of a table. */
export interface TableOptions extends RowReading {
  readonly edits: boolean;
  readonly top: TableTop;
  /** Gets the rows of a file that have no outcome, though they have cells. */
  readonly idle: IdleRows;
  readonly shaped?: CellRows | undefined;
}

export function checkDelimiter(delimiter: string) {
  if (/^[^"\r\n]$/u.test(delimiter)) return delimiter;
  throw intakeError(
    'BAD_DELIMITER',
    `the delimiter ${shown(delimiter)} cannot be used; allowed is one character that is neither a quote nor a line break`,
    words`Correct ${option('delimiter')}, or leave it out to have it detected among comma, semicolon, tab and |`,
    { delimiter },
  );
}

/**
 * Rows of a CSV text in UTF-8, one chunk for each block. A quote inside an unquoted cell is an ordinary character, as in
 * spreadsheets: `5" disk`. A quoted cell that continues after its closing quote is refused: it is not clear where it ends,
 * and a lenient reading would let the rows up to the next quote vanish inside one cell.
 * Throws UNCLOSED_QUOTE, MISPLACED_QUOTE, ROW_TOO_LONG and the errors of Columns.
 */
export async function* csvRows(
  blocks: AsyncIterable<Buffer>,
  { delimiter, lineEnds, separatorLine }: Dialect,
  options: TableOptions,
): AsyncGenerator<InputRow[]> {
  const records = csvRecords(delimiter, lineEnds, options.bounds.row);
  const read = tableReader(options, false);
  let line = 0;
  /** @param isOpen the last record has no line end, so that some of it may be missing */
  const rowsOf = (all: readonly string[][], isOpen = false) => {
    const rows: InputRow[] = [];
    for (const [index, cells] of all.entries()) {
      line += 1;
      if (line === 1 && separatorLine) continue;
      for (const row of read(line, cells, isOpen && index === all.length - 1)) rows.push(row);
    }
    return rows;
  };
  try {
    for await (const block of blocks) yield rowsOf(records.of(block));
    const last = records.rest();
    const rest = rowsOf(last, records.endsOpen());
    yield records.endsOpen() ? rest.map(maybeCut) : rest;
  } catch (cause) {
    throw cause instanceof CsvError ? unreadableRecord(cause, records, options) : cause;
  }
}

/** The line of a CSV file that names its delimiter, as it looks in a sheet where a program took it for a row. */
const SEPARATOR_CELL = /^sep=.?$/i;

/**
 * Rows of a workbook's sheet, in which every cell has its column, however long the row is. The marks at the beginning of a
 * CSV file that a sheet was made of are no part of them. Throws the errors of Columns.
 */
export async function* sheetRows(
  sheet: AsyncIterable<Iterable<SheetRow>>,
  options: TableOptions,
): AsyncGenerator<InputRow[]> {
  const read = tableReader(options, true);
  let isFirst = true;
  function* rowsOf(all: Iterable<SheetRow>) {
    for (const { line, cells } of all) {
      if (isFirst) {
        isFirst = false;
        const first = (cells[0] ?? '').replace(/^\uFEFF/, '');
        if (cells.length > 1 || !SEPARATOR_CELL.test(first)) yield* read(line, cells.with(0, first));
      } else yield* read(line, cells);
    }
  }
  for await (const rows of sheet) yield* chunked(rowsOf(rows), ({ original }) => original.length);
}

/** Makes rows of records, below a header. */
interface CellRows {
  /** To be called when the header is known. Throws the errors of Columns, and BAD_SHAPE. */
  begin(header: readonly string[]): void;
  /** Returns the number of cells that a row must have: up to the last column that its memberships need. */
  needed(): number;
  rows(line: number, cells: readonly string[], problem?: RowProblem): readonly InputRow[];
}

function plainCells({ columns, reader, hasDefaultGuid, edits }: TableOptions): CellRows {
  const at = Object.fromEntries(FIELDS.map((field) => [field, -1])) as Record<Field, number>;
  // A look at the place -1 would take as long as all the others together.
  const cellIn = (cells: readonly string[], index: number) => (index < 0 ? '' : (cells[index] ?? ''));
  let actionAt = -1;
  let reasonAt = -1;
  return {
    begin: (header) => {
      columns.requireMembership(hasDefaultGuid);
      columns.requireMapped();
      columns.requireAction();
      for (const field of FIELDS) at[field] = columns.indexOf(field);
      actionAt = columns.indexOf('action');
      reasonAt = header.indexOf(REASON_COLUMN);
    },
    needed: () => (edits ? columns.names.length : 1 + Math.max(at.uid, at.guid)),
    rows: (line, cells, problem) => {
      if (problem !== undefined) reader.addProblem(problem);
      const action = edits ? (cells[actionAt] ?? '') : undefined;
      const isLeft = action === LEFT_IN_PLACE;
      const row = reader.read(
        line,
        JSON.stringify(cells),
        cellIn(cells, at.region),
        cellIn(cells, at.guid),
        cellIn(cells, at.uid),
        cellIn(cells, at.scope),
        cellIn(cells, at.onBehalfOf),
        cellIn(cells, at.joinedAt),
        isLeft ? undefined : action,
        cellIn(cells, at.until),
      );
      return [isLeft ? leftInPlace(row, cells[reasonAt] ?? '') : row];
    },
  };
}

/** Records → rows: the first record that is not blank is the header. */
function tableReader(options: TableOptions, isSheet: boolean) {
  const { columns, top, idle, shaped: made = plainCells(options) } = options;
  /** Cells of the header; 0 until it is read. */
  let width = 0;
  /** Cells that a row must have. Spreadsheets leave out empty last cells. */
  let needed = 0;
  /** The header, if a row has it, and its names: each row is looked up in them. */
  let header: readonly string[] = [];
  let names: ReadonlySet<string> = new Set();
  /** Empty cells past the header with which the first row ends. */
  let excess: number | undefined;

  function readHeader(cells: readonly string[]) {
    columns.addHeader(cells);
    width = cells.length;
    made.begin(cells);
    needed = Math.min(cells.findLastIndex((name) => name.trim() !== '') + 1, made.needed());
  }

  /**
   * Many programs end every row with a delimiter: empty cells past the header are no problem where the first row has as
   * many. In another row they may come from a delimiter inside a cell, which moves every cell behind it into a wrong column.
   */
  function problemOfWidth(line: number, cells: readonly string[]) {
    excess ??= Math.max(0, cells.length - width);
    if (cells.length === width) return undefined;
    columns.addExtras(cells.length, width, `line ${line}`);
    if (isSheet || (cells.length >= needed && cells.length < width)) return undefined;
    const extra = cells.findIndex((cell, index) => index >= width && cell.trim() !== '');
    if (extra === -1 && cells.length - width === excess) return undefined;
    const column = columns.names[cells.length > width ? Math.max(extra, width) : cells.length] ?? '';
    return wrongCount(cells, width, column, cells[extra]);
  }

  /** @param isOpen it has no line end, so that some of it may be missing */
  return (line: number, cells: readonly string[], isOpen = false): readonly InputRow[] => {
    if (isBlank(cells)) {
      if (cells.length > 1 && width > 0) idle.blank.add(() => String(line));
      return [];
    }
    if (names.has(cells[0] as string) && isHeaderAgain(cells, header, line)) {
      idle.headers.add(() => String(line));
      return [];
    }
    if (isOpen) needed = width;
    if (width === 0) {
      if (line <= top.skip || isPreamble(cells)) return [];
      readHeader(top.names ?? cells);
      if (top.names === undefined) {
        header = cells;
        names = new Set(cells);
        return [];
      }
    }
    return made.rows(line, cells, problemOfWidth(line, cells));
  };
}

/** Whether a row is the header again, as in files that were put one behind the other. */
function isHeaderAgain(cells: readonly string[], header: readonly string[], line: number) {
  if (cells.length !== header.length || !new Set(cells).isSubsetOf(new Set(header))) return false;
  if (cells.every((cell, index) => cell === header[index])) return true;
  if (new Set(cells).size < cells.length) return false;
  throw intakeError(
    'AMBIGUOUS_COLUMN',
    'this is the header again, with its columns in another order',
    'Make a file of its own of what is below it, and import both as a folder or ZIP archive',
    { place: `line ${line}`, line },
  );
}

/** @param column where it goes wrong  @param value the first cell too many */
function wrongCount(cells: readonly string[], width: number, column: string, value = ''): RowProblem {
  const counts = `the row has ${cells.length} cells and the header ${width}`;
  const hint = cells.some((cell) => /^\s+"/.test(cell))
    ? 'there is a space between a delimiter and a quote, so that the quote counts as text: remove the blank'
    : 'a delimiter inside a cell needs quotes around the cell';
  const reason =
    cells.length < width ? `${counts}: those from ${shown(column)} on are missing` : `${counts}: too many; ${hint}`;
  return { column, value, code: 'CELL_COUNT', reason };
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

function unreadableRecord(cause: CsvError, records: ReturnType<typeof csvRecords>, { columns, bounds }: TableOptions) {
  const cell = typeof cause['column'] === 'number' ? cause['column'] : 0;
  const name = columns.names[cell];
  const place = `line ${records.count() + 1}, column ${name === undefined ? cell + 1 : shown(name)}`;
  // Only a quote lets a row run over several lines of text.
  if (cause.code === 'CSV_QUOTE_NOT_CLOSED' || records.runsOverLines()) {
    return intakeError(
      'UNCLOSED_QUOTE',
      'a quote opens here and never closes, so that everything after it would be one cell',
      'Close the quote, or write it twice if it belongs to the text; if the input was cut off, get all of it',
      { place, cause },
    );
  }
  const advice = words`Shorten it, say with ${option('format')} what the file is if it is not CSV`;
  return tooLong('row', bounds, advice, { place, cause });
}

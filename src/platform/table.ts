import { inChunks } from '../text/chunks.ts';
import { cellOf, csvLine } from '../text/csv-line.ts';
import { workbook } from './xlsx-writer.ts';

/** A value that is JSON already: objects have it as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

interface TableOptions {
  readonly delimiter?: string;
  /** The rows are copies of a user's own: CSV has them exactly, and a spreadsheet runs cells that begin like a formula. */
  readonly exact?: true;
}

type Rows = Iterable<readonly unknown[]>;
type TableFormat = 'csv' | 'ndjson' | 'xlsx';

/**
 * Writes a table, in pieces of some 64 KB, so that memory does not grow with the rows. In a cell, nothing is empty, and lists and objects are JSON.
 *
 * - CSV: UTF-8 without a byte order mark, lines end in LF. No cell is one that a spreadsheet would run (`importable`), unless `exact`.
 * - NDJSON: an object a row, with the exact values. No rows give an empty file.
 * - XLSX: every cell is text, so that none is run.
 */
export function writeTable<Format extends TableFormat>(
  columns: readonly string[],
  rows: Rows,
  format: Format,
  options: TableOptions = {},
): Generator<Format extends 'xlsx' ? string | Uint8Array : string> {
  const pieces: Generator<string | Uint8Array> =
    format === 'xlsx'
      ? workbook(cells(columns, rows))
      : inChunks(format === 'csv' ? csvLines(columns, rows, options) : ndjsonLines(columns, rows));
  return pieces as Generator<never>;
}

/** Rows as the texts of JSON objects, without line ends. */
export function* jsonObjects(columns: readonly string[], rows: Rows): Generator<string> {
  const keys = columns.map((name) => JSON.stringify(name));
  for (const values of rows) yield `{${keys.map((key, at) => `${key}:${jsonOf(values[at])}`).join(',')}}`;
}

/** One JSON object of `head` and of lists, each with a line for each of its items, in pieces of some 64 KB. */
export function jsonDocument(head: object, lists: Readonly<Record<string, Iterable<string>>>): Generator<string> {
  return inChunks(documentPieces(head, lists));
}

function* documentPieces(head: object, lists: Readonly<Record<string, Iterable<string>>>): Generator<string> {
  yield JSON.stringify(head).slice(0, -1);
  for (const [name, items] of Object.entries(lists)) {
    yield `,\n${JSON.stringify(name)}:[`;
    let separator = '\n';
    for (const item of items) {
      yield `${separator}${item}`;
      separator = ',\n';
    }
    yield '\n]';
  }
  yield '}\n';
}

function* csvLines(
  columns: readonly string[],
  rows: Rows,
  { delimiter = ',', exact }: TableOptions,
): Generator<string> {
  yield csvLine(columns, delimiter);
  for (const values of rows) {
    const texts = values.map(textOfCell);
    yield csvLine(exact ? texts : texts.map(importable), delimiter);
  }
}

function* ndjsonLines(columns: readonly string[], rows: Rows): Generator<string> {
  for (const object of jsonObjects(columns, rows)) yield `${object}\n`;
}

function* cells(columns: readonly string[], rows: Rows): Generator<readonly string[]> {
  yield columns;
  for (const values of rows) yield values.map(textOfCell);
}

function jsonOf(value: unknown) {
  return value instanceof JsonText ? value.text : JSON.stringify(value ?? null);
}

function textOfCell(value: unknown) {
  return Array.isArray(value) && value.length === 0 ? '' : cellOf(value);
}

/** Cells of the input or of the service that a spreadsheet would run instead of show (OWASP: CSV injection). */

/** Characters that open a formula, with their full-width and small forms, which some spreadsheets read alike. */
const OPENERS = '=+\\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B';
const OPENER = new RegExp(`[${OPENERS}]`);

/** A formula at the start, also behind blanks, invisible characters, quotes and delimiters that a reader may drop or split at. */
const OPENS_FORMULA = new RegExp(`^[\\s\\p{Cc}\\p{Cf}",;|]*[${OPENERS}]`, 'u');
const OPENS_WITH_CONTROL = /^[\t\r\n]/;

/** After one of these a spreadsheet that takes another delimiter than the file's begins a new cell. */
const CELL_BREAK = /[,;\t|"\r\n]/;
const BLANK = /[\s\p{Cc}\p{Cf}]/u;

/**
 * The cell with apostrophes where a formula would begin, which turn it into text; every other cell as it is.
 *
 * - At the start of the cell every opener counts, `-5` and `+391234` too: which of them a spreadsheet takes for a number
 *   depends on its language.
 * - Inside the cell only an opener that follows a delimiter, quote or line break, and has behind it what a formula needs
 *   to do harm: a call `(`, or a program or another file `|` `!`. "name, -5 degrees" stays as it is.
 *
 * Apostrophes are added, nothing is taken away, and a harmless cell stays the same when it goes through again.
 */
export function harmless(cell: string) {
  const text = OPENS_WITH_CONTROL.test(cell) || OPENS_FORMULA.test(cell) ? `'${cell}` : cell;
  return OPENER.test(text) && CELL_BREAK.test(text) ? disarmInside(text) : text;
}

/** One walk over the text, so that a hostile cell of a megabyte costs no more than its length. */
function disarmInside(text: string) {
  const lastTool = Math.max(text.lastIndexOf('('), text.lastIndexOf('|'), text.lastIndexOf('!'));
  let result = '';
  let copied = 0;
  let atCellStart = false;
  for (let index = 0; index < lastTool; index++) {
    const character = text.charAt(index);
    if (CELL_BREAK.test(character)) atCellStart = true;
    else if (atCellStart && OPENER.test(character)) {
      result += `${text.slice(copied, index)}'`;
      copied = index;
      atCellStart = false;
    } else if (!BLANK.test(character)) atCellStart = false;
  }
  return result + text.slice(copied);
}

/** Letters, digits, `_`, `-`, `.` and spaces behind at most one `+`, `-` or `@`: see `isInert`. */
const INERT = /^[-+@]?[\p{L}\p{N}_ .-]*$/u;

/**
 * Whether a cell is too plain to do harm even where a spreadsheet takes it for a formula: it calls no function (that
 * needs a parenthesis), starts no program and reads no other file (`|`, `!`, `:`, quotes); `-a-1` shows an error or a
 * number at worst. Every UID, GUID, region and scope that intake accepts is of this kind, and so is `+39 055 123`.
 */
export function isInert(cell: string) {
  return INERT.test(cell.trim());
}

/** A cell that an import is to read back: as it is where it can do no harm, else `harmless`. */
function importable(cell: string) {
  return isInert(cell) ? cell : harmless(cell);
}

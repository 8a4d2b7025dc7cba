import type { ImportSummary } from '../../api/import-summary.ts';
import type { RowView } from '../../api/rows.ts';
import { RETRYABLE } from '../../membership/outcome.ts';
import { ROW_COLUMNS } from '../../membership/row-columns.ts';
import { ledgerContradiction } from '../../platform/database-errors.ts';
import { isObject, isText } from '../../platform/stored-json.ts';
import { JsonText, jsonDocument, jsonObjects, writeTable } from '../../platform/table.ts';
import { inChunks } from '../../text/chunks.ts';
import { cellOf } from '../../text/csv-line.ts';
import { distinctKeys } from '../../text/distinct-keys.ts';
import { parseJson } from '../read/json-text.ts';
import type { InputDescription } from '../read/notes.ts';

/** One row of the input with what happened to it: the columns of the report by their names in the API. */
export interface ReportRow extends Readonly<Omit<RowView, 'original' | 'check'>> {
  /** The input as it was, as JSON text: an array of cells (CSV input) or an object (JSON and NDJSON input). */
  readonly original: string;
}

/** The original columns: with `_extra_1` … when a row has more cells than the header; for JSON the union of all keys. */
export type ReportInput = Pick<InputDescription, 'columns' | 'format' | 'delimiter' | 'shaped'>;

type Shaped = Pick<ReportInput, 'shaped'>;

const SHAPED_COLUMNS = Object.entries(ROW_COLUMNS);
/** `_value` is only for an input of which a row may be several rows of the report. */
const COLUMNS = SHAPED_COLUMNS.filter(([name]) => name !== '_value');
/** rollcall's own columns, in the order in which every report gives them. */
export const OWN_COLUMNS: readonly string[] = COLUMNS.map(([name]) => name);

function ownNames({ shaped }: Shaped) {
  return (shaped ? SHAPED_COLUMNS : COLUMNS).map(([name]) => name);
}

/** A row's values in them; null where a number or a time has no value. */
export function ownValues(row: ReportRow, { shaped }: Shaped = {}) {
  return (shaped ? SHAPED_COLUMNS : COLUMNS).map(([, [field]]) => row[field]);
}

/**
 * Names for OWN_COLUMNS beside the original ones. In a report of a report, `_row`, `_status` and so on are there already: all of ours
 * take the first number that is free (`_row_2`, `_status_2`, …). Case is ignored, as databases ignore it.
 */
function ownColumnNames(original: readonly string[], input: Shaped) {
  const own = ownNames(input);
  const taken = new Set(original.map((name) => name.trim().toLowerCase()));
  for (let number = 1; ; number++) {
    const names = own.map((name) => (number === 1 ? name : `${name}_${number}`));
    if (!names.some((name) => taken.has(name))) return names;
  }
}

/** A row as the input had it, and its place. */
export type Original = Pick<ReportRow, 'line' | 'original'>;

/**
 * The cells of a row under the original columns, one per column; null where the row has none. JSON values are as `cellOf` writes them.
 * @throws DAMAGED_LEDGER if `original` is not of the input's format, or has more cells than there are columns
 */
export function originalCells(input: ReportInput, row: Original) {
  const { columns, format } = input;
  if (format !== 'csv') {
    const element = elementOf(row);
    return columns.map((column) => (element.has(column) ? cellOf(element.get(column)) : null));
  }
  const cells = cellValues(row);
  if (cells.length > columns.length) {
    throw damaged(row, `has ${cells.length} cells where the report has ${columns.length} columns`);
  }
  return columns.map((_, index) => (index < cells.length ? cellOf(cells[index]) : null));
}

function cellValues(row: Original) {
  // Almost always all cells are strings, and digits inside a string are safe.
  let cells = parse(row, JSON.parse);
  if (Array.isArray(cells) && !cells.every(isText)) cells = parse(row, parseJson);
  if (!Array.isArray(cells)) throw damaged(row, 'is not an array of cells');
  return cells;
}

/** Keys and values of an element. Numbers that JavaScript would change keep their spelling. */
export function elementOf(row: Original) {
  const element = parse(row, parseJson);
  if (!isObject(element)) throw damaged(row, 'is not an object');
  return new Map(Object.entries(element));
}

function parse(row: Original, parser: (text: string) => unknown) {
  try {
    return parser(row.original);
  } catch {
    throw damaged(row, 'is not JSON');
  }
}

function damaged(row: Original, what: string) {
  return ledgerContradiction(`the input of row ${row.line} ${what}`);
}

/** `original` on one line: line breaks are only between JSON tokens, where a blank can replace them. */
function originalOnOneLine(row: Original) {
  return /[\r\n]/.test(row.original) ? row.original.replace(/[\r\n]+/g, ' ') : row.original;
}

/**
 * The report as a table: original columns, then OWN_COLUMNS. The delimiter of CSV is the input's, so that the same spreadsheet opens it.
 * Every cell is exactly as it was: in a spreadsheet, one that begins like a formula is one. `xlsx` is for spreadsheets.
 * @throws as originalCells
 */
export function tableReport(input: ReportInput, rows: Iterable<ReportRow>, format: 'csv' | 'xlsx') {
  const names = [...input.columns, ...ownColumnNames(input.columns, input)];
  const delimiter = input.format === 'csv' ? input.delimiter : ',';
  return writeTable(names, cellsOf(input, rows), format, { delimiter, exact: true });
}

function* cellsOf(input: ReportInput, rows: Iterable<ReportRow>) {
  for (const row of rows) yield [...originalCells(input, row), ...ownValues(row, input)];
}

/**
 * Columns and values of rows as JSON objects: `{"_row":2,"_status":"added", … ,"input":{…}}`. The original fields are inside `input`, so
 * that neither they nor ours can hide the others: CSV cells under their `distinctKeys`, JSON elements as the text that they were.
 */
function objectsOf(input: ReportInput, rows: Iterable<ReportRow>) {
  const original = originalJson(input);
  const values = Iterator.from(rows).map((row) => [...ownValues(row, input), new JsonText(original(row))]);
  return [[...ownNames(input), 'input'], values] as const;
}

/** A function that writes what the input had for a row, column by column, as a JSON object on one line. */
export function originalJson(input: ReportInput): (row: Original) => string {
  return input.format === 'csv' ? cellsJson(input) : originalOnOneLine;
}

/** Written key by key: an object would sort number-like columns to the front and fail on `__proto__`. */
function cellsJson(input: ReportInput): (row: Original) => string {
  const keys = distinctKeys(input.columns).map((key) => JSON.stringify(key));
  return (row) => {
    const cells = originalCells(input, row);
    return `{${keys.map((key, index) => `${key}:${JSON.stringify(cells[index] ?? '')}`).join(',')}}`;
  };
}

/** The report as one JSON document: `{ "summary": ImportSummary, "rows": [ … ] }`, one row per line. @throws as originalCells */
export function jsonReport(input: ReportInput, summary: ImportSummary, rows: Iterable<ReportRow>) {
  return jsonDocument({ summary }, { rows: jsonObjects(...objectsOf(input, rows)) });
}

/** The report as NDJSON: the same objects. @throws as originalCells */
export function ndjsonReport(input: ReportInput, rows: Iterable<ReportRow>) {
  return writeTable(...objectsOf(input, rows), 'ndjson');
}

/**
 * The rows that may be sent again, in the original columns only, so that the file imports as it is with the options of the first
 * import: CSV with the same delimiter, or NDJSON of the elements. Every cell is what it was, also where it begins like a formula: what
 * people correct in a spreadsheet is the report.
 * @throws as originalCells
 */
export function retryReport(input: ReportInput, rows: Iterable<ReportRow>) {
  const again = Iterator.from(rows).filter(({ status }) => RETRYABLE.has(status));
  if (input.format !== 'csv') return inChunks(again.map((row) => `${originalOnOneLine(row)}\n`));
  const cells = again.map((row) => originalCells(input, row));
  return writeTable(input.columns, cells, 'csv', { delimiter: input.delimiter, exact: true });
}

/** A membership that may be sent again. */
export interface MembershipToRetry {
  readonly line: number;
  readonly region: string;
  readonly guid: string;
  readonly uid: string;
  readonly scope: string;
  readonly actor: string;
  readonly action: string;
  /** In seconds since 1970; null: not said. */
  readonly joined_at: number | null;
  /** In ms since 1970; null: it does not end. */
  readonly until: number | null;
}

/** Columns of memberships that not every import has. */
export type OwnColumn = 'action' | 'joined_at' | 'until';

/**
 * The same for a shaped input, where a row may have succeeded in part: its memberships, one on a line, in columns that
 * need no shape. `_row` says which row of the input each is from; imports ignore it.
 */
export function shapedRetry(memberships: Iterable<MembershipToRetry>, more: readonly OwnColumn[]) {
  const cells = Iterator.from(memberships).map((one) => [...membershipCells(one, more), one.line]);
  return writeTable([...membershipColumns(more), '_row'], cells, 'csv', { exact: true });
}

/** The columns of a file with a membership on each line. */
export function membershipColumns(more: readonly OwnColumn[]) {
  return ['region', 'guid', 'uid', 'scope', 'on_behalf_of', ...more];
}

export function membershipCells(one: MembershipToRetry, more: readonly OwnColumn[]) {
  const times = {
    action: one.action,
    joined_at: cellOf(one.joined_at),
    until: one.until === null ? '' : new Date(one.until).toISOString(),
  };
  return [one.region, one.guid, one.uid, one.scope, one.actor, ...more.map((column) => times[column])];
}

import { inChunks } from '../../text/chunks.ts';
import { csvLine } from '../../text/csv-line.ts';
import { originalCells, ownCells, ownColumnNames } from './report-columns.ts';
import type { ReportInput, ReportRow } from './report-row.ts';

/**
 * The report as CSV: a header, then one line per row in the order given; original columns first, then OWN_COLUMNS.
 * Yields chunks of some 64 KB; memory does not grow with the rows.
 *
 * - UTF-8 without a byte order mark, lines end in LF, the delimiter is the input's (so that the same spreadsheet opens
 *   it), a comma for JSON and NDJSON input. For these the original columns are the keys, nested values are JSON text.
 * - Original columns with our names keep them; ours are then numbered (`ownColumnNames`).
 * - Every cell is exactly as it was: in a spreadsheet, one that begins like a formula is one. `xlsx` is for spreadsheets.
 *
 * Throws an Error naming the row if its `original` is not what the input format promises.
 */
export function csvReport(input: ReportInput, rows: Iterable<ReportRow>): Generator<string> {
  return inChunks(csvLines(input, rows));
}

function* csvLines(input: ReportInput, rows: Iterable<ReportRow>): Generator<string> {
  const delimiter = csvDelimiter(input);
  yield csvLine(headerOf(input), delimiter);
  for (const row of rows) yield csvLine(cellsOf(input, row), delimiter);
}

/** The same cells, the header first, for a workbook. */
export function* reportCells(input: ReportInput, rows: Iterable<ReportRow>): Generator<string[]> {
  yield headerOf(input);
  for (const row of rows) yield cellsOf(input, row);
}

function headerOf(input: ReportInput): string[] {
  return [...input.columns, ...ownColumnNames(input.columns, input)];
}

function cellsOf(input: ReportInput, row: ReportRow): string[] {
  return [...originalCells(input, row), ...ownCells(row, input)];
}

/** Delimiter of a CSV report over this input. */
export function csvDelimiter(input: ReportInput): string {
  return input.inputFormat === 'csv' ? input.delimiter : ',';
}

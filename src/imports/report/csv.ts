import { inChunks } from '../../text/chunks.ts';
import { csvLine } from '../../text/csv-line.ts';
import { joinedCells, plainLineTest } from '../../text/plain-line.ts';
import { isoTime, ownColumnCount, ownColumnNames, ownValues } from './columns.ts';
import { originalCells } from './original.ts';
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
  const plain =
    input.inputFormat === 'csv' ? plainLineTest(delimiter, input.columns.length + ownColumnCount(input)) : undefined;
  for (const row of rows) {
    if (plain !== undefined) {
      const line = `${joinedCells(row.original, delimiter, input.columns.length) ?? '"'}${delimiter}${ownLine(row, delimiter, input.shaped === true)}`;
      if (plain.test(line)) {
        yield `${line}\n`;
        continue;
      }
    }
    yield csvLine(cellsOf(input, row), delimiter);
  }
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
  const own = Object.values(ownValues(row, input)).map((value) => (value === null ? '' : String(value)));
  return [...originalCells(input, row), ...own];
}

/** The values of OWN_COLUMNS, not quoted. */
function ownLine(row: ReportRow, d: string, shaped: boolean): string {
  const { line, status, code, message, region, guid, uid, scope, attempts } = row;
  const finishedAt = row.finishedAt === null ? '' : isoTime(row.finishedAt);
  const place = shaped ? `${line}${d}${row.value ?? ''}` : line;
  return `${place}${d}${status}${d}${code}${d}${message}${d}${region}${d}${guid}${d}${uid}${d}${scope}${d}${attempts}${d}${row.httpStatus ?? ''}${d}${row.batch ?? ''}${d}${finishedAt}${d}${row.created}${d}${row.messageId}${d}${row.members ?? ''}`;
}

/** Delimiter of a CSV report over this input. */
export function csvDelimiter(input: ReportInput): string {
  return input.inputFormat === 'csv' ? input.delimiter : ',';
}

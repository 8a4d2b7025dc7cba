import { inChunks } from '../../text/chunks.ts';
import { csvLine } from '../../text/csv-line.ts';
import { joinedCells, plainLineTest } from '../../text/plain-line.ts';
import { harmless } from '../../text/spreadsheet.ts';
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
 * - Every cell and column name that a spreadsheet would run as a formula is made text by an apostrophe (`harmless`).
 *   The NDJSON and JSON reports give the cells exactly.
 *
 * Throws an Error naming the row if its `original` is not what the input format promises.
 */
export function csvReport(input: ReportInput, rows: Iterable<ReportRow>): Generator<string> {
  return inChunks(csvLines(input, rows));
}

function* csvLines(input: ReportInput, rows: Iterable<ReportRow>): Generator<string> {
  const delimiter = csvDelimiter(input);
  yield csvLine([...input.columns, ...ownColumnNames(input.columns, input)].map(harmless), delimiter);
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
    const cells = originalCells(input, row);
    for (const value of Object.values(ownValues(row, input))) cells.push(value === null ? '' : String(value));
    yield csvLine(cells.map(harmless), delimiter);
  }
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

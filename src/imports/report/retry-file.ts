import { RETRYABLE } from '../../membership/outcome.ts';
import { inChunks } from '../../text/chunks.ts';
import { csvLine } from '../../text/csv-line.ts';
import type { ReportInput, ReportRow } from './report-row.ts';
import { originalCells, originalOnOneLine } from './report-table.ts';

/**
 * The rows that another import may fix (RETRYABLE: failed, unconfirmed, unprocessed), in the original columns only, so
 * that the file imports as it is with the options of the first import. Other rows are left out.
 * CSV input gives CSV with the same delimiter (UTF-8, no byte order mark, LF); JSON and NDJSON input give NDJSON of the
 * elements, exactly as they were. Yields chunks of some 64 KB; memory does not grow with the rows.
 *
 * Every cell is exactly what it was, also where it begins like a formula: the file is there to be imported again, and what
 * people correct in a spreadsheet is the report.
 *
 * Throws an Error naming the row if its `original` is not what the input format promises.
 */
export function retryReport(input: ReportInput, rows: Iterable<ReportRow>): Generator<string> {
  return inChunks(input.inputFormat === 'csv' ? csvLines(input, rows) : elementLines(rows));
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
}

/**
 * The same for a shaped input, where a row may have succeeded in part: its memberships, one on a line, in columns that
 * need no shape. `_row` says which row of the input each is from; imports ignore it. Yields chunks of some 64 KB.
 */
export function shapedRetry(memberships: Iterable<MembershipToRetry>, withActions: boolean): Generator<string> {
  return inChunks(membershipLines(memberships, withActions, { columns: ['_row'], of: (line) => [String(line)] }));
}

/** Memberships, one on a line. @param notes columns about the row that a membership is from, which imports ignore */
export function* membershipLines(
  memberships: Iterable<MembershipToRetry>,
  withActions: boolean,
  notes: { readonly columns: readonly string[]; of(line: number): readonly string[] },
): Generator<string> {
  const own = ['region', 'guid', 'uid', 'scope', 'on_behalf_of', ...(withActions ? ['action'] : [])];
  yield csvLine([...own, ...notes.columns], ',');
  for (const { line, region, guid, uid, scope, actor, action } of memberships) {
    const cells = [region, guid, uid, scope, actor, ...(withActions ? [action] : []), ...notes.of(line)];
    yield csvLine(cells, ',');
  }
}

function* csvLines(input: ReportInput, rows: Iterable<ReportRow>): Generator<string> {
  yield csvLine(input.columns, input.delimiter);
  for (const row of rows) {
    if (RETRYABLE.has(row.status)) yield csvLine(originalCells(input, row), input.delimiter);
  }
}

function* elementLines(rows: Iterable<ReportRow>): Generator<string> {
  for (const row of rows) {
    if (RETRYABLE.has(row.status)) yield `${originalOnOneLine(row)}\n`;
  }
}

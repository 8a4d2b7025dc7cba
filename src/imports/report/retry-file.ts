import { RETRYABLE } from '../../membership/outcome.ts';
import { writeTable } from '../../platform/table.ts';
import { inChunks } from '../../text/chunks.ts';
import { originalCells, originalOnOneLine, type ReportInput, type ReportRow } from './report-table.ts';

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
 * need no shape. `_row` says which row of the input each is from; imports ignore it. Yields chunks of some 64 KB.
 */
export function shapedRetry(memberships: Iterable<MembershipToRetry>, more: readonly OwnColumn[]): Generator<string> {
  return membershipFile(memberships, more, { columns: ['_row'], of: (line) => [line] });
}

function asTime(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString();
}

/** Memberships, one on a line. @param notes columns about the row that a membership is from, which imports ignore */
export function membershipFile(
  memberships: Iterable<MembershipToRetry>,
  more: readonly OwnColumn[],
  notes: { readonly columns: readonly string[]; of(line: number): readonly unknown[] },
): Generator<string> {
  const own = ['region', 'guid', 'uid', 'scope', 'on_behalf_of', ...more];
  const cells = Iterator.from(memberships).map((one) => [
    ...[one.region, one.guid, one.uid, one.scope, one.actor],
    ...more.map((column) => (column === 'until' ? asTime(one.until) : (one[column] ?? ''))),
    ...notes.of(one.line),
  ]);
  return writeTable([...own, ...notes.columns], cells, 'csv', { exact: true });
}

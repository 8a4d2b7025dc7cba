import type { ImportSummary } from '../../api/import-summary.ts';
import { ROW_COUNTS, type RowCounts } from '../../membership/outcome.ts';
import { OUTCOME_LABELS, outcomesShown, sumEquation } from '../../membership/outcome-words.ts';
import { counted, duration, grouped, printable, sumOf, unbroken } from '../../text/wording.ts';

/** The table of an import: outcomes down, regions across, and a total where there is more than one column to add up. */
export function summaryTable(summary: ImportSummary) {
  const parts = regionColumns(summary);
  const columns = parts.length === 1 ? parts : [...parts, { head: 'total', rows: summary.rows, calls: summary.calls }];
  const ofRows = (key: keyof RowCounts, label: string) => ({
    key,
    label,
    cells: columns.map(({ rows }) => shownCount(rows[key])),
  });
  return {
    heads: columns.map(({ head }) => head),
    outcomes: outcomesShown(summary.rows).map((outcome) => ofRows(outcome, OUTCOME_LABELS[outcome])),
    sums: [
      ofRows('read', hasManyMemberships(summary) ? 'in all' : 'rows read'),
      { key: 'calls', label: 'calls', cells: columns.map(({ calls }) => shownCount(calls)) },
    ] as const,
  };
}

/** A column for each region, and one for rows that belong to none: their region could not be read. */
function regionColumns(summary: ImportSummary) {
  const columns = Object.entries(summary.regions).map(([region, { rows, calls }]) => ({
    head: printable(region),
    rows,
    calls,
  }));
  const rows = rowsWithoutRegion(summary);
  return rows.read > 0 ? [...columns, { head: 'no region', rows, calls: 0 }] : columns;
}

/** A number in a table, where most are zero. */
function shownCount(value: number) {
  return value === 0 ? '·' : grouped(value);
}

function rowsWithoutRegion(summary: ImportSummary) {
  const regions = Object.values(summary.regions);
  const rest = (key: keyof RowCounts) => Math.max(0, summary.rows[key] - sumOf(regions.map(({ rows }) => rows[key])));
  return Object.fromEntries(ROW_COUNTS.map((key) => [key, rest(key)])) as RowCounts;
}

/** Whether rows of the file have become another number of memberships: then both are shown. */
export function hasManyMemberships({ inputRows, rows }: Pick<ImportSummary, 'inputRows' | 'rows'>) {
  return inputRows !== undefined && inputRows !== rows.read;
}

/** The sum of its rows as an equation. @param pending rows without an outcome yet */
export function equationOf(summary: ImportSummary, pending: number) {
  return sumEquation(summary.rows, pending, hasManyMemberships(summary) ? summary.inputRows : undefined);
}

/** Returns the duration in ms; undefined if it has not finished, or the machine's clock was set back meanwhile. */
function tookMs({ startedAt, finishedAt }: Pick<ImportSummary, 'startedAt' | 'finishedAt'>) {
  if (startedAt === null || finishedAt === null) return undefined;
  const ms = Date.parse(finishedAt) - Date.parse(startedAt);
  return ms < 0 ? undefined : ms;
}

/** "813 calls a minute", "334 rows a second"; empty where it took less than a second, or has not finished. */
function ratesOf({ rows, calls }: ImportSummary, ms = 0) {
  // Below a second a rate says more about the clock than about the service.
  if (ms < 1000) return [];
  const sent = rows.read - rows.invalid - rows.duplicate - rows.skipped - rows.unprocessed;
  return [
    `${counted(Math.round((calls / ms) * 60_000), 'call')} a minute`,
    sent >= ms / 1000
      ? `${counted(Math.round((sent / ms) * 1000), 'row')} a second`
      : `${counted(Math.round((sent / ms) * 60_000), 'row')} a minute`,
  ];
}

/** "168 calls in 12.4 s, 813 calls a minute, 334 rows a second, 3 retries, 1 rate-limited". */
export function pace(summary: ImportSummary) {
  const { calls, retries, regions, banQuestions = 0 } = summary;
  const asked = banQuestions === 0 ? '' : `and ${counted(banQuestions, 'question')} who is banned`;
  if (calls === 0) return asked === '' ? 'No calls.' : `No calls, ${asked}.`;
  const ms = tookMs(summary);
  const rateLimited = sumOf(Object.values(regions).map((region) => region.rateLimited));
  const notes = [
    `${counted(calls, 'call')}${ms === undefined ? '' : ` in ${duration(ms)}`}`,
    ...ratesOf(summary, ms),
    retries === 0 ? '' : retries === 1 ? '1 retry' : `${grouped(retries)} retries`,
    rateLimited === 0 ? '' : `${grouped(rateLimited)} rate-limited`,
    asked,
  ];
  return notes
    .filter((note) => note !== '')
    .map(unbroken)
    .join(', ');
}

import type { ImportSummary } from '../../api/import-summary.ts';
import { OUTCOMES, type RowCounts } from '../../membership/outcome.ts';
import { counted, grouped, printable } from '../../text/wording.ts';

/** Numbers of a region in the summary. */
export interface RegionColumn {
  readonly head: string;
  readonly rows: RowCounts;
  readonly calls: number | null;
}

/** A column for each region, and one for rows that belong to none: their region could not be read. */
export function regionColumns(summary: ImportSummary): RegionColumn[] {
  const columns: RegionColumn[] = Object.entries(summary.regions).map(([region, { rows, calls }]) => ({
    head: printable(region),
    rows,
    calls,
  }));
  const rows = rowsWithoutRegion(summary);
  if (rows.read > 0) columns.push({ head: 'no region', rows, calls: null });
  return columns;
}

/** A number in a table, where most are zero. */
export function shownCount(value: number | null): string {
  return value === null || value === 0 ? '·' : grouped(value);
}

function rowsWithoutRegion(summary: ImportSummary): RowCounts {
  const regions = Object.values(summary.regions);
  const rest = (key: keyof RowCounts) =>
    Math.max(0, summary.rows[key] - regions.reduce((sum, region) => sum + region.rows[key], 0));
  return Object.fromEntries((['read', ...OUTCOMES] as const).map((key) => [key, rest(key)])) as RowCounts;
}

/** Whether rows of the file have become another number of memberships: then both are shown. */
export function hasManyMemberships({ inputRows, rows }: Pick<ImportSummary, 'inputRows' | 'rows'>): boolean {
  return inputRows !== undefined && inputRows !== rows.read;
}

/** Calls of all regions that were answered with 429. */
export function rateLimitedCalls(summary: ImportSummary): number {
  return Object.values(summary.regions).reduce((sum, region) => sum + region.rateLimited, 0);
}

/** Returns the duration in ms; undefined if it has not finished, or the machine's clock was set back meanwhile. */
export function tookMs({ startedAt, finishedAt }: Pick<ImportSummary, 'startedAt' | 'finishedAt'>): number | undefined {
  if (startedAt === null || finishedAt === null) return undefined;
  const ms = Date.parse(finishedAt) - Date.parse(startedAt);
  return ms < 0 ? undefined : ms;
}

/** "813 calls a minute", "334 rows a second"; empty where it took less than a second, or has not finished. */
export function ratesOf(summary: ImportSummary): string[] {
  const { rows, calls } = summary;
  const ms = tookMs(summary) ?? 0;
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

/** "1 group and 2 users created; 3 users made active again" */
export function createdText({ users, groups, reactivated }: NonNullable<ImportSummary['created']>): string {
  const made = [...(groups > 0 ? [counted(groups, 'group')] : []), ...(users > 0 ? [counted(users, 'user')] : [])];
  const parts = [
    ...(made.length > 0 ? [`${made.join(' and ')} created`] : []),
    ...(reactivated > 0 ? [`${counted(reactivated, 'user')} made active again`] : []),
  ];
  return parts.join('; ');
}

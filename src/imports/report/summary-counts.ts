import type { ImportSummary } from '../../api/import-summary.ts';
import { OUTCOMES, type RowCounts } from '../../membership/outcome.ts';

/** Rows that belong to no region, because theirs could not be read: what the regions leave of the whole. */
export function rowsWithoutRegion(summary: ImportSummary): RowCounts {
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

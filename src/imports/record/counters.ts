import type { Region } from '../../membership/membership.ts';
import { ROW_COUNTS, type RowCounts, sumOfOutcomes } from '../../membership/outcome.ts';
import type { Statements } from '../../platform/sqlite.ts';
import { sumOf } from '../../text/wording.ts';

/** Running totals of a region by name (import-schema.sql). */
type Counts = Readonly<Record<string, number>>;

/** Running totals of an import. `''` holds those of rows whose region is not known. */
export type Counters = ReadonlyMap<Region | '', Counts>;

/** Counts from the rows themselves, and how the counters differ; `difference` is empty when they agree. */
export interface SumCheck {
  readonly holds: boolean;
  readonly rows: RowCounts;
  readonly difference: string;
}

export function readCounters(sql: Statements): Counters {
  const counters = new Map<Region | '', Record<string, number>>();
  for (const { region, name, n } of sql<{ region: Region | ''; name: string; n: number }>('counters').all()) {
    const counts = counters.get(region) ?? {};
    counters.set(region, counts);
    counts[name] = n;
  }
  return counters;
}

export function totalOf(regions: Iterable<Counts>, name: string): number {
  return sumOf(Iterator.from(regions).map((counts) => counts[name] ?? 0));
}

/** Rows of some regions; those without an outcome are `unprocessed`. */
export function rowsOf(regions: Iterable<Counts>): RowCounts {
  const all = [...regions];
  const counted = ROW_COUNTS.map((name) => [name, name === 'unprocessed' ? 0 : totalOf(all, name)]);
  const rows = Object.fromEntries(counted) as RowCounts;
  return { ...rows, unprocessed: rows.read - sumOfOutcomes(rows) };
}

export function totalRows(counters: Counters): RowCounts {
  return rowsOf(counters.values());
}

/** Counts outcomes from the rows and compares them with the counters, by the statements of import.sql. */
export function checkCounters(sql: Statements): SumCheck {
  const recounted = sql<{ name: string; n: number }>('recount').all();
  const counted = new Map(recounted.map(({ name, n }) => [name, n]));
  const rows = Object.fromEntries(ROW_COUNTS.map((name) => [name, counted.get(name) ?? 0])) as RowCounts;
  const kept = totalRows(readCounters(sql));
  const difference = [
    ...ROW_COUNTS.filter((name) => kept[name] !== rows[name]).map(
      (name) => `${name}: ${kept[name]} counted, ${rows[name]} in the rows`,
    ),
    ...(sumOfOutcomes(rows) === rows.read ? [] : [`${sumOfOutcomes(rows)} outcomes for ${rows.read} rows`]),
    ...lostRows(sql),
  ].join('; ');
  return { holds: difference === '', rows, difference };
}

/** Compares the rows of the input and their memberships with what the reader counted. */
function lostRows(sql: Statements): string[] {
  const counts = sql('rows_and_memberships').get();
  if (counts === undefined || counts['rows_read'] === null) return [];
  const { rows_read: read, entries, rows_kept: kept, read_kept: readKept, gaps } = counts;
  return [
    ...(entries === kept ? [] : [`${entries} memberships and empty rows were read, ${kept} are kept`]),
    ...(read === readKept ? [] : [`${read} rows of the input were read, ${readKept} are kept`]),
    ...(gaps === 0 ? [] : [`${gaps} rows of the input lack one of their memberships`]),
  ];
}

import type { DatabaseSync } from 'node:sqlite';
import type { RowSort } from '../../api/rows.ts';
import { OUTCOMES } from '../../membership/outcome.ts';
import type { RowFilter } from '../../options/row-filter.ts';
import { LedgerError } from '../../platform/sqlite.ts';
import { checkOfRows } from '../predictions/row-check.ts';
import { type Counters, totalRows } from '../record/counters.ts';
import { rowReader } from './chosen-rows.ts';
import { type FoundRows, foundRows } from './found-rows.ts';
import type { ReportRow } from './report-table.ts';

/**
 * The start of a page: behind this row. `key`: the value by which the row is sorted, as it was then; for the order of
 * the input, its number.
 */
export interface RowPlace {
  readonly row: number;
  readonly key: string | number;
}

export interface RowOrder {
  readonly by: RowSort;
  readonly descending: boolean;
}

export const ORDER_OF_INPUT: RowOrder = { by: 'row', descending: false };

export interface RowsPage {
  readonly rows: (ReportRow & { readonly check?: string })[];
  /** The place of each row, for a page that begins behind it. */
  readonly places: RowPlace[];
  /** Whether further rows pass the filter. */
  readonly more: boolean;
}

/** Characters of input that the rows of one page may have in total: a bound on memory and time. */
const MAX_OF_A_PAGE = 4 * 1024 * 1024;

/**
 * The first `limit` rows behind a place that pass the filter, sorted; fewer where they are very long, but one at least.
 * Rows that are equal in what they are sorted by come in the order of the input, or backwards like all others.
 */
export function searchRows(
  database: DatabaseSync,
  filter: RowFilter,
  limit: number,
  order: RowOrder = ORDER_OF_INPUT,
  after?: RowPlace,
): RowsPage {
  // One more than asked for tells whether there is a next page.
  const found = placesOf(database, foundRows(database, filter, order.by), order, after, limit + 1);
  const readRow = rowReader(database, 'r.id = :row');
  const rows: ReportRow[] = [];
  let length = 0;
  for (const { row: id } of found.slice(0, limit)) {
    const [row] = readRow({ row: id }).toArray();
    if (row === undefined) throw LedgerError.contradiction(`row ${id} was found and is not there`);
    length += row.original.length + row.message.length;
    if (rows.length > 0 && length > MAX_OF_A_PAGE) break;
    rows.push(row);
  }
  const checked = checkOfRows(
    database,
    rows.map(({ row }) => row),
  );
  const withCheck = rows.map((row) => {
    const check = checked.get(row.row);
    return check === undefined ? row : { ...row, check };
  });
  return { rows: withCheck, places: found.slice(0, rows.length), more: found.length > rows.length };
}

function placesOf(
  database: DatabaseSync,
  { sql, values }: FoundRows,
  { by, descending }: RowOrder,
  after: RowPlace | undefined,
  limit: number,
) {
  const direction = descending ? 'desc' : 'asc';
  const beyond = descending ? '<' : '>';
  const behind =
    after === undefined ? '' : by === 'row' ? ` where id ${beyond} :row` : ` where (key, id) ${beyond} (:key, :row)`;
  const sorted = by === 'row' ? `id ${direction}` : `key ${direction}, id ${direction}`;
  return database.prepare(`select id as row, key from (${sql})${behind} order by ${sorted} limit :limit`).all({
    ...values,
    ...(after !== undefined && (by === 'row' ? { row: after.row } : { row: after.row, key: after.key })),
    limit,
  }) as unknown as RowPlace[];
}

/** Counts the rows that pass the filter. */
export function countRows(database: DatabaseSync, filter: RowFilter, counters: () => Counters): number {
  const { status, region, ...others } = filter;
  if (Object.values(others).every((value) => value === undefined)) {
    const known = counters();
    const counts = region === undefined ? totalRows(known) : known.get(region)?.rows;
    return OUTCOMES.reduce((sum, name) => sum + (status?.includes(name) === false ? 0 : (counts?.[name] ?? 0)), 0);
  }
  const { sql, values } = foundRows(database, filter);
  return Number(database.prepare(`select count(*) as n from (${sql})`).get(values)?.['n']);
}

/** The place behind which a page begins, as text. In the order of the input it is the row's number alone. */
export function cursorText({ row, key }: RowPlace, { by, descending }: RowOrder): string {
  if (by === 'row') return String(row);
  return Buffer.from(JSON.stringify([by, descending, row, key])).toString('base64url');
}

/** Undefined for a text that is not a cursor of this order. */
export function readCursor(text: string, { by, descending }: RowOrder): RowPlace | undefined {
  if (by === 'row') return /^\d{1,15}$/.test(text) ? { row: Number(text), key: Number(text) } : undefined;
  try {
    const [itsBy, itsDescending, row, key]: unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isOurs = itsBy === by && itsDescending === descending && Number.isSafeInteger(row);
    return isOurs && (typeof key === 'string' || typeof key === 'number') ? { row: Number(row), key } : undefined;
  } catch {
    return undefined;
  }
}

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { RowSort } from '../../api/rows.ts';
import { OUTCOMES, RETRYABLE } from '../../membership/outcome.ts';
import type { LineRange, RowFilter } from '../../options/row-filter.ts';
import { ledgerContradiction } from '../../platform/database-errors.ts';
import { checkOfRows, rowsOfCheck } from '../predictions/row-check.ts';
import { type Counters, totalRows } from '../record/counters.ts';
import { hashUid, outcomeId, regionId } from '../record/enum-ids.ts';
import { CODE_OF_ROW, OUTCOME_OF_ROW, rowReader, sentWith, statementText } from './chosen-rows.ts';
import type { ReportRow } from './report-table.ts';
import { textSearch } from './text-search.ts';

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
  readonly rows: (ReportRow & { readonly check: string | undefined })[];
  /** The place of each row, for a page that begins behind it. */
  readonly places: RowPlace[];
  /** Whether further rows pass the filter. */
  readonly more: boolean;
}

/** Characters of a page of rows, and of input in it, at most: a bound on memory and time. */
export const MAX_OF_A_PAGE = 4 * 1024 * 1024;

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
    if (row === undefined) throw ledgerContradiction(`row ${id} was found and is not there`);
    length += row.original.length + row.message.length;
    if (rows.length > 0 && length > MAX_OF_A_PAGE) break;
    rows.push(row);
  }
  const checked = checkOfRows(
    database,
    rows.map(({ row }) => row),
  );
  const withCheck = rows.map((row) => ({ ...row, check: checked.get(row.row) }));
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

/** The same rows, as far as they may be sent again. */
export function retryable(filter: RowFilter): RowFilter {
  return { ...filter, status: [...RETRYABLE].filter((outcome) => filter.status?.includes(outcome) ?? true) };
}

/** A statement that finds rows, with values for the names in it. */
interface FoundRows {
  /** `select id, key`, without an order. */
  readonly sql: string;
  readonly values: Readonly<Record<string, SQLInputValue>>;
}

/** The sort keys of rows, in `found_by_row`. */
const KEYS: Readonly<Record<RowSort, string>> = {
  row: 'r.id',
  uid: "lower(coalesce(r.uid, ''))",
  guid: "lower(coalesce(g.guid, i.guid, ''))",
  outcome: OUTCOME_OF_ROW,
  code: CODE_OF_ROW,
  finished: 'coalesce(b.finished_at, 0)',
};

/** The same in `found_by_outcome`. */
const KEYS_BY_OUTCOME: Readonly<Record<RowSort, string>> = {
  ...KEYS,
  row: 'x.id',
  outcome: `coalesce(x.outcome, ${outcomeId('unprocessed')})`,
  code: "coalesce(x.code, '')",
  finished: 'coalesce(x.finished, 0)',
};

const BY_OUTCOME: ReadonlySet<RowSort> = new Set(['outcome', 'code', 'finished']);

/** The rows that pass the filter, with what they are sorted by. */
export function foundRows(database: DatabaseSync, filter: RowFilter, sort: RowSort = 'row'): FoundRows {
  const { status, code, problemColumn, check, region, guid, uid, text, line } = filter;
  const values: Record<string, SQLInputValue> = {};
  const ofRow: string[] = [];
  const ofBatch: string[] = [];
  if (region !== undefined) {
    values['region'] = regionId(region);
    ofRow.push('r.region_id = :region');
    ofBatch.push('b.region_id = :region');
  }
  if (guid !== undefined) {
    values['guid'] = guid;
    const groups = 'select id from groups where guid = :guid collate nocase';
    ofRow.push(
      `(r.group_id in (${groups}) or r.id in (select row_id from invalid_rows where guid = :guid collate nocase))`,
    );
    ofBatch.push(`b.call_group_id in (select id from call_groups where group_id in (${groups} or guid = ''))`);
  }
  if (code !== undefined) values['code'] = code;
  const isNarrow = [check, problemColumn, uid, text, line].some((one) => one !== undefined);
  if (!isNarrow && (status !== undefined || code !== undefined || BY_OUTCOME.has(sort))) {
    return { sql: byOutcome(filter, sort, ofRow, ofBatch), values };
  }
  if (uid !== undefined) {
    Object.assign(values, { uid, hash: hashUid(uid) });
    ofRow.push('r.uid_hash = :hash', 'r.uid = :uid collate nocase');
  }
  if (problemColumn !== undefined) {
    values['column'] = problemColumn;
    ofRow.push('p.column_name = :column');
  }
  if (check !== undefined) {
    values['checked'] = JSON.stringify(rowsOfCheck(database, check));
    ofRow.push('r.id in (select value from json_each(:checked))');
  }
  if (line !== undefined) {
    Object.assign(values, rowsBetween(database, line));
    ofRow.push('r.id between :first and :last');
  }
  if (text !== undefined) {
    const search = textSearch(database, text);
    Object.assign(values, search.values);
    ofRow.push(search.sql);
  }
  if (status !== undefined) ofRow.push(`${KEYS.outcome} in (${status.map(outcomeId).join(', ')})`);
  if (code !== undefined) ofRow.push(`${KEYS.code} = :code`);
  const sql = statementText('found_by_row')
    .replace('/* key */ r.id', () => KEYS[sort])
    .replace('/* wanted */ true', () => all(...ofRow));
  return { sql, values };
}

/** Rare outcomes are found soon in the tables that hold them. */
function byOutcome(
  { status = [...OUTCOMES], code }: RowFilter,
  sort: RowSort,
  ofRow: readonly string[],
  ofBatch: readonly string[],
) {
  const coded = (column: string) => (code === undefined ? [] : [`${column} = :code`]);
  let sql = statementText('found_by_outcome')
    .replace('/* key */ x.id', () => KEYS_BY_OUTCOME[sort])
    .replace('/* sent */ true', () => all(sentWith(status), ...ofBatch, ...coded("coalesce(m.code, '')")));
  const others = [
    ['invalid', 'p.code'],
    ['duplicate', "'DUPLICATE'"],
    ['skipped', 'k.code'],
  ] as const;
  for (const [outcome, column] of others) {
    sql = sql
      .replace(`/* ${outcome} */ null`, String(outcomeId(outcome)))
      .replace(`/* of_${outcome} */ true`, () => all(String(status.includes(outcome)), ...ofRow, ...coded(column)));
  }
  return sql;
}

/** Numbers of the first and the last row of these lines; the last is before the first where there is none. */
function rowsBetween(database: DatabaseSync, { from, to }: LineRange) {
  const lineAt = database.prepare(statementText('line_at'));
  const last = Number(database.prepare(statementText('last_row')).get()?.['id'] ?? 0);
  /** The first row whose line is this or a later one. */
  const firstFrom = (line: number): number => {
    let low = 1;
    let high = last + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (Number(lineAt.get({ row: middle })?.['line']) < line) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return { first: firstFrom(from), last: firstFrom(to + 1) - 1 };
}

function all(...conditions: readonly string[]) {
  return conditions.length === 0 ? 'true' : conditions.join(' and ');
}

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { RowSort } from '../../api/rows.ts';
import { OUTCOMES, RETRYABLE, sumOfOutcomes } from '../../membership/outcome.ts';
import type { LineRange, RowFilter } from '../../options/row-filter.ts';
import { ledgerContradiction } from '../../platform/database-errors.ts';
import type { Statements } from '../../platform/sqlite.ts';
import { checkOfRows, rowsOfCheck } from '../predictions/row-check.ts';
import { type Counters, rowsOf } from '../record/counters.ts';
import { hashUid, outcomeId, regionId } from '../record/enum-ids.ts';
import { CODE_OF_ROW, OUTCOME_OF_ROW, rowReader, sentWith, statementText, type Values } from './chosen-rows.ts';
import type { ReportRow } from './report-table.ts';

/** The start of a page: behind this row. `key`: the value by which the row was sorted; for the order of the input, its number. */
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

/** Characters of a page of rows, and of input in it, at most. */
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

export function countRows(database: DatabaseSync, filter: RowFilter, counters: () => Counters) {
  const { status, region, ...others } = filter;
  if (Object.values(others).every((value) => value === undefined)) {
    const known = counters();
    const regions = region === undefined ? known.values() : [known.get(region) ?? {}];
    return sumOfOutcomes(rowsOf(regions), status && new Set(status));
  }
  const { sql, values } = foundRows(database, filter);
  return Number(database.prepare(`select count(*) as n from (${sql})`).get(values)?.['n']);
}

/** The same rows, as far as they may be sent again. */
export function retryable(filter: RowFilter) {
  return { ...filter, status: [...RETRYABLE].filter((outcome) => filter.status?.includes(outcome) ?? true) };
}

/** A statement that finds rows, with values for the names in it. */
interface FoundRows {
  /** `select id, key`, without an order. */
  readonly sql: string;
  readonly values: Values;
}

/** All that a search may look at. SQLite leaves out a table that nothing refers to. */
const ROWS = `rows r
  left join parts t on t.row_id = r.id
  left join rows f on f.id = t.first_row
  left join problems p on p.row_id = r.id and p.position = 0
  left join duplicates d on d.row_id = r.id
  left join skipped k on k.row_id = r.id
  left join memberships m on m.row_id = r.id
  left join batches b on b.id = m.batch_id
  left join groups g on g.id = r.group_id
  left join invalid_rows i on i.row_id = r.id`;

/** The sort keys of rows. */
const KEYS: Readonly<Record<RowSort, string>> = {
  row: 'r.id',
  uid: "lower(coalesce(r.uid, ''))",
  guid: "lower(coalesce(g.guid, i.guid, ''))",
  outcome: OUTCOME_OF_ROW,
  code: CODE_OF_ROW,
  finished: 'coalesce(b.finished_at, 0)',
};

/** The same where rows `x` are found by their outcome. */
const KEYS_BY_OUTCOME: Readonly<Record<RowSort, string>> = {
  ...KEYS,
  row: 'x.id',
  outcome: `coalesce(x.outcome, ${outcomeId('unprocessed')})`,
  code: "coalesce(x.code, '')",
  finished: 'coalesce(x.finished, 0)',
};

const BY_OUTCOME: ReadonlySet<RowSort> = new Set(['outcome', 'code', 'finished']);

/** The rows that pass the filter, with what they are sorted by. */
export function foundRows(database: DatabaseSync, filter: RowFilter, sort: RowSort = 'row') {
  const { status, code, problemColumn, check, region, guid, uid, text, line } = filter;
  const values: Record<string, SQLInputValue> = {};
  const ofRow: string[] = [];
  const ofBatch: string[] = [];
  const require = (condition: string, given: Values) => {
    ofRow.push(condition);
    Object.assign(values, given);
  };
  if (region !== undefined) {
    require('r.region_id = :region', { region: regionId(region) });
    ofBatch.push('b.region_id = :region');
  }
  if (guid !== undefined) {
    const groups = 'select id from groups where guid = :guid collate nocase';
    const invalid = 'select row_id from invalid_rows where guid = :guid collate nocase';
    require(`(r.group_id in (${groups}) or r.id in (${invalid}))`, { guid });
    ofBatch.push(`b.call_group_id in (select id from call_groups where group_id in (${groups} or guid = ''))`);
  }
  if (code !== undefined) values['code'] = code;
  const isNarrow = [check, problemColumn, uid, text, line].some((one) => one !== undefined);
  if (!isNarrow && (status !== undefined || code !== undefined || BY_OUTCOME.has(sort))) {
    return { sql: byOutcome(filter, sort, ofRow, ofBatch), values };
  }
  if (uid !== undefined) require('r.uid_hash = :hash and r.uid = :uid collate nocase', { uid, hash: hashUid(uid) });
  if (problemColumn !== undefined) require('p.column_name = :column', { column: problemColumn });
  if (check !== undefined) {
    const checked = JSON.stringify(rowsOfCheck(database, check));
    require('r.id in (select value from json_each(:checked))', { checked });
  }
  if (line !== undefined) require('r.id between :first and :last', rowsBetween(database, line));
  if (text !== undefined) {
    const search = textSearch(database, text);
    require(search.sql, search.values);
  }
  if (status !== undefined) ofRow.push(`${KEYS.outcome} in (${status.map(outcomeId).join(', ')})`);
  if (code !== undefined) ofRow.push(`${KEYS.code} = :code`);
  return { sql: `select r.id as id, ${KEYS[sort]} as key from ${ROWS} where ${all(...ofRow)}`, values };
}

/** The tables of rows that are in no batch: their outcome, and their code in it. */
const UNSENT = [
  ['invalid', 'problems', 'u.code', 'u.position = 0'],
  ['duplicate', 'duplicates', "'DUPLICATE'", 'true'],
  ['skipped', 'skipped', 'u.code', 'true'],
] as const;

/**
 * Rare outcomes are found soon in the tables that hold them. Outcomes are stored by batch: looking up one row after the other
 * takes twenty times as long.
 */
function byOutcome(
  { status = [...OUTCOMES], code }: RowFilter,
  sort: RowSort,
  ofRow: readonly string[],
  ofBatch: readonly string[],
) {
  const coded = (column: string) => (code === undefined ? [] : [`${column} = :code`]);
  const sent = `select m.row_id as id, m.outcome_id as outcome, m.code, b.finished_at as finished
    from memberships m join batches b on b.id = m.batch_id
   where ${all(sentWith(status), ...ofBatch, ...coded("coalesce(m.code, '')"))}`;
  const unsent = UNSENT.filter(([outcome]) => status.includes(outcome)).map(
    ([outcome, table, column, first]) => `select u.row_id, ${outcomeId(outcome)}, ${column}, null
      from ${table} u join rows r on r.id = u.row_id where ${all(first, ...ofRow, ...coded(column))}`,
  );
  return `select x.id as id, ${KEYS_BY_OUTCOME[sort]} as key from (${[sent, ...unsent].join(' union all ')}) x
    left join rows r on r.id = x.id left join groups g on g.id = r.group_id left join invalid_rows i on i.row_id = x.id`;
}

/** Numbers of the first and the last row of these lines; the last is before the first where there is none. */
function rowsBetween(database: DatabaseSync, { from, to }: LineRange) {
  const lineAt = database.prepare(statementText('line_at'));
  const last = Number(database.prepare(statementText('last_row')).get()?.['id'] ?? 0);
  /** The first row whose line is this or a later one. */
  const firstFrom = (line: number) => {
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

/** Looks for a text in the values of rows, which SQLite alone cannot: `lower` knows ASCII only, and rows are JSON. */

/** Rows that SQLite reads in some 5 ms. */
const ROWS_BETWEEN_CALLS = 10_000;

const enabled = new WeakSet<DatabaseSync>();

/** Returns the condition of a text search in `ROWS`: SQL that is true for the rows `r` that have it, with its values. */
export function textSearch(database: DatabaseSync, text: string) {
  if (!enabled.has(database)) {
    enabled.add(database);
    database.function('has_text', { deterministic: true }, (original: unknown, wanted: unknown) =>
      hasText(String(original), String(wanted)) ? 1 : 0,
    );
  }
  const original = 'coalesce(f.original, r.original)';
  const call = `has_text(${original}, :text)`;
  const isFast = ASCII.test(text);
  const sql = `(${isFast ? fewCalls(original, call, text) : call} or instr(lower(coalesce(r.uid, '')), :text)
    or r.group_id in (select id from groups where instr(lower(guid), :text))
    or r.id in (select row_id from invalid_rows where instr(lower(guid), :text)))`;
  const lower = text.toLowerCase();
  return { sql, values: { text: lower, ...(isFast && { like: containing(lower) }) } };
}

/** A pattern of `like … escape '!'` that has this text in it. */
function containing(text: string) {
  return `%${text.replace(/[!%_]/g, '!$&')}%`;
}

/**
 * The same with few calls, each of which takes as long as ten rows without one. A row needs a call where it has a backslash,
 * which may encode any character, or keys beside its values. And a terminated thread ends its search only in a call, so
 * there is one now and then.
 */
function fewCalls(original: string, call: string, text: string) {
  const encoded = `instr(${original}, char(92))`;
  const ofTurn = `r.id % ${ROWS_BETWEEN_CALLS} = 0`;
  const isCells = /[[\],]/.test(text) ? 'false' : `substr(${original}, 1, 2) = '["'`;
  return `((${ofTurn} or ${original} like :like escape '!' or ${encoded})
    and (${isCells} and not (${ofTurn} or ${encoded}) or ${call}))`;
}

/** Characters that JSON never escapes, in either case. */
const ASCII = /^[ !#-[\]-~]*$/;

/** Whether one of the values in this JSON text has `text` (lower case) in it. */
export function hasText(original: string, text: string) {
  // Most rows have it nowhere, and need not be parsed. A backslash may encode any character.
  if (!original.toLowerCase().includes(text) && !original.includes('\\')) return false;
  return valueHas(JSON.parse(original), text);
}

function valueHas(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  if (typeof value === 'object' && value !== null) return Object.values(value).some((one) => valueHas(one, text));
  return value !== null && String(value).includes(text);
}

/** Between two steps a thread can be ended. SQLite reads so many rows in some 10 ms. */
const ROWS_OF_A_STEP = 50_000;

/**
 * The first `limit` users behind a row whose UID has `text` in it, in any case. Users who have a matching row before that
 * were found earlier, and are left out. @param sql statements of reading.sql
 * @returns the users in the order of their first rows, the row behind which further ones are, and how many rows were looked at
 */
export function searchUids(sql: Statements, text: string, limit: number, after: number) {
  const last = Number(sql('last_row').get()?.['id'] ?? 0);
  const like = containing(text);
  const found = new Map<string, { uid: string; hash: number }>();
  let place = after;
  let isFull = false;
  while (place < last && !isFull) {
    const until = Math.min(place + ROWS_OF_A_STEP, last);
    for (const { id, uid, uid_hash, folded } of sql('uids_like').iterate({ like, after: place, until })) {
      const key = String(folded);
      if (found.has(key)) continue;
      isFull = found.size === limit;
      if (isFull) {
        place = Number(id) - 1;
        break;
      }
      found.set(key, { uid: String(uid), hash: Number(uid_hash) });
    }
    if (!isFull) place = until;
  }
  const hashes = JSON.stringify([...found.values()].map(({ hash }) => hash));
  const firstRows = sql('first_rows_by_uid_hash').all({ hashes });
  const earlier = new Set(firstRows.filter(({ first }) => Number(first) <= after).map(({ folded }) => String(folded)));
  const uids = [...found].flatMap(([key, { uid }]) => (earlier.has(key) ? [] : [uid]));
  return { uids, next: isFull ? place : undefined, looked: place - after };
}

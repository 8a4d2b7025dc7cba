import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { RowSort } from '../../api/rows.ts';
import { OUTCOMES, RETRYABLE } from '../../membership/outcome.ts';
import type { LineRange, RowFilter } from '../../options/row-filter.ts';
import { readStatements } from '../../platform/sqlite.ts';
import { rowsOfCheck } from '../predictions/row-check.ts';
import { hashUid, outcomeId, regionId } from '../record/enum-ids.ts';
import { sentWith } from './chosen-rows.ts';
import { textSearch } from './text-search.ts';

/** The same rows, as far as they may be sent again. */
export function retryable(filter: RowFilter): RowFilter {
  return { ...filter, status: [...RETRYABLE].filter((outcome) => filter.status?.includes(outcome) ?? true) };
}

/** A statement that finds rows, with values for the names in it. */
export interface FoundRows {
  /** `select id, key`, without an order. */
  readonly sql: string;
  readonly values: Readonly<Record<string, SQLInputValue>>;
}

const STATEMENTS = readStatements(new URL('reading.sql', import.meta.url));
const FOUND_BY_ROW = STATEMENTS.get('found_by_row') ?? '';
const FOUND_BY_OUTCOME = STATEMENTS.get('found_by_outcome') ?? '';
const LINE_AT = STATEMENTS.get('line_at') ?? '';
const LAST_ROW = STATEMENTS.get('last_row') ?? '';

/** The sort keys of rows, in `found_by_row`. */
const KEYS: Readonly<Record<RowSort, string>> = {
  row: 'r.id',
  uid: "lower(coalesce(r.uid, ''))",
  guid: "lower(coalesce(g.guid, i.guid, ''))",
  outcome: `case when p.row_id is not null then ${outcomeId('invalid')} when d.row_id is not null then ${outcomeId('duplicate')} when k.row_id is not null then ${outcomeId('skipped')} else coalesce(m.outcome_id, ${outcomeId('unprocessed')}) end`,
  code: "case when p.row_id is not null then p.code when d.row_id is not null then 'DUPLICATE' when k.row_id is not null then k.code else coalesce(m.code, '') end",
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
    ofBatch.push(`b.call_group_id in (select id from call_groups where group_id in (${groups}))`);
  }
  if (code !== undefined) values['code'] = code;
  const isNarrow =
    check !== undefined || problemColumn !== undefined || uid !== undefined || text !== undefined || line !== undefined;
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
  const sql = FOUND_BY_ROW.replace('/* key */ r.id', () => KEYS[sort]).replace('/* wanted */ true', () =>
    all(...ofRow),
  );
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
  let sql = FOUND_BY_OUTCOME.replace('/* key */ x.id', () => KEYS_BY_OUTCOME[sort]).replace('/* sent */ true', () =>
    all(sentWith(status), ...ofBatch, ...coded("coalesce(m.code, '')")),
  );
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
  const lineAt = database.prepare(LINE_AT);
  const last = Number(database.prepare(LAST_ROW).get()?.['id'] ?? 0);
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

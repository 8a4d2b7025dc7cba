import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Region } from '../../membership/membership.ts';
import { OUTCOMES, type Outcome } from '../../membership/outcome.ts';
import { readStatements } from '../../platform/sqlite.ts';
import { regionId } from '../record/enum-ids.ts';
import { hashUid } from '../stage/insert-rows.ts';
import { chosenRows, type RowWithOutcome, sentWith } from './chosen-rows.ts';

/** What rows must have; what is absent may be anything. GUID and UID are whole ones, without regard to case. */
export interface RowFilter {
  readonly statuses?: ReadonlySet<Outcome>;
  readonly code?: string;
  readonly region?: Region;
  readonly guid?: string;
  readonly uid?: string;
}

export interface RowsPage {
  readonly rows: RowWithOutcome[];
  /** Number of the row behind which the next page begins; absent when no further row passes the filter. */
  readonly next?: number;
}

/** What the rows of one page may have come to in the input, in characters: memory and time of a page are bounded. */
const MOST_OF_A_PAGE = 4 * 1024 * 1024;

/**
 * The first `limit` rows behind row number `after` that pass the filter, in the order of the input; fewer where they are
 * very long, but one at least.
 */
export function searchRows(database: DatabaseSync, filter: RowFilter, after: number, limit: number): RowsPage {
  const rows: RowWithOutcome[] = [];
  let length = 0;
  // One more than asked for tells whether there is a next page.
  for (const row of search(database, filter, after, limit + 1)) {
    const last = rows.at(-1);
    length += row.original.length + row.message.length;
    if (last !== undefined && (rows.length === limit || length > MOST_OF_A_PAGE)) return { rows, next: last.row };
    rows.push(row);
  }
  return { rows };
}

function search(
  database: DatabaseSync,
  { statuses, code, region, guid, uid }: RowFilter,
  after: number,
  limit: number,
): IteratorObject<RowWithOutcome> {
  const values: Record<string, SQLInputValue> = { after };
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
    ofBatch.push(`b.lane_id in (select id from lanes where group_id in (${groups}))`);
  }
  if (uid !== undefined) {
    Object.assign(values, { uid, hash: hashUid(uid) });
    ofRow.push('r.uid_hash = :hash', 'r.uid = :uid collate nocase');
    // They are few: which of them have the outcome is seen when they are there.
    return chosenRows(database, all('r.id > :after', ...ofRow), values).filter(
      (row) => (statuses?.has(row.status) ?? true) && (code === undefined || row.code === code),
    );
  }
  if (statuses === undefined && code === undefined) {
    return chosenRows(database, all('r.id > :after', ...ofRow), values);
  }
  values['limit'] = limit;
  const outcomes = statuses ?? new Set(OUTCOMES);
  const coded = (column: string) => (code === undefined ? [] : [`${column} = :code`]);
  if (code !== undefined) values['code'] = code;
  // Rare outcomes are found soon in the tables that hold them.
  const first = FIRST_WITH_OUTCOME.replace('/* sent */ true', () =>
    all(sentWith(outcomes), ...ofBatch, ...coded(`coalesce(m.code, '')`)),
  )
    .replace('/* invalid */ true', () => all(String(outcomes.has('invalid')), ...ofRow, ...coded('p.code')))
    .replace('/* duplicate */ true', () => all(String(outcomes.has('duplicate')), ...ofRow, ...coded(`'DUPLICATE'`)))
    .replace('/* skipped */ true', () => all(String(outcomes.has('skipped')), ...ofRow, ...coded('k.code')));
  return chosenRows(database, `r.id in (${first})`, values);
}

const FIRST_WITH_OUTCOME = readStatements(new URL('reading.sql', import.meta.url)).get('first_with_outcome') ?? '';

function all(...conditions: readonly string[]): string {
  return conditions.join(' and ');
}

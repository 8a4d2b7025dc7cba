import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Region } from '../membership/membership.ts';
import { OUTCOMES, type Outcome } from '../membership/outcome.ts';
import { chosenRows, type RowWithOutcome, sentWith } from './chosen-rows.ts';
import { readStatements } from './database.ts';
import { hashUid } from './insert-rows.ts';
import { regionId } from './words.ts';

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

/** The first `limit` rows behind row number `after` that pass the filter, in the order of the input. */
export function searchRows(database: DatabaseSync, filter: RowFilter, after: number, limit: number): RowsPage {
  // One more than asked for tells whether there is a next page.
  const found = search(database, filter, after, limit + 1)
    .take(limit + 1)
    .toArray();
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return found.length > limit && last !== undefined ? { rows, next: last.row } : { rows };
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
    .replace('/* duplicate */ true', () => all(String(outcomes.has('duplicate')), ...ofRow, ...coded(`'DUPLICATE'`)));
  return chosenRows(database, `r.id in (${first})`, values);
}

const FIRST_WITH_OUTCOME = readStatements(new URL('reading.sql', import.meta.url)).get('first_with_outcome') ?? '';

function all(...conditions: readonly string[]): string {
  return conditions.join(' and ');
}

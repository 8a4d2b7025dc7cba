import type { Statements } from '../../platform/sqlite.ts';
import { containing } from './text-search.ts';

/** Users of one import whose UID has a text in it. */
export interface FoundUids {
  /** In the order of their first rows. `rows`: all of the import that name the user. */
  readonly uids: readonly { readonly uid: string; readonly rows: number }[];
  /** The row behind which further ones are; undefined: there are none. */
  readonly next: number | undefined;
  /** Rows that were looked at. */
  readonly looked: number;
}

/** Between two steps a thread can be ended. SQLite reads so many rows in some 10 ms. */
const ROWS_OF_A_STEP = 50_000;

/**
 * The first `limit` users behind a row whose UID has `text` in it, in any case. Users who have a matching row before that
 * were found earlier, and are left out. @param sql statements of reading.sql
 */
export function searchUids(sql: Statements, text: string, limit: number, after: number): FoundUids {
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
  const counted = new Map(
    found.size === 0
      ? []
      : sql('rows_by_uid_hash')
          .all({ hashes })
          .map((row) => [String(row['folded']), row] as const),
  );
  const uids = [...found].flatMap(([key, { uid }]) => {
    const { first, n } = counted.get(key) ?? {};
    return Number(first) > after ? [{ uid, rows: Number(n) }] : [];
  });
  return { uids, next: isFull ? place : undefined, looked: place - after };
}

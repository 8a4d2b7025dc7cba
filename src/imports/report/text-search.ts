import type { DatabaseSync } from 'node:sqlite';
import type { Statements } from '../../platform/sqlite.ts';

/** Looks for a text in the values of rows, which SQLite alone cannot: `lower` knows ASCII only, and rows are JSON. */

/** SQLite reads this many rows in some 5 ms. */
const ROWS_BETWEEN_CALLS = 10_000;

const enabled = new WeakSet<DatabaseSync>();

/**
 * Returns the condition of a text search for `found_by_row`: SQL that is true for the rows `r` that have it, with its
 * values.
 */
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
export function hasText(original: string, text: string): boolean {
  // Most rows have it nowhere, and need not be parsed. A backslash may encode any character.
  if (!original.toLowerCase().includes(text) && !original.includes('\\')) return false;
  return valueHas(JSON.parse(original), text);
}

function valueHas(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  if (typeof value === 'object' && value !== null) return Object.values(value).some((one) => valueHas(one, text));
  return value !== null && String(value).includes(text);
}

/** Users of one import whose UID has a text in it. */
export interface FoundUids {
  /** In the order of their first rows. */
  readonly uids: readonly string[];
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
  const firstRows = sql('first_rows_by_uid_hash').all({ hashes });
  const earlier = new Set(firstRows.filter(({ first }) => Number(first) <= after).map(({ folded }) => String(folded)));
  const uids = [...found].flatMap(([key, { uid }]) => (earlier.has(key) ? [] : [uid]));
  return { uids, next: isFull ? place : undefined, looked: place - after };
}

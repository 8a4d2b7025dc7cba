import type { DatabaseSync } from 'node:sqlite';
import type { StagedProblem } from './staged-row.ts';
import { readWish } from './words.ts';

/** Values of one row in a flat array: line, region number (0: unknown), guid, uid, wish (0: invalid), on behalf of (of an invalid row: its scope), original. */
export const VALUES_PER_ROW = 7;

export interface FlatProblem extends StagedProblem {
  /** Place of its row in the chunk, from 0. */
  readonly row: number;
  readonly position: number;
}

const COLUMNS = 8;
/** Rows per statement: one crossing from JavaScript to SQLite for many rows, within SQLite's number of parameters. */
const ROWS_PER_STATEMENT = 100;
/** Groups remembered by name. A bound on memory; a group that falls out is looked up in SQL. */
const REMEMBERED_GROUPS = 50_000;

export interface RowInserter {
  insert(values: readonly (string | number)[], problems: readonly FlatProblem[]): void;
  finish(): void;
}

/** Inserts rows in the order of the input, and the tallies of rows read. Row ids are 1, 2, 3, … in that order. */
export function rowInserter(database: DatabaseSync): RowInserter {
  const insertInto = (rows: number) =>
    `insert into rows (line, region_id, group_id, lane_id, scope_id, uid_hash, uid, original)
     values ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`;
  const many = database.prepare(insertInto(ROWS_PER_STATEMENT));
  const problem = database.prepare('insert into problems values (?, ?, ?, ?, ?, ?)');
  const invalid = database.prepare('insert into invalid_rows values (?, ?, ?)');
  const lanes = laneFinder(database);
  let pending: (string | number | null)[] = [];
  let rows = 0;
  /** Rows by region number. */
  const read = [0, 0, 0, 0];

  const add = (values: readonly (string | number)[], at: number): void => {
    rows += 1;
    const line = values[at] as number;
    const region = values[at + 1] as number;
    read[region] = (read[region] ?? 0) + 1;
    const wish = values[at + 4] as number;
    const original = values[at + 6] as string;
    if (wish === 0) {
      const guid = values[at + 2] as string;
      const uid = values[at + 3] as string;
      pending.push(line, region || null, null, null, null, uid === '' ? null : hashUid(uid), uid || null, original);
      invalid.run(rows, guid, values[at + 5] as string);
    } else {
      const uid = values[at + 3] as string;
      const { scope, action } = readWish(wish);
      const lane = lanes(region, values[at + 2] as string, values[at + 5] as string, action);
      pending.push(line, region, lane.group, lane.id, scope, hashUid(uid), uid, original);
    }
    if (pending.length === ROWS_PER_STATEMENT * COLUMNS) {
      many.run(...pending);
      pending = [];
    }
  };

  return {
    insert: (values, problems) => {
      const before = rows;
      for (let at = 0; at < values.length; at += VALUES_PER_ROW) add(values, at);
      for (const { row, position, column, value, code, reason } of problems) {
        problem.run(before + row + 1, position, column, value, code, reason);
      }
    },
    finish: () => {
      if (pending.length > 0) database.prepare(insertInto(pending.length / COLUMNS)).run(...pending);
      pending = [];
      const tally = database.prepare(`insert into tallies (region_id, name, n) values (?, 'read', ?)`);
      for (const [region, n] of read.entries()) if (n > 0) tally.run(region, n);
    },
  };
}

interface Lane {
  readonly id: number;
  readonly group: number;
}

/** Numbers groups and lanes as they come; names compare without regard to case. */
function laneFinder(database: DatabaseSync): (region: number, guid: string, actor: string, action: number) => Lane {
  database.exec(`
    create unique index if not exists groups_by_name on groups (region_id, guid collate nocase);
    create unique index if not exists lanes_by_name on lanes (group_id, on_behalf_of collate nocase, action_id);
  `);
  const findGroup = database.prepare('select id from groups where region_id = ? and guid = ? collate nocase');
  const addGroup = database.prepare('insert into groups (region_id, guid) values (?, ?)');
  const findLane = database.prepare(
    'select id from lanes where group_id = ? and on_behalf_of = ? collate nocase and action_id = ?',
  );
  const addLane = database.prepare('insert into lanes (group_id, on_behalf_of, action_id) values (?, ?, ?)');
  const remembered = new Map<string, Lane>();

  const look = (region: number, guid: string, actor: string, action: number): Lane => {
    const group = Number(findGroup.get(region, guid)?.['id'] ?? addGroup.run(region, guid).lastInsertRowid);
    const id = Number(findLane.get(group, actor, action)?.['id'] ?? addLane.run(group, actor, action).lastInsertRowid);
    return { id, group };
  };

  return (region, guid, actor, action) => {
    const name = `${region} ${guid} ${actor} ${action}`;
    let lane = remembered.get(name);
    if (lane === undefined) {
      lane = look(region, guid, actor, action);
      if (remembered.size === REMEMBERED_GROUPS) remembered.clear();
      remembered.set(name, lane);
    }
    return lane;
  };
}

/** 53 bits over the UID in lower case. Equal UIDs have equal hashes; the reverse is checked in SQL. */
export function hashUid(uid: string): number {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let i = 0; i < uid.length; i++) {
    let code = uid.charCodeAt(i);
    if (code >= 65 && code <= 90) code += 32;
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995);
    low ^= low >>> 13;
  }
  return (high >>> 0) * 0x20_0000 + (low >>> 11);
}

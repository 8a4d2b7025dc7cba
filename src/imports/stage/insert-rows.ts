import type { DatabaseSync } from 'node:sqlite';
import { ACTIONS } from '../../membership/membership.ts';
import { actionId, readWish } from '../record/enum-ids.ts';
import { bulkInsert } from './bulk-insert.ts';
import { Filling } from './fill-batches.ts';
import { Repeats } from './repeats.ts';
import type { StagedProblem } from './staged-row.ts';

/** Values of one row in a flat array: line, region number (0: unknown), guid, uid, wish (0: invalid), on behalf of (of an invalid row: its scope), original. */
export const VALUES_PER_ROW = 7;

export interface FlatProblem extends StagedProblem {
  /** Place of its row in the chunk, from 0. */
  readonly row: number;
  readonly position: number;
}

/** Lanes remembered by name. A bound on memory; a lane that falls out is looked up in SQL. */
const REMEMBERED_LANES = 50_000;
/** Keeps groups apart in the keys of their members. Keys may meet by chance: cut.sql compares what they stand for. */
const GROUP_STEP = 1_000_003;
const ADD = actionId('add');

export interface RowInserter {
  insert(values: readonly (string | number)[], problems: readonly FlatProblem[]): void;
  finish(): void;
}

/**
 * Inserts rows in the order of the input, and the tallies of rows read. Row ids are 1, 2, 3, … in that order. On the way
 * batches are filled (filling.ts), and rows that may be duplicates are noted in `temp.suspects`; `cut` does the rest.
 */
export function rowInserter(database: DatabaseSync): RowInserter {
  database.exec('create temp table suspects (row_id integer primary key)');
  const columns = ['line', 'region_id', 'group_id', 'lane_id', 'scope_id', 'uid_hash', 'uid', 'original'];
  const inserts = bulkInsert(database, 'rows', columns);
  const problem = database.prepare('insert into problems values (?, ?, ?, ?, ?, ?)');
  const invalid = database.prepare('insert into invalid_rows values (?, ?, ?)');
  const filling = new Filling(database, REMEMBERED_LANES);
  const repeats = new Repeats(database);
  const lanes = laneFinder(database, filling);
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
      inserts.values.push(
        line,
        region || null,
        null,
        null,
        null,
        uid === '' ? null : hashUid(uid),
        uid || null,
        original,
      );
      invalid.run(rows, guid, values[at + 5] as string);
    } else {
      const uid = values[at + 3] as string;
      const { scope, action } = readWish(wish);
      const lane = lanes(region, values[at + 2] as string, values[at + 5] as string, action);
      const hash = hashUid(uid);
      inserts.values.push(line, region, lane.group, lane.id, scope, hash, uid, original);
      repeats.add(hash - lane.group * GROUP_STEP, rows);
      // A call changes or removes one: there is nothing to fill.
      if (action === ADD && scope !== null) filling.add(lane.slot, rows, scope);
      else filling.leave(lane.id, rows, scope);
    }
    inserts.added();
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
      inserts.finish();
      filling.finish();
      const suspect = database.prepare('insert into temp.suspects values (?)');
      for (const row of repeats.rows()) suspect.run(row);
      const tally = database.prepare(`insert into tallies (region_id, name, n) values (?, 'read', ?)`);
      for (const [region, n] of read.entries()) if (n > 0) tally.run(region, n);
    },
  };
}

interface Lane {
  readonly id: number;
  readonly group: number;
  /** Where its open batch is filled. */
  readonly slot: number;
}

/** Numbers groups and lanes as they come; names compare without regard to case. */
function laneFinder(
  database: DatabaseSync,
  filling: Filling,
): (region: number, guid: string, actor: string, action: number) => Lane {
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
  /** Region, action and acting user → GUID → lane. Most rows differ in the GUID alone. */
  const remembered = new Map<string, Map<string, Lane>>();
  /** The same without an acting user, by region and action. */
  const common: (Map<string, Lane> | undefined)[] = [];
  let count = 0;

  const look = (region: number, guid: string, actor: string, action: number): Lane => {
    const known = findGroup.get(region, guid)?.['id'];
    const group = Number(known ?? addGroup.run(region, guid).lastInsertRowid);
    // A group that is new has no lane.
    const old = known === undefined ? undefined : findLane.get(group, actor, action)?.['id'];
    const id = Number(old ?? addLane.run(group, actor, action).lastInsertRowid);
    return { id, group, slot: filling.slotFor(id) };
  };

  const lanesOf = (region: number, actor: string, action: number): Map<string, Lane> => {
    const place = region * (ACTIONS.length + 1) + action;
    const known = actor === '' ? common[place] : remembered.get(`${place} ${actor}`);
    if (known !== undefined) return known;
    const lanes = new Map<string, Lane>();
    remembered.set(`${place} ${actor}`, lanes);
    if (actor === '') common[place] = lanes;
    return lanes;
  };

  return (region, guid, actor, action) => {
    const known = lanesOf(region, actor, action).get(guid);
    if (known !== undefined) return known;
    if (count === REMEMBERED_LANES) {
      remembered.clear();
      common.length = 0;
      filling.leaveOpen();
      count = 0;
    }
    const lane = look(region, guid, actor, action);
    // The name comes as a piece of a long text, which would be kept as long as it is.
    lanesOf(region, actor, action).set(Buffer.from(guid).toString(), lane);
    count += 1;
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

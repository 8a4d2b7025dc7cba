import type { DatabaseSync } from 'node:sqlite';
import { ACTIONS } from '../../membership/membership.ts';
import type { RowProblem } from '../read/input-row.ts';
import { actionId, readWish } from '../record/enum-ids.ts';
import { bulkInsert } from './bulk-insert.ts';
import { Filling } from './fill-batches.ts';
import { Repeats } from './repeats.ts';

/** The wish of a row that is left out, and what is added to that of one that is not among the rows to try first. */
export const SKIPPED = -1;
export const LATER = 64;

/** Values of one row in a flat array: line, region number (0: unknown), guid, uid, wish (0: invalid, SKIPPED, else perhaps with LATER), on behalf of (of an invalid row: its scope), original. */
export const VALUES_PER_ROW = 7;

export interface FlatProblem extends RowProblem {
  /** Place of its row in the chunk, from 0. */
  readonly row: number;
  readonly position: number;
}

/** Which membership of its row each row of a chunk is, by its place; texts are empty where there is nothing to say. */
export interface ShapedValues {
  readonly parts: Int32Array;
  readonly values: readonly string[];
  /** What ids were derived from. */
  readonly uids: readonly string[];
  readonly guids: readonly string[];
}

/** Lanes remembered by name. A bound on memory; a lane that falls out is looked up in SQL. */
const REMEMBERED_LANES = 50_000;
/** Keeps groups apart in the keys of their members. Keys may meet by chance: cut.sql compares what they stand for. */
const GROUP_STEP = 1_000_003;
const ADD = actionId('add');

export interface RowInserter {
  insert(values: readonly (string | number)[], problems: readonly FlatProblem[], shaped?: ShapedValues): void;
  finish(): void;
}

/**
 * Inserts rows in the order of the input, and the tallies of rows read. Row ids are 1, 2, 3, … in that order. On the way
 * batches are filled (filling.ts), and rows that may be duplicates are noted in `temp.suspects`; `cut` does the rest.
 */
export function rowInserter(database: DatabaseSync): RowInserter {
  database.exec(`
    create temp table suspects (row_id integer primary key);
    create temp table derived (row_id integer not null, field text not null, source text not null, primary key (row_id, field)) without rowid;
  `);
  const columns = ['line', 'region_id', 'group_id', 'lane_id', 'scope_id', 'uid_hash', 'uid', 'original'];
  const inserts = bulkInsert(database, 'rows', columns);
  const problem = database.prepare('insert into problems values (?, ?, ?, ?, ?, ?)');
  const skipped = database.prepare('insert into skipped values (?, ?, ?)');
  const part = database.prepare('insert into parts values (?, ?, ?, ?)');
  const derived = database.prepare('insert into temp.derived values (?, ?, ?)');
  let firstOfRow = 0;
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
    if (wish <= 0) {
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
      if (wish === 0) invalid.run(rows, guid, values[at + 5] as string);
    } else {
      const uid = values[at + 3] as string;
      const later = wish > LATER ? 1 : 0;
      const { scope, action } = readWish(wish - later * LATER);
      const lane = lanes(region, values[at + 2] as string, values[at + 5] as string, action, later);
      const hash = hashUid(uid);
      inserts.values.push(line, region, lane.group, lane.id, scope, hash, uid, original);
      repeats.add(hash - lane.group * GROUP_STEP, rows);
      // A call changes or removes one: there is nothing to fill.
      if (action === ADD && scope !== null) filling.add(lane.slot, rows, scope);
      else filling.leave(lane.id, rows, scope);
    }
    inserts.added();
  };

  const addShape = ({ parts, values: texts, uids, guids }: ShapedValues, index: number, isValid: boolean): void => {
    const number = parts[index] as number;
    const value = texts[index] as string;
    if (number === 1) firstOfRow = rows;
    if (number > 1 || value !== '') part.run(rows, firstOfRow, number, value);
    if (!isValid) return;
    if (uids[index]) derived.run(rows, 'uid', uids[index]);
    if (guids[index]) derived.run(rows, 'guid', guids[index]);
  };

  return {
    insert: (values, problems, shaped) => {
      const before = rows;
      for (let at = 0; at < values.length; at += VALUES_PER_ROW) {
        add(values, at);
        if (shaped !== undefined) addShape(shaped, at / VALUES_PER_ROW, (values[at + 4] as number) > 0);
      }
      for (const { row, position, column, value, code, reason } of problems) {
        const isSkipped = values[row * VALUES_PER_ROW + 4] === SKIPPED;
        if (isSkipped) skipped.run(before + row + 1, code, `${column}: ${reason}`);
        else problem.run(before + row + 1, position, column, value, code, reason);
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
): (region: number, guid: string, actor: string, action: number, later: number) => Lane {
  database.exec(`
    create unique index if not exists groups_by_name on groups (region_id, guid collate nocase);
    create unique index if not exists lanes_by_name on lanes (group_id, on_behalf_of collate nocase, action_id, later);
  `);
  const findGroup = database.prepare('select id from groups where region_id = ? and guid = ? collate nocase');
  const addGroup = database.prepare('insert into groups (region_id, guid) values (?, ?)');
  const findLane = database.prepare(
    'select id from lanes where group_id = ? and on_behalf_of = ? collate nocase and action_id = ? and later = ?',
  );
  const addLane = database.prepare('insert into lanes (group_id, on_behalf_of, action_id, later) values (?, ?, ?, ?)');
  /** Region, action and acting user → GUID → lane. Most rows differ in the GUID alone. */
  const remembered = new Map<string, Map<string, Lane>>();
  /** The same without an acting user, by region and action. */
  const common: (Map<string, Lane> | undefined)[] = [];
  let count = 0;

  const look = (region: number, guid: string, actor: string, action: number, later: number): Lane => {
    const known = findGroup.get(region, guid)?.['id'];
    const group = Number(known ?? addGroup.run(region, guid).lastInsertRowid);
    // A group that is new has no lane.
    const old = known === undefined ? undefined : findLane.get(group, actor, action, later)?.['id'];
    const id = Number(old ?? addLane.run(group, actor, action, later).lastInsertRowid);
    return { id, group, slot: filling.slotFor(id) };
  };

  const lanesOf = (region: number, actor: string, action: number, later: number): Map<string, Lane> => {
    const place = (region * (ACTIONS.length + 1) + action) * 2 + later;
    const known = actor === '' ? common[place] : remembered.get(`${place} ${actor}`);
    if (known !== undefined) return known;
    const lanes = new Map<string, Lane>();
    remembered.set(`${place} ${actor}`, lanes);
    if (actor === '') common[place] = lanes;
    return lanes;
  };

  return (region, guid, actor, action, later) => {
    const known = lanesOf(region, actor, action, later).get(guid);
    if (known !== undefined) return known;
    if (count === REMEMBERED_LANES) {
      remembered.clear();
      common.length = 0;
      filling.leaveOpen();
      count = 0;
    }
    const lane = look(region, guid, actor, action, later);
    // The name comes as a piece of a long text, which would be kept as long as it is.
    lanesOf(region, actor, action, later).set(Buffer.from(guid).toString(), lane);
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

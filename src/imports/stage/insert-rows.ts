import type { DatabaseSync } from 'node:sqlite';
import { ACTIONS } from '../../membership/membership.ts';
import type { RowProblem } from '../read/input-row.ts';
import { actionId, readRequest } from '../record/enum-ids.ts';
import { bulkInsert } from './bulk-insert.ts';
import { Filling } from './cut.ts';
import { Repeats } from './repeats.ts';

/** The request number of a row that is left out, and what is added to the number of a row that is sent later. */
export const SKIPPED = -1;
export const LATER = 64;

/** Values of one row in a flat array: line, region number (0: unknown), guid, uid, request (0: invalid, SKIPPED, else perhaps with LATER), on behalf of (of an invalid row: its scope), original. */
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

/** Call groups remembered by name. A bound on memory; one that falls out is looked up in SQL. */
const REMEMBERED_CALL_GROUPS = 50_000;
/** Separates groups in the keys of their members. Keys may collide by chance: cut.sql compares the values themselves. */
const GROUP_STEP = 1_000_003;
const ADD = actionId('add');

export interface RowInserter {
  insert(values: readonly (string | number)[], problems: readonly FlatProblem[], shaped?: ShapedValues): void;
  finish(): void;
}

/**
 * Inserts rows in the order of the input, and counts the rows read. Row ids are 1, 2, 3, … in that order. Meanwhile
 * batches are filled (cut.ts), and rows that may be duplicates are noted in `temp.suspects`; `cut` does the rest.
 */
export function rowInserter(database: DatabaseSync): RowInserter {
  database.exec(`
    create temp table suspects (row_id integer primary key);
    create temp table derived (row_id integer not null, field text not null, source text not null, primary key (row_id, field)) without rowid;
  `);
  const columns = ['line', 'region_id', 'group_id', 'call_group_id', 'scope_id', 'uid_hash', 'uid', 'original'];
  const inserts = bulkInsert(database, 'rows', columns);
  const problem = database.prepare('insert into problems values (?, ?, ?, ?, ?, ?)');
  const skipped = database.prepare('insert into skipped values (?, ?, ?)');
  const part = database.prepare('insert into parts values (?, ?, ?, ?)');
  const derived = database.prepare('insert into temp.derived values (?, ?, ?)');
  let firstOfRow = 0;
  const invalid = database.prepare('insert into invalid_rows values (?, ?, ?)');
  const filling = new Filling(database, REMEMBERED_CALL_GROUPS);
  const repeats = new Repeats(database);
  const callGroups = callGroupFinder(database, filling);
  let rows = 0;
  /** Rows by region number. */
  const read = [0, 0, 0, 0];

  const add = (values: readonly (string | number)[], at: number): void => {
    rows += 1;
    const line = values[at] as number;
    const region = values[at + 1] as number;
    read[region] = (read[region] ?? 0) + 1;
    const request = values[at + 4] as number;
    const original = values[at + 6] as string;
    if (request <= 0) {
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
      if (request === 0) invalid.run(rows, guid, values[at + 5] as string);
    } else {
      const uid = values[at + 3] as string;
      const later = request > LATER ? 1 : 0;
      const { scope, action } = readRequest(request - later * LATER);
      const callGroup = callGroups(region, values[at + 2] as string, values[at + 5] as string, action, later);
      const hash = hashUid(uid);
      inserts.values.push(line, region, callGroup.group, callGroup.id, scope, hash, uid, original);
      repeats.add(hash - callGroup.group * GROUP_STEP, rows);
      // A call changes or removes one member: there is nothing to fill.
      if (action === ADD && scope !== null) filling.add(callGroup.slot, rows, scope);
      else filling.leave(callGroup.id, rows, scope);
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
      const counter = database.prepare(`insert into counters (region_id, name, n) values (?, 'read', ?)`);
      for (const [region, n] of read.entries()) if (n > 0) counter.run(region, n);
    },
  };
}

interface CallGroup {
  readonly id: number;
  readonly group: number;
  /** Where its open batch is filled. */
  readonly slot: number;
}

/** Numbers groups and call groups as they come; names compare without regard to case. */
function callGroupFinder(
  database: DatabaseSync,
  filling: Filling,
): (region: number, guid: string, actor: string, action: number, later: number) => CallGroup {
  database.exec(`
    create unique index if not exists groups_by_name on groups (region_id, guid collate nocase);
    create unique index if not exists call_groups_by_name on call_groups (group_id, on_behalf_of collate nocase, action_id, later);
  `);
  const findGroup = database.prepare('select id from groups where region_id = ? and guid = ? collate nocase');
  const addGroup = database.prepare('insert into groups (region_id, guid) values (?, ?)');
  const findCallGroup = database.prepare(
    'select id from call_groups where group_id = ? and on_behalf_of = ? collate nocase and action_id = ? and later = ?',
  );
  const addCallGroup = database.prepare(
    'insert into call_groups (group_id, on_behalf_of, action_id, later) values (?, ?, ?, ?)',
  );
  /** Region, action and acting user → GUID → call group. Most rows differ in the GUID alone. */
  const remembered = new Map<string, Map<string, CallGroup>>();
  /** The same without an acting user, by region and action. */
  const common: (Map<string, CallGroup> | undefined)[] = [];
  let count = 0;

  const look = (region: number, guid: string, actor: string, action: number, later: number): CallGroup => {
    const known = findGroup.get(region, guid)?.['id'];
    const group = Number(known ?? addGroup.run(region, guid).lastInsertRowid);
    // A group that is new has no call group.
    const old = known === undefined ? undefined : findCallGroup.get(group, actor, action, later)?.['id'];
    const id = Number(old ?? addCallGroup.run(group, actor, action, later).lastInsertRowid);
    return { id, group, slot: filling.slotFor(id) };
  };

  const callGroupsOf = (region: number, actor: string, action: number, later: number): Map<string, CallGroup> => {
    const place = (region * (ACTIONS.length + 1) + action) * 2 + later;
    const known = actor === '' ? common[place] : remembered.get(`${place} ${actor}`);
    if (known !== undefined) return known;
    const callGroups = new Map<string, CallGroup>();
    remembered.set(`${place} ${actor}`, callGroups);
    if (actor === '') common[place] = callGroups;
    return callGroups;
  };

  return (region, guid, actor, action, later) => {
    const known = callGroupsOf(region, actor, action, later).get(guid);
    if (known !== undefined) return known;
    if (count === REMEMBERED_CALL_GROUPS) {
      remembered.clear();
      common.length = 0;
      filling.leaveOpen();
      count = 0;
    }
    const callGroup = look(region, guid, actor, action, later);
    // Copied, because the name is a slice of a long text that would stay in memory with it.
    callGroupsOf(region, actor, action, later).set(Buffer.from(guid).toString(), callGroup);
    count += 1;
    return callGroup;
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

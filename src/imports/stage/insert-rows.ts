import type { DatabaseSync } from 'node:sqlite';
import { REGIONS } from '../../chat/service/regions.ts';
import type { RowProblem } from '../read/input-row.ts';
import { actionId, readRequest } from '../record/enum-ids.ts';
import { bulkInsert } from './bulk-insert.ts';
import { type CallGroup, Filling } from './cut.ts';
import { Repeats } from './repeats.ts';

/**
 * Rows on their way to the thread that writes them, as one text and arrays of numbers: copying an object or a text for
 * each row to another thread takes longer than writing the rows.
 */
export interface PackedRows {
  /** NUMBERS_PER_ROW: line, region number (0: unknown), request (0: invalid, SKIPPED, else perhaps with LATER), call group. */
  readonly numbers: Int32Array<ArrayBuffer>;
  /** `hashUid` of each row's UID. */
  readonly hashes: Float64Array<ArrayBuffer>;
  /**
   * UID and original of each row, each with SEPARATOR behind it; in front of them GUID and acting user, if the row is the
   * first of its call group, or GUID and scope, if it is invalid.
   */
  readonly texts: string;
  readonly problems: readonly FlatProblem[];
  /** Present where a row of the input may give several memberships. */
  readonly shaped?: PackedShapes;
}

export const NUMBERS_PER_ROW = 4;
/** The request number of a row that is left out, and what is added to the number of a row that is sent later. */
export const SKIPPED = -1;
export const LATER = 64;
/** In no id, and in no JSON text. */
export const SEPARATOR = '\0';

export interface FlatProblem extends RowProblem {
  /** Place of its row in the chunk, from 0. */
  readonly row: number;
  readonly position: number;
}

/** Which membership of its row each row of a chunk is, by its place; texts are empty where there is nothing to say, with SEPARATOR between them. */
export interface PackedShapes {
  readonly parts: Int32Array<ArrayBuffer>;
  readonly values: string;
  /** What ids were derived from. */
  readonly uids: string;
  readonly guids: string;
}

/**
 * Call groups that are remembered by name. A bound on memory: when as many have been numbered, all are forgotten, where rows
 * are packed and where they are written. One that comes again gets another number then, and is looked up in SQL.
 */
export const REMEMBERED_CALL_GROUPS = 50_000;
/** Separates groups in the keys of their members. Keys may collide by chance: cut.sql compares the values themselves. */
const GROUP_STEP = 1_000_003;
const ADD = actionId('add');

export interface RowInserter {
  /** Throws an Error if a text had the separator in it. */
  insert(rows: PackedRows): void;
  finish(): void;
}

/**
 * Inserts rows in the order of the input, and counts the rows read. Row ids are 1, 2, 3, … in that order. Meanwhile
 * batches are filled (cut.ts), and rows that may be duplicates are noted in `temp.suspects`; `cut` does the rest.
 * @param folder for what does not fit into memory
 */
export function rowInserter(database: DatabaseSync, folder: string): RowInserter {
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
  const repeats = new Repeats(folder);
  const findCallGroup = callGroupFinder(database);
  /** By number, of the last REMEMBERED_CALL_GROUPS. */
  const callGroups: CallGroup[] = [];
  let numbered = 0;
  let rows = 0;
  /** Rows by region number. */
  const read = [0, ...REGIONS.map(() => 0)];

  const addCallGroup = (region: number, guid: string, actor: string, action: number, later: boolean): void => {
    if (numbered > 0 && numbered % REMEMBERED_CALL_GROUPS === 0) {
      filling.leaveOpen();
      callGroups.length = 0;
    }
    numbered += 1;
    const callGroup = findCallGroup(region, guid, actor, action, later);
    filling.open(callGroup);
    callGroups.push(callGroup);
  };

  const addRows = ({ numbers, hashes, texts: joined }: PackedRows): void => {
    const texts = joined.split(SEPARATOR);
    let text = 0;
    for (let index = 0; index < hashes.length; index += 1) {
      rows += 1;
      const at = index * NUMBERS_PER_ROW;
      const region = numbers[at + 1] as number;
      const request = numbers[at + 2] as number;
      read[region] = (read[region] as number) + 1;
      const row = inserts.next();
      const values = inserts.values;
      values[row] = numbers[at] as number;
      if (request > 0) {
        const { scope, action } = readRequest(request % LATER);
        const number = numbers[at + 3] as number;
        if (number === numbered) {
          addCallGroup(region, texts[text] as string, texts[text + 1] as string, action, request > LATER);
          text += 2;
        }
        const callGroup = callGroups[number % REMEMBERED_CALL_GROUPS] as CallGroup;
        const hash = hashes[index] as number;
        values[row + 1] = region;
        values[row + 2] = callGroup.group;
        values[row + 3] = callGroup.id;
        values[row + 4] = scope;
        values[row + 5] = hash;
        values[row + 6] = texts[text] as string;
        repeats.add(hash - callGroup.group * GROUP_STEP, rows);
        // A call changes or removes one member: there is nothing to fill.
        if (action === ADD && scope !== null) filling.add(callGroup.slot, rows, scope);
        else filling.leave(callGroup.id, rows, scope);
      } else {
        if (request === 0) invalid.run(rows, texts[text] as string, texts[text + 1] as string);
        text += 2;
        const uid = texts[text] as string;
        values[row + 1] = region || null;
        values[row + 2] = null;
        values[row + 3] = null;
        values[row + 4] = null;
        values[row + 5] = uid === '' ? null : (hashes[index] as number);
        values[row + 6] = uid || null;
      }
      values[row + 7] = texts[text + 1] as string;
      text += 2;
    }
    if (text !== texts.length - 1) throw new Error(`${hashes.length} rows have come with ${texts.length - 1} texts`);
  };

  /** Notes which membership of its row each of the rows is that begin behind `before`. */
  const addShapes = (before: number, { numbers, shaped }: PackedRows): void => {
    if (shaped === undefined) return;
    const [values, uids, guids] = [shaped.values, shaped.uids, shaped.guids].map((texts) => texts.split(SEPARATOR));
    for (const [index, number] of shaped.parts.entries()) {
      const row = before + index + 1;
      if (number === 1) firstOfRow = row;
      const value = values?.[index] ?? '';
      if (number > 1 || value !== '') part.run(row, firstOfRow, number, value);
      if ((numbers[index * NUMBERS_PER_ROW + 2] as number) <= 0) continue;
      if (uids?.[index]) derived.run(row, 'uid', uids[index]);
      if (guids?.[index]) derived.run(row, 'guid', guids[index]);
    }
  };

  return {
    insert: (packed) => {
      const before = rows;
      addRows(packed);
      addShapes(before, packed);
      for (const { row, position, column, value, code, reason } of packed.problems) {
        const isSkipped = packed.numbers[row * NUMBERS_PER_ROW + 2] === SKIPPED;
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

/** Finds or adds a group and a call group by their names, which compare without regard to case. */
function callGroupFinder(
  database: DatabaseSync,
): (region: number, guid: string, actor: string, action: number, later: boolean) => CallGroup {
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
  return (region, guid, actor, action, later) => {
    const known = findGroup.get(region, guid)?.['id'];
    const group = Number(known ?? addGroup.run(region, guid).lastInsertRowid);
    // A group that is new has no call group.
    const old = known === undefined ? undefined : findCallGroup.get(group, actor, action, Number(later))?.['id'];
    const id = Number(old ?? addCallGroup.run(group, actor, action, Number(later)).lastInsertRowid);
    return { id, group, region, later, isNew: old === undefined, slot: -1 };
  };
}

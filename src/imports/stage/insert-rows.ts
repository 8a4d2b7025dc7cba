import type { DatabaseSync } from 'node:sqlite';
import { REGIONS } from '../../chat/service/regions.ts';
import type { Action, Region } from '../../membership/membership.ts';
import { actionId, regionId, scopeId } from '../record/enum-ids.ts';
import { hashUid } from '../record/uid-hash.ts';
import { bulkInsert } from './bulk-insert.ts';
import type { StagedRow } from './staged-row.ts';

/** Kept of a text of an invalid row, in characters. */
const MAX_KEPT_TEXT = 200;
/**
 * Call groups that are remembered by name. A bound on memory: when there are as many, all are forgotten, and one that comes
 * again is looked up in SQL.
 */
export const REMEMBERED_CALL_GROUPS = 50_000;

/** A region, a group, an acting user and an action: the rows that may travel in one call. */
interface CallGroup {
  readonly id: number;
  readonly group: number;
}

export interface RowInserter {
  insert(rows: readonly StagedRow[]): void;
  finish(): void;
}

/** Inserts rows in the order of the input, and counts the rows read. Row ids are 1, 2, 3, … in that order. `cut` does the rest. */
export function rowInserter(database: DatabaseSync): RowInserter {
  const columns = ['line', 'region_id', 'group_id', 'call_group_id', 'scope_id', 'uid_hash', 'uid', 'original'];
  const inserts = bulkInsert(database, 'rows', columns);
  const noteProblems = problemInserter(database);
  const noteShape = shapeInserter(database);
  const findCallGroup = callGroupFinder(database);
  const callGroups = new Map<string, CallGroup>();
  let rows = 0;
  /** Rows by region number. */
  const read = [0, ...REGIONS.map(() => 0)];

  const callGroupOf = ({ region, guid, onBehalfOf, action = 'add', later = false }: StagedRow): CallGroup => {
    const name = `${region} ${action} ${later} ${onBehalfOf} ${guid}`;
    const known = callGroups.get(name);
    if (known !== undefined) return known;
    if (callGroups.size === REMEMBERED_CALL_GROUPS) callGroups.clear();
    const callGroup = findCallGroup(region, guid, onBehalfOf, action, later);
    callGroups.set(name, callGroup);
    return callGroup;
  };

  const insertRow = (row: StagedRow): void => {
    rows += 1;
    const isValid = row.problems.length === 0;
    const region = isValid || !row.problems.some(({ code }) => code.includes('REGION')) ? regionId(row.region) : 0;
    read[region] = (read[region] as number) + 1;
    const at = inserts.next();
    const values = inserts.values;
    values[at] = row.line;
    values[at + 7] = row.original;
    if (isValid) {
      const callGroup = callGroupOf(row);
      values[at + 1] = region;
      values[at + 2] = callGroup.group;
      values[at + 3] = callGroup.id;
      values[at + 4] = row.action === 'remove' || row.action === 'unban' ? null : scopeId(row.scope);
      values[at + 5] = hashUid(row.uid);
      values[at + 6] = row.uid;
    } else {
      const uid = asRead(row.uid);
      values[at + 1] = region || null;
      values[at + 2] = null;
      values[at + 3] = null;
      values[at + 4] = null;
      values[at + 5] = uid === '' ? null : hashUid(uid);
      values[at + 6] = uid || null;
      noteProblems(rows, row);
    }
    if (row.shaped !== undefined) noteShape(rows, row);
  };

  return {
    insert: (chunk) => {
      for (const row of chunk) insertRow(row);
    },
    finish: () => {
      inserts.finish();
      const counter = database.prepare(`insert into counters (region_id, name, n) values (?, 'read', ?)`);
      for (const [region, n] of read.entries()) if (n > 0) counter.run(region, n);
    },
  };
}

/** Notes why a row is invalid or left out. */
function problemInserter(database: DatabaseSync): (row: number, from: StagedRow) => void {
  const problem = database.prepare('insert into problems values (?, ?, ?, ?, ?, ?)');
  const skipped = database.prepare('insert into skipped values (?, ?, ?)');
  const invalid = database.prepare('insert into invalid_rows values (?, ?, ?)');
  return (row, { problems, shaped, guid, scope }) => {
    if (shaped?.skipped === true) {
      for (const { column, code, reason } of problems) skipped.run(row, code, `${column}: ${reason}`);
      return;
    }
    const asked = problems.find(({ code }) => code === 'UNKNOWN_SCOPE')?.value ?? scope;
    invalid.run(row, asRead(guid), asRead(asked));
    for (const [position, { column, value, code, reason }] of problems.entries()) {
      problem.run(row, position, column, value, code, reason);
    }
  };
}

/** Notes which membership of its row a row is, and what its ids were derived from. */
function shapeInserter(database: DatabaseSync): (row: number, from: StagedRow) => void {
  const part = database.prepare('insert into parts values (?, ?, ?, ?)');
  database.exec(
    'create temp table derived (row_id integer not null, field text not null, source text not null, primary key (row_id, field)) without rowid',
  );
  const derived = database.prepare('insert into temp.derived values (?, ?, ?)');
  let firstOfRow = 0;
  return (row, { shaped, problems }) => {
    const { part: number = 1, value = '', sources = {} } = shaped ?? {};
    if (number === 1) firstOfRow = row;
    if (number > 1 || value !== '') part.run(row, firstOfRow, number, asText(value));
    if (problems.length > 0) return;
    if (sources.uid) derived.run(row, 'uid', asText(sources.uid));
    if (sources.guid) derived.run(row, 'guid', asText(sources.guid));
  };
}

/** A text of an invalid row, which may be anything. */
function asRead(text: string): string {
  return asText(text.slice(0, MAX_KEPT_TEXT));
}

/** SQL's functions end a text at its first zero. */
function asText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Finds or adds a group and a call group by their names, which compare without regard to case. */
function callGroupFinder(
  database: DatabaseSync,
): (region: Region, guid: string, actor: string, action: Action, later: boolean) => CallGroup {
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
  return (regionName, guid, actor, actionName, later) => {
    const region = regionId(regionName);
    const action = actionId(actionName);
    const known = findGroup.get(region, guid)?.['id'];
    const group = Number(known ?? addGroup.run(region, guid).lastInsertRowid);
    // A group that is new has no call group.
    const old = known === undefined ? undefined : findCallGroup.get(group, actor, action, Number(later))?.['id'];
    return { id: Number(old ?? addCallGroup.run(group, actor, action, Number(later)).lastInsertRowid), group };
  };
}

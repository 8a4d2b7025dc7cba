import type { DatabaseSync } from 'node:sqlite';
import { REGIONS } from '../../chat/service/regions.ts';
import { asError } from '../../errors/rollcall-error.ts';
import type { Action, Region } from '../../membership/membership.ts';
import { closeStaged, openForStaging } from '../../platform/sqlite.ts';
import type { InputRow } from '../read/input-row.ts';
import type { InputDescription } from '../read/notes.ts';
import { actionId, EVERY_GROUP, hashUid, regionId, scopeId } from '../record/enum-ids.ts';
import { IMPORT_SCHEMA } from '../schemas.ts';
import { bulkInsert } from './bulk-insert.ts';
import { cut, markOf, NO_SCOPE, SentRows } from './cut.ts';

/** Characters of rows whose ledger has small pages, at most: some hundred rows. */
const MAX_SMALL = 32 * 1024;

/**
 * Starts staging into the file at `path`, which must not hold an import yet. Call `add` for every chunk of rows and `finish`
 * once, or `abandon`. The first few rows wait until it is known whether they are all.
 */
export function startStaging(path: string, isSilent = false) {
  let few: InputRow[] = [];
  let length = 0;
  let writing: { readonly database: DatabaseSync; readonly inserter: ReturnType<typeof rowInserter> } | undefined;
  let isAbandoned = false;

  const begin = (pageBytes: 512 | 4096) => {
    const database = openForStaging(path, IMPORT_SCHEMA, pageBytes);
    database.exec('begin');
    writing = { database, inserter: rowInserter(database, isSilent) };
    writing.inserter.insert(few);
    few = [];
    return writing;
  };

  return {
    add: (rows: readonly InputRow[]) =>
      namingLedger(() => {
        if (isAbandoned) throw new Error('it was given up');
        if (writing !== undefined) return writing.inserter.insert(rows);
        for (const row of rows) {
          few.push(row);
          length += row.uid.length + row.original.length;
        }
        if (length > MAX_SMALL) begin(4096);
      }),
    /** Finds duplicates, cuts batches and closes the file. */
    finish: (input: InputDescription): void =>
      namingLedger(() => {
        const { database, inserter } = writing ?? begin(512);
        const sent = inserter.finish();
        database.exec('commit');
        cut(database, input, sent);
        closeStaged(database, path);
      }),
    abandon: () => {
      isAbandoned = true;
      writing?.database[Symbol.dispose]();
    },
  };
}

function namingLedger<Result>(write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    const cause = asError(error);
    throw new Error(`the ledger cannot be written: ${cause.message}`, { cause });
  }
}

/** Kept of a text of an invalid row, in characters. */
const MAX_KEPT_TEXT = 200;
/**
 * Call groups that are remembered by name. A bound on memory: when there are as many, all are forgotten, and one that comes
 * again is looked up in SQL.
 */
export const REMEMBERED_CALL_GROUPS = 50_000;

/** The rows that may travel in one call: of one region, group, acting user and action. */
interface CallGroup {
  readonly id: number;
  readonly group: number;
}

const COLUMNS = [
  'line',
  'region_id',
  'group_id',
  'call_group_id',
  'scope_id',
  'uid_hash',
  'uid',
  'original',
  'joined_at',
  'until',
];

/**
 * Inserts rows in the order of the input, and counts the rows read. Row ids are 1, 2, 3, … in that order. `cut` does the rest.
 * @param isSilent all rows of a region may travel in one call
 */
export function rowInserter(database: DatabaseSync, isSilent = false) {
  const inserts = bulkInsert(database, 'rows', COLUMNS);
  const noteProblems = problemInserter(database);
  const noteShape = shapeInserter(database);
  const findCallGroup = callGroupFinder(database, isSilent);
  const callGroups = new Map<string, Map<string, CallGroup>>();
  const sent = new SentRows();
  let remembered = 0;
  let last: Pick<InputRow, 'region' | 'onBehalfOf' | 'action'> | undefined;
  /** Those of the rows that differ from the last one in nothing but their group: most rows do. */
  let alike = new Map<string, CallGroup>();
  let rows = 0;
  /** Rows by region number. */
  const read = [0, ...REGIONS.map(() => 0)];

  const callGroupOf = (row: InputRow): CallGroup => {
    const { region, guid, onBehalfOf, action = 'add' } = row;
    const isAlike = last?.region === region && last.onBehalfOf === onBehalfOf && last.action === row.action;
    if (!isAlike) {
      const name = `${region} ${action} ${onBehalfOf}`;
      alike = callGroups.get(name) ?? new Map();
      callGroups.set(name, alike);
      last = row;
    }
    const known = alike.get(guid);
    if (known !== undefined) return known;
    if (remembered === REMEMBERED_CALL_GROUPS) {
      for (const groups of callGroups.values()) groups.clear();
      remembered = 0;
    }
    const callGroup = findCallGroup(region, guid, onBehalfOf, action);
    alike.set(guid, callGroup);
    remembered += 1;
    return callGroup;
  };

  const insertRow = (row: InputRow): void => {
    rows += 1;
    const isValid = row.problems.length === 0;
    const region = isValid || !row.problems.some(({ code }) => code.includes('REGION')) ? regionId(row.region) : 0;
    read[region] = (read[region] as number) + 1;
    const { line, original, joinedAt = null, until = null } = row;
    if (isValid) {
      const { id, group } = callGroupOf(row);
      const scope = row.action === 'remove' || row.action === 'unban' ? null : scopeId(row.scope);
      const hash = hashUid(row.uid);
      inserts.add(line, region, group, id, scope, hash, row.uid, original, joinedAt, until);
      sent.add(rows, id, scope ?? NO_SCOPE, markOf(group, hash));
      sent.ends ||= until !== null;
    } else {
      const uid = asRead(row.uid) || null;
      inserts.add(line, region || null, null, null, null, uid && hashUid(uid), uid, original, joinedAt, until);
      noteProblems(rows, row);
    }
    if (row.shaped !== undefined) noteShape(rows, row);
  };

  return {
    insert: (chunk: readonly InputRow[]) => {
      for (const row of chunk) insertRow(row);
    },
    finish: () => {
      inserts.finish();
      const counter = database.prepare(`insert into counters (region_id, name, n) values (?, 'read', ?)`);
      for (const [region, n] of read.entries()) if (n > 0) counter.run(region, n);
      return sent;
    },
  };
}

/** Notes why a row is invalid or left out. */
function problemInserter(database: DatabaseSync): (row: number, from: InputRow) => void {
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
function shapeInserter(database: DatabaseSync): (row: number, from: InputRow) => void {
  const part = database.prepare('insert into parts values (?, ?, ?, ?)');
  database.exec(
    'create temp table derived (row_id integer not null, field text not null, source text not null, primary key (row_id, field)) without rowid',
  );
  const derived = database.prepare('insert into temp.derived values (?, ?, ?)');
  let firstOfRow = 0;
  return (row, { shaped, problems }) => {
    const { part: number = 1, value = '', sources } = shaped ?? {};
    if (number === 1) firstOfRow = row;
    if (number > 1 || value !== '') part.run(row, firstOfRow, number, asText(value));
    if (problems.length > 0) return;
    if (sources?.uid) derived.run(row, 'uid', asText(sources.uid));
    if (sources?.guid) derived.run(row, 'guid', asText(sources.guid));
  };
}

/** A text of an invalid row, which may be anything. */
function asRead(text: string) {
  return asText(text.slice(0, MAX_KEPT_TEXT));
}

/** SQL's functions end a text at its first zero. */
function asText(text: string) {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Finds or adds a group and a call group by their names, which compare without regard to case. */
function callGroupFinder(
  database: DatabaseSync,
  isSilent: boolean,
): (region: Region, guid: string, actor: string, action: Action) => CallGroup {
  database.exec(`
    create unique index if not exists groups_by_name on groups (region_id, guid collate nocase);
    create unique index if not exists call_groups_by_name on call_groups (group_id, on_behalf_of collate nocase, action_id, later);
  `);
  // Each is looked up first: one statement that adds or finds makes a file of a million groups take twice as long to insert.
  const findGroup = database.prepare('select id from groups where region_id = ? and guid = ? collate nocase');
  const addGroup = database.prepare('insert into groups (region_id, guid) values (?, ?)');
  const findCallGroup = database.prepare(
    'select id from call_groups where group_id = ? and on_behalf_of = ? collate nocase and action_id = ?',
  );
  const addCallGroup = database.prepare('insert into call_groups (group_id, on_behalf_of, action_id) values (?, ?, ?)');
  const groupOf = (region: number, guid: string): number =>
    Number(findGroup.get(region, guid)?.['id'] ?? addGroup.run(region, guid).lastInsertRowid);
  return (regionName, guid, actor, actionName) => {
    const region = regionId(regionName);
    const action = actionId(actionName);
    const group = groupOf(region, guid);
    const of = isSilent ? groupOf(region, EVERY_GROUP) : group;
    const known = findCallGroup.get(of, actor, action)?.['id'];
    return { id: Number(known ?? addCallGroup.run(of, actor, action).lastInsertRowid), group };
  };
}

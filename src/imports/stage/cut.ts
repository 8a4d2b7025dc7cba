import type { DatabaseSync } from 'node:sqlite';
import { MAX_IMPORTED_PER_CALL, MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import { inTransaction, readStatements, type Statements, statementsOf } from '../../platform/sqlite.ts';
import { sameWord } from '../../text/same-text.ts';
import type { InputDescription } from '../read/notes.ts';
import { actionId, scopeId } from '../record/enum-ids.ts';
import { bulkInsert } from './bulk-insert.ts';

/** The scope that a removal counts with, which has none. */
export const NO_SCOPE = scopeId('participant');
const BAN = scopeId('ban');

/** Rows that travel in one call, by their ids in the order of the input. */
interface Piece {
  readonly callGroup: number;
  /** The first piece of its call group is 0. */
  readonly turn: number;
  readonly rows: Uint32Array;
  /** Number of rows that ban. */
  readonly bans: number;
}

/**
 * The rows that are sent, by their ids from 1 on: 9 bytes for each. Sorting them here takes a tenth of the time in which SQLite
 * sorts them.
 */
export class SentRows {
  /** Whether memberships of them end. */
  ends = false;
  /** 0: the row is not sent. */
  #callGroups = new Uint32Array(1_024);
  #scopes = new Uint8Array(1_024);
  /** 0: the row is not compared with others. */
  #marks = new Uint32Array(1_024);
  #end = 1;
  #lastCallGroup = 0;

  /** @param row greater than those before @param mark see markOf */
  add(row: number, callGroup: number, scope: number, mark = 0) {
    if (row >= this.#marks.length) {
      this.#callGroups = copied(this.#callGroups, new Uint32Array(row * 2));
      this.#scopes = copied(this.#scopes, new Uint8Array(row * 2));
      this.#marks = copied(this.#marks, new Uint32Array(row * 2));
    }
    this.#callGroups[row] = callGroup;
    this.#scopes[row] = scope;
    this.#marks[row] = mark;
    this.#end = row + 1;
    if (callGroup > this.#lastCallGroup) this.#lastCallGroup = callGroup;
  }

  leaveOut(row: number) {
    this.#callGroups[row] = 0;
  }

  scopeOf(row: number) {
    return Number(this.#scopes[row]);
  }

  /** Rows whose mark another row has. */
  *repeated(): Generator<number> {
    const marks = this.#marks.subarray(0, this.#end);
    const sorted = marks.toSorted();
    const repeats = sorted.filter((mark, at) => mark !== 0 && mark === sorted[at + 1] && mark !== sorted[at - 1]);
    if (repeats.length === 0) return;
    for (let row = 1; row < this.#end; row += 1) if (isIn(repeats, Number(marks[row]))) yield row;
  }

  /** The first pieces of all call groups, then the second ones, and so on. @param most rows of a piece, by call group */
  *pieces(most: (callGroup: number) => number): Generator<Piece> {
    const { rows, starts, ends } = this.#byCallGroup();
    let open = Array.from(ends.keys()).filter((callGroup) => callGroup > 0 && starts[callGroup] !== ends[callGroup]);
    for (let turn = 0; open.length > 0; turn++) {
      const rest: number[] = [];
      for (const callGroup of open) {
        const start = Number(starts[callGroup]);
        const end = Number(ends[callGroup]);
        const next = Math.min(end, start + most(callGroup));
        const piece = rows.subarray(start, next);
        yield { callGroup, turn, rows: piece, bans: this.#bansIn(piece) };
        starts[callGroup] = next;
        if (next < end) rest.push(callGroup);
      }
      open = rest;
    }
  }

  /** The rows of a call group stand together, in the order of the input. */
  #byCallGroup(): { rows: Uint32Array; starts: Uint32Array; ends: Uint32Array } {
    const callGroups = this.#callGroups.subarray(0, this.#end);
    const starts = new Uint32Array(this.#lastCallGroup + 1);
    for (const callGroup of callGroups) starts[callGroup] = Number(starts[callGroup]) + 1;
    let sum = 0;
    for (const [callGroup, size] of starts.entries()) {
      starts[callGroup] = sum;
      sum += size;
    }
    const ends = starts.slice();
    const rows = new Uint32Array(sum);
    for (let row = 0; row < this.#end; row += 1) {
      const callGroup = Number(callGroups[row]);
      const at = Number(ends[callGroup]);
      rows[at] = row;
      ends[callGroup] = at + 1;
    }
    return { rows, starts, ends };
  }

  #bansIn(rows: Uint32Array) {
    let bans = 0;
    for (const row of rows) if (this.#scopes[row] === BAN) bans += 1;
    return bans;
  }
}

/** A mark of a row: rows that ask for the same have the same, and hardly any others do. @param hash of the UID */
export function markOf(group: number, hash: number) {
  return (Math.imul(group, 0x9e37_79b1) ^ hash ^ (hash / 0x20_0000)) >>> 0 || 1;
}

function copied<List extends Uint32Array | Uint8Array>(from: List, into: List): List {
  into.set(from);
  return into;
}

/** Whether a number is among others, which are sorted. */
function isIn(sorted: Uint32Array, wanted: number) {
  let from = 0;
  for (let to = sorted.length; from < to; ) {
    const middle = (from + to) >>> 1;
    if (Number(sorted[middle]) < wanted) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === wanted;
}

const CLASHES = new URL('clashes.sql', import.meta.url);
const STATEMENTS = new URL('cut.sql', import.meta.url);

/**
 * Takes the rows of `temp.left_out` out of their batches, of which none was sent, and cuts the batches of their call groups
 * again. Counts messages again. In a transaction of the caller, once on a connection.
 */
export function cutAgain(database: DatabaseSync) {
  cutBatches(database, (sql) => {
    const sent = new SentRows();
    type Row = { id: number; call_group_id: number; scope_id: number };
    for (const { id, call_group_id, scope_id } of sql<Row>('sent_rows').iterate({ lowest: NO_SCOPE }))
      sent.add(id, call_group_id, scope_id);
    return sent;
  });
}

/** Leaves out temp.left_out, and cuts the other rows into batches. @param rowsSent those of the call groups without batches */
function cutBatches(database: DatabaseSync, rowsSent: (sql: Statements) => SentRows) {
  const sql = statementsOf(database, STATEMENTS);
  for (const name of ['index_left_out', 'leave_out', 'empty_batches', 'forget_batches']) sql(name).run();
  const sent = rowsSent(sql);
  const add = actionId('add');
  const sizes = new Map(
    sql<{ id: number; size: number }>('other_sizes')
      .all({ add, together: MAX_IMPORTED_PER_CALL })
      .map(({ id, size }) => [id, size]),
  );
  sql('begin_pieces').run();
  const pieces = bulkInsert(database, 'temp.pieces', ['id', 'call_group_id', 'turn', 'size', 'bans']);
  const memberships = bulkInsert(database, 'memberships', ['batch_id', 'row_id', 'scope_id']);
  let batch = sql<{ id: number }>('last_batch').get()?.id ?? 0;
  for (const { callGroup, turn, rows, bans } of sent.pieces((id) => sizes.get(id) ?? MAX_UIDS_PER_CALL)) {
    batch += 1;
    pieces.add(batch, callGroup, turn, rows.length, bans);
    for (const row of rows) memberships.add(batch, row, sent.scopeOf(row));
  }
  pieces.finish();
  memberships.finish();
  sql('list_batches').run({ add });
  if ([...sizes.values()].includes(MAX_IMPORTED_PER_CALL)) sql('index_groups').run();
  sql('find_batch_of_row').run();
  sql('count_messages').run({ add, call: MAX_UIDS_PER_CALL, together: MAX_IMPORTED_PER_CALL });
}

/** Finds duplicates and contradictions (clashes.sql says how) and cuts the rest into batches. */
export function cut(database: DatabaseSync, input: InputDescription, sent: SentRows): void {
  inTransaction(database, () => {
    database
      .prepare(`insert into input (id, format, kind, delimiter, columns, recognised, notes, shaped, rows_read, entries, ends)
         values (1, :format, :kind, :delimiter, :columns, :recognised, :notes, :shaped, :rowsRead, :entries, :ends)`)
      .run({
        format: input.format,
        kind: input.kind ?? input.format,
        delimiter: input.delimiter,
        columns: JSON.stringify(input.columns),
        recognised: JSON.stringify(input.recognised),
        notes: JSON.stringify(input.notes ?? []),
        shaped: Number(input.shaped ?? false),
        rowsRead: input.rowsRead ?? null,
        entries: input.entries ?? null,
        ends: Number(sent.ends),
      });
    findClashes(database, sent);
    cutBatches(database, (sql) => {
      for (const { row_id } of sql<{ row_id: number }>('rows_left_out').iterate()) sent.leaveOut(row_id);
      return sent;
    });
  });
}

/** Finds rows that cannot all be sent, and notes why in `problems` and `duplicates`. */
export function findClashes(database: DatabaseSync, sent: SentRows) {
  database.exec('create temp table suspects (row_id integer primary key)');
  const suspects = bulkInsert(database, 'temp.suspects', ['row_id']);
  for (const row of sent.repeated()) suspects.add(row);
  suspects.finish();
  database.function('same_word', { deterministic: true }, (text) => sameWord(String(text)));
  const values = { lowest: NO_SCOPE, ban: BAN };
  for (const text of readStatements(CLASHES).values()) {
    const used = Object.entries(values).filter(([name]) => text.includes(`:${name}`));
    database.prepare(text).run(Object.fromEntries(used));
  }
}

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import { inTransaction, readStatements } from '../../platform/sqlite.ts';
import { actionId, scopeId } from '../record/enum-ids.ts';
import { type BulkInsert, bulkInsert } from './bulk-insert.ts';
import type { InputDescription } from './staged-row.ts';

/** Rows become batches: most while they come, the rest when all are known. */

/** A row without a scope is a removal: the lowest scope is a placeholder. */
const NO_SCOPE = scopeId('participant');
const BAN = scopeId('ban');

/** A region, a group, an acting user and an action: the rows that may travel in one call. */
export interface CallGroup {
  readonly id: number;
  readonly group: number;
  readonly region: number;
  readonly later: boolean;
  /** No row has been in it. */
  readonly isNew: boolean;
  /** Where its open batch is filled, once it has been given one. */
  slot: number;
}

/** Rows that are in no batch. */
const REST =
  'create temp table rest (call_group_id integer not null, row_id integer not null, scope_id integer not null)';

/** The turn of a call group's next batch is not known: it may have had batches before. */
const UNKNOWN = -1;

/**
 * Fills batches while rows come: the rows of a call group (region, group, acting user, action) are collected until a
 * call is full. That needs no sorting. Rows that do not fill a batch are put aside in `temp.rest`, and cut.sql sorts those. It
 * also reopens the batches of call groups that have duplicates, so that no call group takes more calls than it needs.
 */
export class Filling {
  readonly #memberships: BulkInsert;
  readonly #batches: BulkInsert;
  readonly #rest: BulkInsert;
  readonly #countBatches: StatementSync;
  /** Open rows and their scopes by slot, MAX_UIDS_PER_CALL places each; how many there are. */
  readonly #rows: Int32Array;
  readonly #scopes: Uint8Array;
  readonly #open: Uint8Array;
  /** What the slots belong to, and the turns of their next batches. */
  readonly #callGroups: CallGroup[] = [];
  readonly #slots = new Map<number, number>();
  readonly #turns: Int32Array;
  #lastBatch = 0;

  /** @param slots call groups that can be open at the same time */
  constructor(database: DatabaseSync, slots: number) {
    this.#rows = new Int32Array(slots * MAX_UIDS_PER_CALL);
    this.#scopes = new Uint8Array(slots * MAX_UIDS_PER_CALL);
    this.#open = new Uint8Array(slots);
    this.#turns = new Int32Array(slots);
    database.exec(REST);
    this.#memberships = bulkInsert(database, 'memberships', ['batch_id', 'row_id', 'scope_id']);
    const batch = ['id', 'call_group_id', 'region_id', 'turn', 'state', 'size', 'bans'];
    this.#batches = bulkInsert(database, 'batches', batch);
    this.#countBatches = database.prepare('select count(*) as n from batches where call_group_id = ?');
    this.#rest = bulkInsert(database, 'temp.rest', ['call_group_id', 'row_id', 'scope_id']);
  }

  /** Gives a call group its slot: that of another spelling of it, else the next. */
  open(callGroup: CallGroup): void {
    const slot = this.#slots.get(callGroup.id) ?? this.#callGroups.length;
    callGroup.slot = slot;
    if (slot < this.#callGroups.length) return;
    this.#callGroups.push(callGroup);
    this.#slots.set(callGroup.id, slot);
    this.#turns[slot] = callGroup.isNew ? 0 : UNKNOWN;
  }

  /** Puts a row into the open batch of a slot. */
  add(slot: number, row: number, scope: number): void {
    const open = this.#open[slot] as number;
    const at = slot * MAX_UIDS_PER_CALL + open;
    this.#rows[at] = row;
    this.#scopes[at] = scope;
    this.#open[slot] = open + 1;
    if (open + 1 === MAX_UIDS_PER_CALL) this.#close(slot);
  }

  /** Puts a row aside. */
  leave(callGroup: number, row: number, scope: number | null): void {
    const { values } = this.#rest;
    const at = this.#rest.next();
    values[at] = callGroup;
    values[at + 1] = row;
    values[at + 2] = scope ?? NO_SCOPE;
  }

  /** Puts aside what is open; slots are given out from the first again. */
  leaveOpen(): void {
    for (const [slot, { id }] of this.#callGroups.entries()) {
      const from = slot * MAX_UIDS_PER_CALL;
      for (let at = from; at < from + (this.#open[slot] as number); at += 1) {
        this.leave(id, this.#rows[at] as number, this.#scopes[at] as number);
      }
      this.#open[slot] = 0;
    }
    this.#callGroups.length = 0;
    this.#slots.clear();
  }

  finish(): void {
    this.leaveOpen();
    for (const inserts of [this.#memberships, this.#batches, this.#rest]) inserts.finish();
  }

  #close(slot: number): void {
    this.#lastBatch += 1;
    const memberships = this.#memberships;
    let bans = 0;
    for (let at = slot * MAX_UIDS_PER_CALL; at < (slot + 1) * MAX_UIDS_PER_CALL; at += 1) {
      const scope = this.#scopes[at] as number;
      if (scope === BAN) bans += 1;
      const place = memberships.next();
      memberships.values[place] = this.#lastBatch;
      memberships.values[place + 1] = this.#rows[at] as number;
      memberships.values[place + 2] = scope;
    }
    const { id, region, later } = this.#callGroups[slot] as CallGroup;
    const known = this.#turns[slot] as number;
    const turn = known === UNKNOWN ? this.#batchesOf(id) : known;
    const place = this.#batches.next();
    const { values } = this.#batches;
    values[place] = this.#lastBatch;
    values[place + 1] = id;
    values[place + 2] = region;
    values[place + 3] = turn;
    values[place + 4] = later ? 'later' : 'pending';
    values[place + 5] = MAX_UIDS_PER_CALL;
    values[place + 6] = bans;
    this.#turns[slot] = turn + 1;
    this.#open[slot] = 0;
  }

  #batchesOf(callGroup: number): number {
    this.#batches.finish();
    return Number(this.#countBatches.get(callGroup)?.['n']);
  }
}

/** What the statements of cut.sql take. */
const VALUES = { size: MAX_UIDS_PER_CALL, add: actionId('add'), lowest: NO_SCOPE, ban: BAN };

const STATEMENTS = new URL('cut.sql', import.meta.url);
/** Those of cut.sql that take rows out of batches which are not sent yet, from the first to the last. */
const AGAIN = ['index_left_out', 'list_batches'] as const;

function runAll(database: DatabaseSync, texts: Iterable<string>): void {
  for (const text of texts) {
    const used = Object.entries(VALUES).filter(([name]) => text.includes(`:${name}`));
    database.prepare(text).run(Object.fromEntries(used));
  }
}

/**
 * Takes the rows of `temp.left_out` out of batches of which none was sent, and cuts what is left of these and of batches
 * that are not full into new ones. Counts messages again. In a transaction of the caller, once on a connection.
 */
export function cutAgain(database: DatabaseSync): void {
  const statements = [...readStatements(STATEMENTS)];
  const place = (wanted: string) => statements.findIndex(([name]) => name === wanted);
  const [from, to] = AGAIN.map(place);
  database.exec(REST);
  runAll(
    database,
    statements
      .slice(from, Number(to) + 1)
      .concat(statements.slice(place('count_messages')))
      .map(([, text]) => text),
  );
}

export interface StagedTotals {
  readonly rows: number;
  readonly batches: number;
}

/** Finds duplicates and contradictions and cuts the rest into batches (cut.sql says how). */
export function cut(database: DatabaseSync, input: InputDescription): StagedTotals {
  inTransaction(database, () => {
    database
      .prepare(`insert into input (id, format, kind, delimiter, columns, recognised, notes, shaped, rows_read, entries)
         values (1, :format, :kind, :delimiter, :columns, :recognised, :notes, :shaped, :rowsRead, :entries)`)
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
      });
    runAll(database, readStatements(STATEMENTS).values());
  });
  // Rows are numbered without a gap; to count them would read all of the file.
  const totals = database
    .prepare('select coalesce(max(id), 0) as rows, (select count(*) from batches) as batches from rows')
    .get();
  return { rows: Number(totals?.['rows']), batches: Number(totals?.['batches']) };
}

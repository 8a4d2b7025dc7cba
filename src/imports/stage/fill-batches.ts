import type { DatabaseSync } from 'node:sqlite';
import { MAX_UIDS_PER_CALL } from '../../membership/member-lists.ts';
import { scopeId } from '../record/enum-ids.ts';
import { type BulkInsert, bulkInsert } from './bulk-insert.ts';

/** A row without a scope asks for a removal: the lowest is in its place, and means nothing. */
const NO_SCOPE = scopeId('participant');
const BAN = scopeId('ban');

/**
 * Fills batches while rows come: rows of a lane gather until they are as many as a call carries. That needs no sorting.
 * What does not make a full batch is put aside in `temp.rest`, and cut.sql sorts that. It also takes back the batches of
 * lanes in which duplicates come to light, so that no lane takes more calls than it needs.
 */
export class Filling {
  readonly #memberships: BulkInsert;
  readonly #batches: BulkInsert;
  readonly #rest: BulkInsert;
  /** Open rows and their scopes by slot, MAX_UIDS_PER_CALL places each; how many there are, and of which lane. */
  readonly #rows: Int32Array;
  readonly #scopes: Uint8Array;
  readonly #open: Uint8Array;
  readonly #lanes: Int32Array;
  #slots = 0;
  #lastBatch = 0;

  /** @param slots Lanes that can be open at the same time. */
  constructor(database: DatabaseSync, slots: number) {
    this.#rows = new Int32Array(slots * MAX_UIDS_PER_CALL);
    this.#scopes = new Uint8Array(slots * MAX_UIDS_PER_CALL);
    this.#open = new Uint8Array(slots);
    this.#lanes = new Int32Array(slots);
    database.exec(`
      create temp table rest (lane_id integer not null, row_id integer not null, scope_id integer not null);
      create temp table filled (batch_id integer primary key, lane_id integer not null, bans integer not null);
    `);
    this.#memberships = bulkInsert(database, 'memberships', ['batch_id', 'row_id', 'scope_id']);
    this.#batches = bulkInsert(database, 'temp.filled', ['batch_id', 'lane_id', 'bans']);
    this.#rest = bulkInsert(database, 'temp.rest', ['lane_id', 'row_id', 'scope_id']);
  }

  /** A slot for a lane. */
  slotFor(lane: number): number {
    const slot = this.#slots;
    this.#slots += 1;
    this.#lanes[slot] = lane;
    return slot;
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
  leave(lane: number, row: number, scope: number | null): void {
    this.#rest.values.push(lane, row, scope ?? NO_SCOPE);
    this.#rest.added();
  }

  /** Puts aside what is open; slots are given out from the first again. */
  leaveOpen(): void {
    for (let slot = 0; slot < this.#slots; slot += 1) {
      const from = slot * MAX_UIDS_PER_CALL;
      for (let at = from; at < from + (this.#open[slot] as number); at += 1) {
        this.leave(this.#lanes[slot] as number, this.#rows[at] as number, this.#scopes[at] as number);
      }
      this.#open[slot] = 0;
    }
    this.#slots = 0;
  }

  finish(): void {
    this.leaveOpen();
    for (const inserts of [this.#memberships, this.#batches, this.#rest]) inserts.finish();
  }

  #close(slot: number): void {
    this.#lastBatch += 1;
    let bans = 0;
    for (let at = slot * MAX_UIDS_PER_CALL; at < (slot + 1) * MAX_UIDS_PER_CALL; at += 1) {
      const scope = this.#scopes[at] as number;
      if (scope === BAN) bans += 1;
      this.#memberships.values.push(this.#lastBatch, this.#rows[at] as number, scope);
      this.#memberships.added();
    }
    this.#batches.values.push(this.#lastBatch, this.#lanes[slot] as number, bans);
    this.#batches.added();
    this.#open[slot] = 0;
  }
}

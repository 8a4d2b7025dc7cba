import type { DatabaseSync } from 'node:sqlite';

/** Parts by the lowest bits of the key: equal keys are in the same part, and one part at a time is looked at. */
const PARTS = 64;
/** Entries of a part that are kept in memory; full ones go into a temporary table. */
const KEPT = 1_024;

/**
 * Finds keys that occur more than once among any number of them, in little memory and without sorting: a part of all
 * keys fits into a hash table, even of a hundred million. The table that keeps the rest is SQLite's to clear away.
 */
export class Repeats {
  readonly #database: DatabaseSync;
  readonly #keys = new Float64Array(PARTS * KEPT);
  readonly #rows = new Int32Array(PARTS * KEPT);
  readonly #filled = new Int32Array(PARTS);

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec('create temp table repeats (part integer not null, keys blob not null, row_ids blob not null)');
  }

  /** `key` is a whole number that a double holds exactly; `row` says where it occurs. */
  add(key: number, row: number): void {
    const part = key & (PARTS - 1);
    const at = part * KEPT + (this.#filled[part] as number);
    this.#keys[at] = key;
    this.#rows[at] = row;
    this.#filled[part] = (this.#filled[part] as number) + 1;
    if (this.#filled[part] === KEPT) this.#put(part);
  }

  /** All rows whose key another row has, too. */
  *rows(): Generator<number> {
    this.#database.exec('create index temp.repeats_by_part on repeats (part)');
    const put = this.#database.prepare('select keys, row_ids from temp.repeats where part = ?');
    for (let part = 0; part < PARTS; part += 1) {
      const pieces = put.all(part) as unknown as { keys: Uint8Array; row_ids: Uint8Array }[];
      const from = part * KEPT;
      const to = from + (this.#filled[part] as number);
      const size = pieces.length * KEPT + to - from;
      if (size < 2) continue;
      const keys = new Float64Array(size);
      const rows = new Int32Array(size);
      const keyBytes = new Uint8Array(keys.buffer);
      const rowBytes = new Uint8Array(rows.buffer);
      for (const [index, piece] of pieces.entries()) {
        keyBytes.set(piece.keys, index * piece.keys.length);
        rowBytes.set(piece.row_ids, index * piece.row_ids.length);
      }
      keys.set(this.#keys.subarray(from, to), pieces.length * KEPT);
      rows.set(this.#rows.subarray(from, to), pieces.length * KEPT);
      yield* repeatedIn(keys, rows);
    }
    this.#database.exec('drop table temp.repeats');
  }

  #put(part: number): void {
    const from = part * KEPT;
    const bytes = ({ buffer, byteOffset, byteLength }: Float64Array | Int32Array) =>
      new Uint8Array(buffer, byteOffset, byteLength);
    this.#database
      .prepare('insert into temp.repeats values (?, ?, ?)')
      .run(part, bytes(this.#keys.subarray(from, from + KEPT)), bytes(this.#rows.subarray(from, from + KEPT)));
    this.#filled[part] = 0;
  }
}

function* repeatedIn(keys: Float64Array, rows: Int32Array): Generator<number> {
  const bits = Math.ceil(Math.log2(keys.length)) + 1;
  const mask = 2 ** bits - 1;
  /** By place: the first entry with a key, counted from 1. */
  const first = new Int32Array(2 ** bits);
  const repeated = new Uint8Array(keys.length);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as number;
    let place = (Math.imul((key | 0) ^ Math.floor(key / 2 ** 32), 0x9e3779b1) >>> (32 - bits)) & mask;
    while (first[place] !== 0 && keys[(first[place] as number) - 1] !== key) place = (place + 1) & mask;
    if (first[place] === 0) first[place] = index + 1;
    else {
      repeated[(first[place] as number) - 1] = 1;
      repeated[index] = 1;
    }
  }
  for (let index = 0; index < keys.length; index += 1) if (repeated[index] === 1) yield rows[index] as number;
}

import type { DatabaseSync } from 'node:sqlite';

/** Parts by the lowest bits of the key: equal keys are in the same part, and one part at a time is looked at. */
const PARTS = 64;
/** Entries of a part that are kept in memory; full ones go into a temporary table. */
const KEPT = 1_024;

/**
 * Finds keys that occur more than once, in little memory and without sorting: one part of the keys at a time fits into a
 * hash table, even of a hundred million. SQLite deletes the table that holds the rest.
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
    const stored = this.#database.prepare('select part, count(*) as n from temp.repeats group by part').all();
    const pieces = new Map(stored.map(({ part, n }) => [Number(part), Number(n)]));
    const sizeOf = (part: number) => (pieces.get(part) ?? 0) * KEPT + (this.#filled[part] as number);
    // One set of arrays for all parts: the garbage of 64 would be most of the memory that a large import takes.
    const found = new PartOfKeys(Math.max(...Array.from({ length: PARTS }, (_, part) => sizeOf(part))));
    for (let part = 0; part < PARTS; part += 1) {
      if (sizeOf(part) < 2) continue;
      found.clear();
      for (const piece of put.iterate(part))
        found.addBytes(piece['keys'] as Uint8Array, piece['row_ids'] as Uint8Array);
      const from = part * KEPT;
      const to = from + (this.#filled[part] as number);
      found.add(this.#keys.subarray(from, to), this.#rows.subarray(from, to));
      yield* found.repeated();
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

/** Keys that are compared with each other, and the rows that have them. */
class PartOfKeys {
  readonly #keys: Float64Array;
  readonly #rows: Int32Array;
  readonly #repeated: Uint8Array;
  readonly #bits: number;
  /** By place: the first entry with a key, counted from 1. */
  readonly #first: Int32Array;
  #size = 0;

  constructor(capacity: number) {
    this.#keys = new Float64Array(capacity);
    this.#rows = new Int32Array(capacity);
    this.#repeated = new Uint8Array(capacity);
    this.#bits = Math.ceil(Math.log2(Math.max(capacity, 1))) + 1;
    this.#first = new Int32Array(2 ** this.#bits);
  }

  clear(): void {
    this.#size = 0;
    this.#repeated.fill(0);
    this.#first.fill(0);
  }

  add(keys: Float64Array, rows: Int32Array): void {
    this.#keys.set(keys, this.#size);
    this.#rows.set(rows, this.#size);
    this.#size += keys.length;
  }

  /** Keys and rows as `add` had them, as bytes. */
  addBytes(keys: Uint8Array, rows: Uint8Array): void {
    new Uint8Array(this.#keys.buffer).set(keys, this.#size * Float64Array.BYTES_PER_ELEMENT);
    new Uint8Array(this.#rows.buffer).set(rows, this.#size * Int32Array.BYTES_PER_ELEMENT);
    this.#size += rows.length / Int32Array.BYTES_PER_ELEMENT;
  }

  /** Rows whose key another row has, too, in the order in which they were added. */
  *repeated(): Generator<number> {
    const mask = 2 ** this.#bits - 1;
    const first = this.#first;
    const keys = this.#keys;
    for (let index = 0; index < this.#size; index += 1) {
      const key = keys[index] as number;
      let place = (Math.imul((key | 0) ^ Math.floor(key / 2 ** 32), 0x9e3779b1) >>> (32 - this.#bits)) & mask;
      while (first[place] !== 0 && keys[(first[place] as number) - 1] !== key) place = (place + 1) & mask;
      if (first[place] === 0) first[place] = index + 1;
      else {
        this.#repeated[(first[place] as number) - 1] = 1;
        this.#repeated[index] = 1;
      }
    }
    for (let index = 0; index < this.#size; index += 1) {
      if (this.#repeated[index] === 1) yield this.#rows[index] as number;
    }
  }
}

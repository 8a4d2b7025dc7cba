import { closeSync, readSync, writeFileSync } from 'node:fs';
import { namelessFile } from '../../platform/nameless-file.ts';

/** Parts by the lowest bits of the key: equal keys are in the same part, and one part at a time is looked at. */
const PARTS = 64;
/** Entries of a part that are kept in memory: a piece. Full ones go into a file. */
const KEPT = 1_024;
const KEY_BYTES = KEPT * Float64Array.BYTES_PER_ELEMENT;
const ROW_BYTES = KEPT * Int32Array.BYTES_PER_ELEMENT;

/**
 * Finds keys that occur more than once, in little memory and without sorting: one part of the keys at a time fits into a
 * hash table, even of a hundred million. The rest is in a file, which is read into the same memory for every part: what SQLite
 * gives back is new memory for each value, and tens of MB until V8 frees it.
 */
export class Repeats {
  readonly #folder: string;
  readonly #keys = new Float64Array(PARTS * KEPT);
  readonly #rows = new Int32Array(PARTS * KEPT);
  readonly #filled = new Int32Array(PARTS);
  #file: number | undefined;
  /** By part: the pieces of the file that are its own, counted from 0. */
  readonly #pieces: number[][] = Array.from({ length: PARTS }, () => []);
  #written = 0;

  /** @param folder for the file */
  constructor(folder: string) {
    this.#folder = folder;
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
    const sizes = this.#pieces.map((pieces, part) => pieces.length * KEPT + (this.#filled[part] as number));
    // One set of arrays for all parts: the garbage of 64 would be most of the memory that a large import takes.
    const found = new PartOfKeys(Math.max(...sizes));
    for (const [part, pieces] of this.#pieces.entries()) {
      if ((sizes[part] as number) < 2) continue;
      found.clear();
      for (const piece of pieces) found.addPiece(this.#file ?? -1, piece * (KEY_BYTES + ROW_BYTES));
      const from = part * KEPT;
      const to = from + (this.#filled[part] as number);
      found.add(this.#keys.subarray(from, to), this.#rows.subarray(from, to));
      yield* found.repeated();
    }
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #put(part: number): void {
    const from = part * KEPT;
    this.#file ??= namelessFile(this.#folder);
    // Behind the piece before it.
    writeFileSync(this.#file, this.#keys.subarray(from, from + KEPT));
    writeFileSync(this.#file, this.#rows.subarray(from, from + KEPT));
    this.#pieces[part]?.push(this.#written);
    this.#written += 1;
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

  /** Adds the piece at this place of the file. */
  addPiece(file: number, position: number): void {
    const keys = new Uint8Array(this.#keys.buffer, this.#size * Float64Array.BYTES_PER_ELEMENT, KEY_BYTES);
    const rows = new Uint8Array(this.#rows.buffer, this.#size * Int32Array.BYTES_PER_ELEMENT, ROW_BYTES);
    const read = readSync(file, keys, { position }) + readSync(file, rows, { position: position + KEY_BYTES });
    if (read !== KEY_BYTES + ROW_BYTES) throw new Error(`the file of keys lacks what was written at ${position}`);
    this.#size += KEPT;
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

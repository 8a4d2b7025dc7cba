import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntakeError } from '../intake-error.ts';

/** A piece of the texts, in bytes. */
const PAGE_BYTES = 64 * 1024;
/** Pages that stay in memory: 64 MB. */
const KEPT_PAGES = 1024;
/** Pages of the file that are in memory at a time: 16 MB. */
const CACHED_PAGES = 256;
/** Texts that a workbook may share: eight bytes of memory each. */
const MAX_TEXTS = 20_000_000;

/**
 * Texts by number, as a workbook keeps those of its cells: each once, all of them needed until the last row is read. The
 * first 64 MB stay in memory, the rest goes to a file without a name, which the system removes when it is closed.
 */
export class TextTable {
  readonly #folder: string;
  readonly #pages: Buffer[] = [];
  readonly #cached = new Map<number, Buffer>();
  /** End of each text, in bytes from the first. */
  #ends = new Float64Array(1024);
  #count = 0;
  #bytes = 0;
  #page = Buffer.allocUnsafe(PAGE_BYTES);
  #file: number | undefined;

  /** @param folder where the file is made */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get count(): number {
    return this.#count;
  }

  /** Throws TOO_LARGE. */
  add(text: string): void {
    if (this.#count === MAX_TEXTS) throw tooMany();
    if (this.#count === this.#ends.length) {
      const longer = new Float64Array(this.#ends.length * 2);
      longer.set(this.#ends);
      this.#ends = longer;
    }
    const bytes = Buffer.from(text);
    for (let from = 0; from < bytes.length; ) {
      const at = this.#bytes % PAGE_BYTES;
      const copied = bytes.copy(this.#page, at, from);
      from += copied;
      this.#bytes += copied;
      if (at + copied === PAGE_BYTES) this.#keepPage();
    }
    this.#ends[this.#count] = this.#bytes;
    this.#count += 1;
  }

  /** Undefined where no text has this number. */
  get(index: number): string | undefined {
    if (!(index >= 0 && index < this.#count)) return undefined;
    const start = index === 0 ? 0 : (this.#ends[index - 1] ?? 0);
    const end = this.#ends[index] ?? 0;
    const first = Math.floor(start / PAGE_BYTES);
    const from = start - first * PAGE_BYTES;
    const to = end - first * PAGE_BYTES;
    if (to <= PAGE_BYTES) return this.#pageAt(first).toString('utf8', from, to);
    const pieces: Buffer[] = [this.#pageAt(first).subarray(from)];
    for (let page = first + 1, left = to - PAGE_BYTES; left > 0; page += 1, left -= PAGE_BYTES) {
      pieces.push(this.#pageAt(page).subarray(0, Math.min(left, PAGE_BYTES)));
    }
    return Buffer.concat(pieces).toString();
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** The page is full. */
  #keepPage(): void {
    if (this.#pages.length < KEPT_PAGES) {
      this.#pages.push(this.#page);
      this.#page = Buffer.allocUnsafe(PAGE_BYTES);
      return;
    }
    this.#file ??= namelessFile(this.#folder);
    // Behind the page before it.
    writeFileSync(this.#file, this.#page);
  }

  #pageAt(number: number): Buffer {
    const kept = this.#pages[number];
    if (kept !== undefined) return kept;
    if (number === Math.floor(this.#bytes / PAGE_BYTES)) return this.#page;
    const cached = this.#cached.get(number);
    if (cached !== undefined) {
      this.#cached.delete(number);
      this.#cached.set(number, cached);
      return cached;
    }
    const [oldest] = this.#cached.size < CACHED_PAGES ? [] : this.#cached.keys();
    const page = (oldest === undefined ? undefined : this.#cached.get(oldest)) ?? Buffer.allocUnsafe(PAGE_BYTES);
    if (oldest !== undefined) this.#cached.delete(oldest);
    readSync(this.#file ?? -1, page, 0, PAGE_BYTES, (number - KEPT_PAGES) * PAGE_BYTES);
    this.#cached.set(number, page);
    return page;
  }
}

function tooMany(): IntakeError {
  return new IntakeError({
    code: 'TOO_LARGE',
    what: `the workbook has more than ${MAX_TEXTS} different texts`,
    remedy: 'Save the sheet with the rows as CSV, or split the workbook',
    facts: { most: MAX_TEXTS },
  });
}

/** Opens a file for what does not fit into memory. It has no name any more: whatever happens, nothing is left of it. */
function namelessFile(folder: string): number {
  const own = mkdtempSync(join(folder, 'passing-'));
  const file = openSync(join(own, 'file'), 'wx+', 0o600);
  rmSync(own, { recursive: true, force: true });
  return file;
}

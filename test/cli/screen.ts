import { Writable } from 'node:stream';
import type { Io } from '../../src/cli/screen/io.ts';

/** A terminal that shows what is left on it: it obeys the few sequences by which progress is redrawn. */
export class Screen extends Writable {
  readonly isTTY = true;
  readonly rows = 24;
  columns: number;
  readonly #lines: string[] = [''];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    super();
    this.columns = columns;
  }

  /** The screen as a command sees it. */
  get io(): Io {
    return { out: this, err: this, live: true, color: false, width: this.columns };
  }

  /** Its lines, without what is blank at the end. */
  get text(): string {
    return this.#lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    for (const [part, count, action] of chunk.toString().matchAll(SEQUENCE)) {
      if (action === undefined) this.#put(part);
      else this.#obey(action, count === '' ? 1 : Number(count));
    }
    done();
  }

  #put(character: string): void {
    if (character === '\n') {
      this.#column = 0;
      this.#down();
      return;
    }
    if (this.#column === this.columns) {
      this.#column = 0;
      this.#down();
    }
    const line = (this.#lines[this.#row] ?? '').padEnd(this.#column);
    this.#lines[this.#row] = line.slice(0, this.#column) + character + line.slice(this.#column + 1);
    this.#column += 1;
  }

  #down(): void {
    this.#row += 1;
    this.#lines[this.#row] ??= '';
  }

  #obey(action: string, count: number): void {
    const line = this.#lines[this.#row] ?? '';
    if (action === 'A') this.#row = Math.max(0, this.#row - count);
    else if (action === 'B') this.#row += count;
    else if (action === 'G') this.#column = count - 1;
    else if (action === 'K') this.#lines[this.#row] = count === 2 ? '' : line.slice(0, this.#column);
    else if (!'hl'.includes(action)) throw new Error(`a sequence that this screen does not know: ${action}`);
  }
}

/** A sequence that begins with ESC [, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is how they begin
const SEQUENCE = /\x1b\[\??(\d*)([A-Za-z])|./gsu;

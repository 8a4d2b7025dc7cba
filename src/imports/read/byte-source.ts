import { createReadStream } from 'node:fs';
import { addAbortSignal, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { type FileOptions, fileStateOf } from './file-state.ts';
import { IntakeError, shownPath } from './intake-error.ts';
import type { SheetText } from './workbook/workbook.ts';

export type IntakeSource =
  | { readonly path: string; readonly name?: string }
  | { readonly stream: Readable; readonly name: string }
  /** The whole file. */
  | { readonly bytes: Buffer; readonly name: string };

/** An input that is read from its beginning to its end, once. */
export interface InputBytes {
  readonly name: string;
  readonly bytesRead: number;
  blocks(): AsyncGenerator<Buffer>;
  close(): void;
  /** Set if the blocks are the CSV text of a workbook's sheet. */
  readonly sheet?: SheetText;
}

/**
 * Largest piece that travels through the intake, in bytes: what bounds memory and the rows of one chunk. The rows of twice as
 * much would outlive what V8 keeps for new objects in a thread with `passesRows`, and be copied among the old ones.
 */
export const BLOCK_BYTES = 32 * 1024;

/** Bytes that are read to detect gzip, encoding, format and delimiter. */
export const HEAD_BYTES = 8 * 1024;

/** The bytes of a file or stream, in blocks, counted as they are read. */
export class ByteSource implements InputBytes {
  readonly name: string;
  bytesRead = 0;
  readonly #stream: Readable;
  readonly #signal: AbortSignal | undefined;
  readonly #onRead: () => void;
  readonly #checkEnd: (lastByte: number) => Promise<void>;

  /** @param checkEnd called when all has been read; its error is thrown */
  constructor(
    stream: Readable,
    name: string,
    { signal, onRead = () => {} }: FileOptions,
    checkEnd: (lastByte: number) => Promise<void> = async () => {},
  ) {
    this.#stream = signal === undefined ? stream : addAbortSignal(signal, stream);
    // The reader of the blocks gets the failure; without a listener it would also end the process.
    this.#stream.on('error', () => {});
    this.#signal = signal;
    this.#onRead = onRead;
    this.name = name;
    this.#checkEnd = checkEnd;
  }

  /** Throws the signal's reason when aborted, NOT_READABLE when reading fails, FILE_CHANGED at the end. */
  async *blocks(): AsyncGenerator<Buffer> {
    let lastByte = 0;
    try {
      for await (const piece of this.#stream) {
        const bytes = typeof piece === 'string' ? Buffer.from(piece) : (piece as Buffer);
        this.bytesRead += bytes.length;
        this.#onRead();
        lastByte = bytes[bytes.length - 1] ?? lastByte;
        for (let start = 0; start < bytes.length; start += BLOCK_BYTES) {
          yield bytes.subarray(start, start + BLOCK_BYTES);
        }
      }
    } catch (cause) {
      this.#signal?.throwIfAborted();
      if (cause instanceof IntakeError) throw cause; // of the archive that it is in
      throw new IntakeError(
        'NOT_READABLE',
        `reading ${shownPath(this.name)} failed: ${cause instanceof Error ? cause.message : String(cause)}`,
        'Make sure that it can be read to its end, and import it again',
        { place: `byte ${this.bytesRead}`, cause, facts: { file: this.name, byte: this.bytesRead } },
      );
    }
    await this.#checkEnd(lastByte);
  }

  close(): void {
    this.#stream.destroy();
  }
}

/** Throws FILE_NOT_FOUND, NOT_A_FILE or NOT_READABLE before anything is read. Pipes and devices are fine. */
export async function openSource(source: IntakeSource, options: FileOptions): Promise<ByteSource> {
  options.signal?.throwIfAborted();
  if ('stream' in source) return new ByteSource(source.stream, source.name, options);
  if ('bytes' in source) return new ByteSource(Readable.from([source.bytes]), source.name, options);
  const { path, name = path } = source;
  const file = await fileStateOf(path, name, options);
  const stream = createReadStream(path, { highWaterMark: BLOCK_BYTES });
  return new ByteSource(stream, name, options, (lastByte) => file.checkUnchanged(lastByte));
}

/**
 * The first bytes of a source, up to `size` or the block with the first `until`, and all its blocks as if nothing had
 * been read.
 */
export async function readHead(
  blocks: AsyncGenerator<Buffer>,
  size: number = HEAD_BYTES,
  until?: number,
): Promise<{ readonly head: Buffer; readonly blocks: AsyncGenerator<Buffer> }> {
  const read: Buffer[] = [];
  let length = 0;
  while (length < size) {
    const next = await blocks.next();
    if (next.done === true) break;
    read.push(next.value);
    length += next.value.length;
    if (until !== undefined && next.value.includes(until)) break;
  }
  const start = Buffer.concat(read);
  // In one piece, so that a byte order mark is whole; longer ones as they came, because characters must not be cut.
  async function* all(): AsyncGenerator<Buffer> {
    if (until !== undefined) yield* read;
    else if (start.length > 0) yield start;
    yield* blocks;
  }
  return { head: start.subarray(0, size), blocks: all() };
}

/** Maximum time that reading may occupy the thread, in ms. */
const MAX_HOLD_MS = 25;

/**
 * The same items, with a turn of the event loop from time to time: data that is in memory already comes without one, and
 * neither a message nor a timer could stop it. Throws the signal's reason before the next item when it is aborted.
 */
export async function* interruptible<Item>(
  items: AsyncIterable<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  let turned = performance.now();
  for await (const item of items) {
    if (performance.now() - turned > MAX_HOLD_MS) {
      await turn();
      turned = performance.now();
    }
    signal?.throwIfAborted();
    yield item;
  }
}

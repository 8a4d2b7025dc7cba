import { createReadStream } from 'node:fs';
import { addAbortSignal, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { messageOf } from '../../errors/message-of.ts';
import { type FileOptions, type FileState, fileStateOf } from './file-state.ts';
import { intakeError, isIntakeError, shownPath } from './intake-error.ts';
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

/** Throws FILE_NOT_FOUND, NOT_A_FILE or NOT_READABLE before anything is read. Pipes and devices are fine. */
export async function openSource(source: IntakeSource, options: FileOptions): Promise<InputBytes> {
  options.signal?.throwIfAborted();
  if ('stream' in source) return bytesOf(source.stream, source.name, options);
  if ('bytes' in source) return bytesOf(Readable.from([source.bytes]), source.name, options);
  const { path, name = path } = source;
  const file = await fileStateOf(path, name, options);
  return bytesOf(createReadStream(path, { highWaterMark: BLOCK_BYTES }), name, options, file);
}

/** The bytes of a stream, in blocks, counted as they are read. @param file what is read, which must not change */
function bytesOf(stream: Readable, name: string, { signal, onRead }: FileOptions, file?: FileState) {
  if (signal !== undefined) addAbortSignal(signal, stream);
  // The reader of the blocks gets the failure; without a listener it would also end the process.
  stream.on('error', () => {});
  let bytesRead = 0;
  return {
    name,
    get bytesRead() {
      return bytesRead;
    },
    /** Throws the signal's reason when aborted, NOT_READABLE when reading fails, FILE_CHANGED at the end. */
    blocks: async function* () {
      let lastByte = 0;
      try {
        for await (const piece of stream) {
          const bytes = typeof piece === 'string' ? Buffer.from(piece) : (piece as Buffer);
          bytesRead += bytes.length;
          onRead?.();
          lastByte = bytes[bytes.length - 1] ?? lastByte;
          for (let start = 0; start < bytes.length; start += BLOCK_BYTES) {
            yield bytes.subarray(start, start + BLOCK_BYTES);
          }
        }
      } catch (cause) {
        signal?.throwIfAborted();
        if (isIntakeError(cause)) throw cause; // of the archive that it is in
        throw intakeError(
          'NOT_READABLE',
          `reading ${shownPath(name)} failed: ${messageOf(cause)}`,
          'Make sure that it can be read to its end, and import it again',
          { place: `byte ${bytesRead}`, cause, file: name, byte: bytesRead },
        );
      }
      await file?.checkUnchanged(lastByte);
    },
    close: () => {
      stream.destroy();
    },
  };
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
  async function* all() {
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

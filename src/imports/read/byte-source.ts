import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { option, words } from '../../errors/named-options.ts';
import { messageOf } from '../../errors/rollcall-error.ts';
import { intakeError, isIntakeError, notReadable, refuseAddress, shownPath } from './intake-error.ts';

export type IntakeSource =
  | { readonly path: string; readonly name?: string }
  | { readonly stream: Readable; readonly name: string }
  /** The whole file. */
  | { readonly bytes: Buffer; readonly name: string };

/** An input that is read from its beginning to its end, once. */
export interface InputBytes {
  readonly name: string;
  bytesRead(): number;
  blocks(): AsyncGenerator<Buffer>;
  close(): void;
}

/**
 * Largest piece that travels through the intake, in bytes: what bounds memory and the rows of one chunk. The rows of twice as
 * much would outlive what V8 keeps for new objects in a thread with `passesRows`, and be copied among the old ones.
 */
export const BLOCK_BYTES = 32 * 1024;

/** Bytes that are read to detect gzip, encoding, format and delimiter. */
export const HEAD_BYTES = 8 * 1024;

/** The bytes of a stream, in blocks, counted as they are read. @param file what is read, which must not change */
export function bytesOf(stream: Readable, name: string, { signal, onRead }: FileOptions, file?: FileState): InputBytes {
  if (signal !== undefined) addAbortSignal(signal, stream);
  // The reader of the blocks gets the failure; without a listener it would also end the process.
  stream.on('error', () => {});
  let bytesRead = 0;
  return {
    name,
    bytesRead: () => bytesRead,
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

export async function inOnePiece(blocks: AsyncIterable<Buffer>, most: number, tooLarge: () => Error): Promise<Buffer> {
  const read: Buffer[] = [];
  let bytes = 0;
  for await (const block of blocks) {
    bytes += block.length;
    if (bytes > most) throw tooLarge();
    read.push(block);
  }
  return Buffer.concat(read);
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

/** The clock for waiting until a file is quiet. */
export interface Quiet {
  now(): number;
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

const QUIET: Quiet = {
  now: Date.now,
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
  },
};

/** Interval between two checks of a file that is not quiet yet, in ms. */
const LOOK_MS = 500;

/** A file that was written to this recently may be incomplete, in ms. */
const FRESH_MS = 1_000;
/** The wait for its writer to write more, in ms. */
const SETTLING_MS = 300;

/** Last bytes of a file that ends with a whole line, or with the end of a JSON document. */
const ENDS = new Set(['\n', '\r', '\0', ']', '}'].map((end) => end.charCodeAt(0)));

/** A file as it was before it was read. */
export interface FileState {
  /**
   * To be called when all has been read. Throws FILE_CHANGED if the file has been changed, replaced or removed since: what
   * was read may be half of it. A recent file that ends in the middle of a line is checked once more after a moment.
   */
  checkUnchanged(lastByte: number): Promise<void>;
}

/** Conditions that a file must meet before it is read. */
export interface FileOptions {
  /** Wait until the file has not changed for this long, in ms. */
  readonly waitForQuietMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly quiet?: Quiet | undefined;
  /** Told when bytes were read, and at each look at a file that must be quiet first: reading does not stand still. */
  readonly onRead?: (() => void) | undefined;
}

/** Checks that the input exists, before anything starts. Throws FILE_NOT_FOUND, NOT_READABLE. */
export async function checkInput(path: string) {
  const status = await stat(path).catch(() => undefined);
  if (status?.isDirectory() !== true) await fileStateOf(path, path);
}

/**
 * Checks a file that is about to be read. Throws FILE_NOT_FOUND, BAD_ADDRESS, NOT_A_FILE or NOT_READABLE, the signal's reason.
 * Pipes and devices are fine, and never change.
 */
export async function fileStateOf(path: string, name: string, options: FileOptions = {}): Promise<FileState> {
  const { signal, quiet = QUIET, waitForQuietMs = 0, onRead } = options;
  let before = await look(path, name);
  if (!before.isFile()) return { checkUnchanged: async () => {} };
  for (let since = quiet.now(); quiet.now() - since < waitForQuietMs; ) {
    await quiet.sleep(Math.min(LOOK_MS, waitForQuietMs), signal);
    const after = await look(path, name);
    onRead?.();
    if (difference(before, after) === undefined) continue;
    before = after;
    since = quiet.now();
  }
  return {
    checkUnchanged: async (lastByte) => {
      const fresh = Math.abs(quiet.now() - Number(before.mtimeMs)) < FRESH_MS;
      if (fresh && !ENDS.has(lastByte)) await quiet.sleep(SETTLING_MS, signal);
      const changed = await look(path, name).then(
        (after) => difference(before, after),
        () => 'it is not there any more',
      );
      if (changed === undefined) return;
      throw intakeError(
        'FILE_CHANGED',
        `${shownPath(name)} has changed while it was read: ${changed}; rows may be missing or cut in two`,
        words`Import it when it is complete, or let rollcall wait until nothing changes it, with ${option('waitForQuiet', '10s')}`,
        { file: name },
      );
    },
  };
}

async function look(path: string, name: string) {
  const status = await stat(path, { bigint: true }).catch((cause: NodeJS.ErrnoException) => {
    // If an address was fetched, its copy is missing.
    if (path === name) refuseAddress(name);
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') {
      const what = `there is no file ${shownPath(name)}`;
      const remedy = 'Check the path and the folder that you are in';
      throw intakeError('FILE_NOT_FOUND', what, remedy, { file: name, cause });
    }
    throw notReadable(name, 'be opened', cause);
  });
  if (!status.isDirectory()) return status;
  const what = `${shownPath(name)} is a directory; a file is needed`;
  throw intakeError('NOT_A_FILE', what, 'Name one file in it, or put those to read into a ZIP archive', {
    file: name,
  });
}

function difference(before: BigIntStats, after: BigIntStats) {
  if (before.ino !== after.ino || before.dev !== after.dev) return 'another file has taken its place';
  if (before.size !== after.size) return `it had ${before.size} bytes and now has ${after.size}`;
  if (before.mtimeNs !== after.mtimeNs) return 'it was written to, and kept its size';
  return undefined;
}

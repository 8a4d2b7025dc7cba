import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { IntakeError, shown } from './intake-error.ts';

export type IntakeSource =
  | { readonly path: string; readonly name?: string }
  | { readonly stream: Readable; readonly name: string };

/** Largest piece that travels through the intake, in bytes: what bounds memory and the rows of one chunk. */
const BLOCK_BYTES = 64 * 1024;

/** Bytes looked at to tell gzip, encoding, format and delimiter. */
export const HEAD_BYTES = 8 * 1024;

/** The bytes of a file or stream, in blocks, counted as they are read. */
export class ByteSource {
  readonly name: string;
  bytesRead = 0;
  readonly #stream: Readable;
  readonly #signal: AbortSignal | undefined;

  constructor(stream: Readable, name: string, signal: AbortSignal | undefined) {
    this.#stream = signal === undefined ? stream : addAbortSignal(signal, stream);
    // A failure reaches whoever reads the blocks; without a listener it would also end the process.
    this.#stream.on('error', () => {});
    this.#signal = signal;
    this.name = name;
  }

  /** Throws the signal's reason when aborted, NOT_READABLE when reading fails. */
  async *blocks(): AsyncGenerator<Buffer> {
    try {
      for await (const piece of this.#stream) {
        const bytes = typeof piece === 'string' ? Buffer.from(piece) : (piece as Buffer);
        this.bytesRead += bytes.length;
        for (let start = 0; start < bytes.length; start += BLOCK_BYTES) {
          yield bytes.subarray(start, start + BLOCK_BYTES);
        }
      }
    } catch (cause) {
      this.#signal?.throwIfAborted();
      throw new IntakeError({
        code: 'NOT_READABLE',
        place: `byte ${this.bytesRead}`,
        what: `reading ${shown(this.name)} failed: ${cause instanceof Error ? cause.message : String(cause)}`,
        remedy: 'Make sure that it can be read to its end, and import it again',
        cause,
      });
    }
  }

  close(): void {
    this.#stream.destroy();
  }
}

/** Throws FILE_NOT_FOUND, NOT_A_FILE or NOT_READABLE before anything is read. Pipes and devices are fine. */
export async function openSource(source: IntakeSource, signal: AbortSignal | undefined): Promise<ByteSource> {
  signal?.throwIfAborted();
  if ('stream' in source) return new ByteSource(source.stream, source.name, signal);
  const { path, name = path } = source;
  const status = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') {
      const what = `there is no file ${shown(name)}`;
      throw new IntakeError({ code: 'FILE_NOT_FOUND', what, remedy: 'Check the path', cause });
    }
    const what = `${shown(name)} cannot be opened: ${cause.message}`;
    throw new IntakeError({ code: 'NOT_READABLE', what, remedy: 'Check the path and its permissions', cause });
  });
  if (status.isDirectory()) {
    const what = `${shown(name)} is a directory; a file is needed`;
    throw new IntakeError({ code: 'NOT_A_FILE', what, remedy: 'Name one file in it' });
  }
  return new ByteSource(createReadStream(path, { highWaterMark: BLOCK_BYTES }), name, signal);
}

export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** Throws GZIP_BROKEN, with the decompressed bytes that could be read, when it is damaged or cut off. */
export async function* gunzip(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const inflated = createGunzip({ chunkSize: BLOCK_BYTES });
  const feeding = pipeline(compressed, inflated);
  // What goes wrong while feeding also ends `inflated` with the same error, which is where it is reported.
  feeding.catch(() => {});
  let bytes = 0;
  try {
    for await (const block of inflated as AsyncIterable<Buffer>) {
      bytes += block.length;
      yield block;
    }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code?.startsWith('Z_') !== true) throw cause;
    throw new IntakeError({
      code: 'GZIP_BROKEN',
      place: `after ${bytes} decompressed bytes`,
      what: `the gzip data is damaged or cut off (${message})`,
      remedy: 'Test it with "gzip -t", transfer it again, or import the decompressed file',
      cause,
    });
  }
}

/** The first bytes of a source, up to `size`, and all its blocks as if nothing had been read. */
export async function readHead(
  blocks: AsyncGenerator<Buffer>,
  size: number = HEAD_BYTES,
): Promise<{ readonly head: Buffer; readonly blocks: AsyncGenerator<Buffer> }> {
  const read: Buffer[] = [];
  let length = 0;
  while (length < size) {
    const next = await blocks.next();
    if (next.done === true) break;
    read.push(next.value);
    length += next.value.length;
  }
  const start = Buffer.concat(read);
  async function* all(): AsyncGenerator<Buffer> {
    if (start.length > 0) yield start;
    yield* blocks;
  }
  return { head: start.subarray(0, size), blocks: all() };
}

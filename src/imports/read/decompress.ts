import { addAbortSignal } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { BLOCK_BYTES } from './byte-source.ts';
import { type Bounds, checkExpansion, intakeError } from './intake-error.ts';

const ZSTD = Buffer.from('28b52ffd', 'hex');

/** The compression of a file, by its first bytes; undefined if there is none, or rollcall cannot unpack it. */
export type Compression = 'gzip' | 'zstd';

export function compressionOf(head: Buffer): Compression | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return head.subarray(0, 4).equals(ZSTD) ? 'zstd' : undefined;
}

/** Beginnings of ZIP archives. The second is an archive without entries. */
const ZIPS = ['PK\x03\x04', 'PK\x05\x06'];

/** Whether a file begins as ZIP archives do, and so workbooks: these are read at random places, and must be there as a whole. */
export function isZip(head: Uint8Array) {
  return ZIPS.includes(String.fromCharCode(...head.subarray(0, 4)));
}

/**
 * Throws GZIP_BROKEN or ZSTD_BROKEN, with the unpacked bytes that could be read, when it is damaged or cut off; TOO_LARGE
 * when it unpacks to more than the bounds allow; the signal's reason.
 */
export async function* decompress(
  compressed: AsyncIterable<Buffer>,
  compression: Compression,
  bounds: Bounds,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  let read = 0;
  async function* counted() {
    for await (const block of compressed) {
      read += block.length;
      yield block;
    }
  }
  const inflated = compression === 'gzip' ? gunzipped(counted(), signal) : zstdFrames(counted());
  let unpacked = 0;
  try {
    for await (const block of inflated) {
      signal?.throwIfAborted();
      unpacked += block.length;
      const place = `after ${unpacked} decompressed bytes`;
      checkExpansion(`the ${compression} data`, { unpacked, packed: read, place }, bounds);
      yield block;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code?.startsWith('Z') !== true) throw cause;
    throw intakeError(
      compression === 'gzip' ? 'GZIP_BROKEN' : 'ZSTD_BROKEN',
      `the ${compression} data is damaged or cut off (${message})`,
      `Test it with "${compression} -t", transfer it again, or import the decompressed file`,
      { place: `after ${unpacked} decompressed bytes`, cause },
    );
  }
}

function gunzipped(compressed: AsyncIterable<Buffer>, signal: AbortSignal | undefined): AsyncIterable<Buffer> {
  const inflated = createGunzip({ chunkSize: BLOCK_BYTES });
  const feeding = pipeline(compressed, inflated);
  // An error while writing also ends `inflated` with the same error, and is reported there.
  feeding.catch(() => {});
  // One block of a source can unpack to a thousand, during which nothing of the source itself is read.
  return signal === undefined ? inflated : addAbortSignal(signal, inflated);
}

const NOTHING = Buffer.alloc(0);

/**
 * Unpacks zstd data. A file may have several frames (`cat a.zst b.zst`, and programs that use several cores); the
 * decompressor stops without an error where the first one ends inside a block, so a new one is started on the rest.
 * Throws the decompressor's errors, also for data after the last frame that is not a frame.
 */
async function* zstdFrames(compressed: AsyncIterable<Buffer>) {
  const blocks = compressed[Symbol.asyncIterator]();
  let rest: Buffer = NOTHING;
  for (;;) {
    const stream = createZstdDecompress({ chunkSize: BLOCK_BYTES });
    const feeding = feed(stream, rest, blocks);
    // An error here ends the stream with the same error, and is reported there.
    feeding.catch((error: Error) => stream.destroy(error));
    try {
      yield* stream as AsyncIterable<Buffer>;
    } finally {
      stream.destroy();
    }
    const left = await feeding;
    if (left === undefined) return;
    rest = left;
  }
}

/** Writes until a frame ends inside a block, and gives the rest of that block; undefined when there are no more blocks. */
async function feed(stream: ReturnType<typeof createZstdDecompress>, first: Buffer, blocks: AsyncIterator<Buffer>) {
  let written = 0;
  for (let block = first; ; ) {
    if (block.length > 0) {
      await new Promise<void>((resolve, reject) => {
        stream.write(block, (error) => (error ? reject(error) : resolve()));
      });
      written += block.length;
      const left = written - stream.bytesWritten;
      if (left > 0) return block.subarray(block.length - left);
    }
    const next = await blocks.next();
    if (next.done === true) break;
    block = next.value;
  }
  stream.end();
  return undefined;
}

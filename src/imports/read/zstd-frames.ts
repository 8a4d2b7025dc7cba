import { createZstdDecompress } from 'node:zlib';
import { BLOCK_BYTES } from './source.ts';

const NOTHING = Buffer.alloc(0);

/**
 * Unpacks zstd data. A file may have several frames (`cat a.zst b.zst`, and programs that use several cores); the
 * decompressor stops without an error where the first one ends inside a block, so a new one is started on the rest.
 * Throws the decompressor's errors, also for data after the last frame that is not a frame.
 */
export async function* zstdFrames(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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
async function feed(
  stream: ReturnType<typeof createZstdDecompress>,
  first: Buffer,
  blocks: AsyncIterator<Buffer>,
): Promise<Buffer | undefined> {
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

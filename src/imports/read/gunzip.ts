import { addAbortSignal } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Bounds, boundText, FREE_UNPACKED, orRaise } from './bounds.ts';
import { IntakeError } from './intake-error.ts';
import { BLOCK_BYTES } from './source.ts';

export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Throws GZIP_BROKEN, with the unpacked bytes that could be read, when it is damaged or cut off; TOO_LARGE when it
 * unpacks to more than the bounds allow; the signal's reason.
 */
export async function* gunzip(
  compressed: AsyncIterable<Buffer>,
  bounds: Bounds,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  let read = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const block of compressed) {
      read += block.length;
      yield block;
    }
  }
  const inflated = createGunzip({ chunkSize: BLOCK_BYTES });
  const feeding = pipeline(counted, inflated);
  // What goes wrong while feeding also ends `inflated` with the same error, which is where it is reported.
  feeding.catch(() => {});
  // One block of a source can unpack to a thousand, during which nothing of the source itself is read.
  if (signal !== undefined) addAbortSignal(signal, inflated);
  let unpacked = 0;
  try {
    for await (const block of inflated as AsyncIterable<Buffer>) {
      unpacked += block.length;
      if (unpacked > bounds.unpacked) throw tooLarge('unpacked', bounds, unpacked, read);
      if (unpacked > FREE_UNPACKED && unpacked > read * bounds.expansion) {
        throw tooLarge('expansion', bounds, unpacked, read);
      }
      yield block;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code?.startsWith('Z_') !== true) throw cause;
    throw new IntakeError({
      code: 'GZIP_BROKEN',
      place: `after ${unpacked} decompressed bytes`,
      what: `the gzip data is damaged or cut off (${message})`,
      remedy: 'Test it with "gzip -t", transfer it again, or import the decompressed file',
      cause,
    });
  }
}

function tooLarge(name: 'unpacked' | 'expansion', bounds: Bounds, unpacked: number, read: number): IntakeError {
  const allowed = boundText(name, bounds[name]);
  const what =
    name === 'unpacked'
      ? `the gzip data unpacks to more than the ${allowed} that are allowed`
      : `the gzip data unpacks to more than ${allowed} times its size (${read} bytes became ${unpacked}); a membership file hardly ever does`;
  return new IntakeError({
    code: 'TOO_LARGE',
    place: `after ${unpacked} decompressed bytes`,
    what,
    remedy: orRaise('Import the right file', name, bounds),
  });
}

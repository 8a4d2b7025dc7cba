import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { isZip } from '../../imports/read/decompress.ts';

/** Bounds of one upload, and who learns of its progress. */
export interface ReceiveOptions {
  readonly maxBytes: number;
  /** Idle timeout of an upload, in ms. */
  readonly idleMs: number;
  /** Aborted when the server stops, or when the upload must give way, with the Problem to answer with. */
  readonly signal: AbortSignal;
  /** Called with the number of bytes of each piece. */
  readonly came?: (bytes: number) => void;
}

/**
 * Streams a body to a new file, with at most one piece in memory. After an error the file is deleted; the body stays
 * open, so that the client gets the answer.
 * @throws Problem TOO_LARGE, BAD_BODY when it is empty or stalls, the signal's reason; the stream's error when the client has gone
 */
export async function receive(body: Readable, path: string, options: ReceiveOptions) {
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of piecesOf(body, options)) {
      bytes += piece.length;
      if (bytes > options.maxBytes) throw new RollcallError('TOO_LARGE', { maxBytes: options.maxBytes });
      options.came?.(piece.length);
      hash.update(piece);
      await file.appendFile(piece);
    }
    if (bytes === 0) throw new RollcallError('BAD_BODY', { what: 'the body is empty; it must be a file with rows' });
    await file.close();
    // SHA-256 in hex.
    return { bytes, hash: hash.digest('hex') };
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}

/** The first bytes of a body, at most `maxBytes`, or `maxZipBytes` of an archive or workbook, in memory. @throws as `receive` does */
export async function receiveHead(
  body: Readable,
  { maxZipBytes, ...options }: ReceiveOptions & { readonly maxZipBytes: number },
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of piecesOf(body, options)) {
    bytes += piece.length;
    pieces.push(piece);
    const most = isZip(pieces[0] ?? piece) ? maxZipBytes : options.maxBytes;
    if (bytes > most) throw new RollcallError('TOO_LARGE', { maxBytes: most });
  }
  if (bytes === 0)
    throw new RollcallError('BAD_BODY', { what: 'the body is empty; it must be the beginning of a file' });
  return Buffer.concat(pieces);
}

async function* piecesOf(body: Readable, { idleMs, signal }: ReceiveOptions): AsyncGenerator<Buffer> {
  const givenUp = Promise.withResolvers<never>();
  // It may reject while nothing awaits it.
  givenUp.promise.catch(() => {});
  const stoppedStill = () => {
    const what = `nothing of the body came for ${idleMs / 1000} seconds; the upload was given up`;
    givenUp.reject(new RollcallError('BAD_BODY', { what }));
  };
  const stop = () => givenUp.reject(signal.reason);
  const clock = setTimeout(stoppedStill, idleMs);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  // Destroying the body would close the connection before the client has read what is wrong.
  const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  try {
    for (;;) {
      const next = await Promise.race([pieces.next(), givenUp.promise]);
      if (next.done === true) return;
      clock.refresh();
      yield next.value;
    }
  } finally {
    clearTimeout(clock);
    signal.removeEventListener('abort', stop);
  }
}

/** Bytes per second below which an upload is given up when there is no room for others. */
export const SLOWEST = 1_024;

/** Measures the speed of an upload. */
export type Pace = ReturnType<typeof openPace>;

/** @param windowMs over how long it is measured */
export function openPace(windowMs: number) {
  let before = { at: performance.now(), bytes: 0 };
  let now = before;
  const begun = before.at;
  const roll = (at: number) => {
    if (at - now.at < windowMs) return;
    before = now;
    now = { at, bytes: 0 };
  };
  /** Bytes per second, in the last while. */
  const rate = () => {
    const bytes = before === now ? now.bytes : before.bytes + now.bytes;
    return (bytes / Math.max(1, performance.now() - before.at)) * 1_000;
  };
  return {
    came: (bytes: number) => {
      roll(performance.now());
      now.bytes += bytes;
    },
    rate,
    /** Whether it has been slower than `SLOWEST` for a while; one that has only begun is not. */
    isSlow: () => performance.now() - begun >= windowMs && rate() < SLOWEST,
  };
}

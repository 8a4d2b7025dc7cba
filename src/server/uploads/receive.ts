import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { isZip } from '../../imports/read/decompress.ts';
import { LOOKUP_NAMES, type LookupName } from '../../options/lookups.ts';
import { printable } from '../../text/wording.ts';

/** A file in a request: the body itself, or the one part of a form. */
export interface SentFile {
  readonly stream: Readable;
  /** The client's name for it; only ever a label. */
  readonly name: string | undefined;
  readonly type: string;
}

const PART = 'file';
/** Hands the file of a request to `take`, an identity or group file to `takeLookup`. @throws BAD_BODY, MEDIA_TYPE */
export async function withFileOf<Result>(
  request: FastifyRequest,
  take: (file: SentFile) => Promise<Result>,
  takeLookup?: (lookup: LookupName, file: SentFile) => Promise<void>,
) {
  const coding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  const form = request.isMultipart();
  // A gzipped file is kept as it is: reading recognises it. A gzipped form would have to be unpacked to find the file.
  if (coding !== 'identity' && (form || coding !== 'gzip')) {
    const where = form ? 'a form' : 'a file';
    const what = `Content-Encoding is ${JSON.stringify(coding)}, which ${where} cannot have`;
    throw new RollcallError('MEDIA_TYPE', { what });
  }
  const type = request.headers['content-type'] ?? '';
  if (!form) return take({ stream: request.raw, name: undefined, type });
  let taken: { readonly result: Result } | undefined;
  const awaited = new Set(LOOKUP_NAMES);
  try {
    for await (const part of request.parts({
      limits: {
        parts: takeLookup === undefined ? 1 : 1 + LOOKUP_NAMES.length,
        fileSize: Number.POSITIVE_INFINITY,
        headerPairs: 20,
      },
    })) {
      if (part.type !== 'file') throw wrongPart(part.fieldname);
      const file = { stream: part.file, name: part.filename, type: part.mimetype };
      const lookup = LOOKUP_NAMES.find((name) => name === part.fieldname);
      if (lookup !== undefined && takeLookup !== undefined && awaited.delete(lookup)) await takeLookup(lookup, file);
      else if (part.fieldname === PART && taken === undefined) taken = { result: await take(file) };
      else throw wrongPart(part.fieldname);
    }
  } catch (error) {
    throw brokenForm(error);
  }
  if (taken === undefined) throw badForm('the form has no part named "file"');
  return taken.result;
}

function badForm(what: string, about: { readonly remedy?: string } = {}) {
  return new RollcallError('BAD_BODY', { what, field: PART, ...about });
}

function wrongPart(name: string) {
  const shown = JSON.stringify(printable(name).slice(0, 60));
  return badForm(`the form has a part ${shown}; it may have one part only, the file, named "file"`, {
    remedy: 'send the file as the part "file", with a file name, and options in the address',
  });
}

/** Errors of the form's parser say little to the sender: clearer ones. */
function brokenForm(error: unknown) {
  if (error instanceof RollcallError) return error;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (/^FST_(PARTS|FILES|FIELDS)_LIMIT$/.test(code)) {
    return badForm('the form has more than one part; it may have one only, named "file"');
  }
  if (/needle/.test(message)) {
    return new RollcallError('BAD_BODY', {
      what: 'the form cannot be read: its boundary is longer than 70 characters',
    });
  }
  return /Unexpected end|Multipart: Boundary not found|Malformed|multipart/i.test(message)
    ? new RollcallError('BAD_BODY', { what: `the form cannot be read: ${message}` })
    : error;
}

const MAX_NAME_LENGTH = 200;

/** A file name that is safe to show: its last part, printable, not too long. It never becomes a path. */
export function labelOf(name: string | undefined) {
  const last = (name ?? '').split(/[/\\]/).at(-1) ?? '';
  const label = printable(last).trim().slice(0, MAX_NAME_LENGTH);
  // "-" means standard input elsewhere.
  return label === '' || label === '-' ? 'upload' : label;
}

/** Bounds of one upload, and who learns of its progress. */
export interface ReceiveOptions {
  readonly maxBytes: number;
  /** The same for an archive or workbook. Default: as for any other file. */
  readonly maxZipBytes?: number;
  /** Idle timeout of an upload, in ms. */
  readonly idleMs: number;
  /** Aborted when the server stops, or when the upload must give way, with the error to answer with. */
  readonly signal: AbortSignal;
  /** Called with the number of bytes of each piece. */
  readonly came?: (bytes: number) => void;
}

/**
 * Streams a body to a new file, with at most one piece in memory. The body stays open after an error, so that the client gets
 * the answer. @returns its SHA-256 in hex @throws as `piecesOf`
 */
export async function receive(body: Readable, path: string, options: ReceiveOptions) {
  const hash = createHash('sha256');
  await using file = await open(path, 'wx', 0o600);
  for await (const piece of piecesOf(body, options)) {
    options.came?.(piece.length);
    hash.update(piece);
    await file.appendFile(piece);
  }
  return hash.digest('hex');
}

/** Takes a body in memory. @throws as `piecesOf` */
export async function receiveHead(body: Readable, options: ReceiveOptions) {
  const pieces: Buffer[] = [];
  for await (const piece of piecesOf(body, options)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** @throws TOO_LARGE, BAD_BODY when it is empty or stalls, the signal's reason; the stream's error when the client has gone */
async function* piecesOf(body: Readable, { maxBytes, maxZipBytes = maxBytes, idleMs, signal }: ReceiveOptions) {
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
  let bytes = 0;
  let most = maxBytes;
  try {
    for (;;) {
      const { done, value: piece } = await Promise.race([pieces.next(), givenUp.promise]);
      if (done === true) break;
      if (bytes === 0 && isZip(piece)) most = maxZipBytes;
      bytes += piece.length;
      if (bytes > most) throw new RollcallError('TOO_LARGE', { maxBytes: most });
      clock.refresh();
      yield piece;
    }
    if (bytes === 0) throw new RollcallError('BAD_BODY', { what: 'the body is empty; it must be a file with rows' });
  } finally {
    clearTimeout(clock);
    signal.removeEventListener('abort', stop);
  }
}

/** Bytes per second below which an upload is given up when there is no room for others. */
export const SLOWEST = 1_024;

export type Pace = ReturnType<typeof openPace>;

/** Measures the speed of an upload. @param windowMs over how long */
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

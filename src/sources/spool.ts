import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RollcallError } from '../errors/rollcall-error.ts';
import { shown } from '../imports/read/intake-error.ts';
import { freeBytes, hashOf, writeWhole } from '../platform/files.ts';
import { csvLine } from '../text/csv-line.ts';
import { grouped } from '../text/wording.ts';
import { badSource, type Content, NOTHING_READ, type Source, sourceTooLarge } from './source.ts';

/** The file in which a source is kept: read again by whatever follows, when no connection is open any more. */
export interface Spooled {
  readonly path: string;
  /** The name of the opened file, for display. */
  readonly name: string;
  /** SHA-256. */
  readonly hash: string;
  /** The source's name for this version; null if it has none. */
  readonly version: string | null;
}

/** However slowly it goes: a server that gives or takes a byte a second is never quiet. */
const WHOLE_MINUTES = 60;

interface InTime {
  readonly signal: AbortSignal;
  /** Aborted when it takes too long. Default: after an hour. */
  readonly late?: AbortSignal | undefined;
}

/** @param way words for an end that is too late, and its remedy  @throws the signal's reason when aborted */
async function inTime<Result>(
  { name }: Source,
  { signal, late = AbortSignal.timeout(WHOLE_MINUTES * 60_000) }: InTime,
  work: (signal: AbortSignal) => Promise<Result>,
  [done, remedy]: readonly [done: string, remedy: string],
) {
  signal.throwIfAborted();
  try {
    return await work(AbortSignal.any([signal, late]));
  } catch (cause) {
    signal.throwIfAborted();
    if (!late.aborted) throw cause;
    throw badSource(`${shown(name)} has not ${done} everything within ${WHOLE_MINUTES} minutes`, remedy, { cause });
  }
}

export type Kept = Pick<Spooled, 'hash' | 'version'>;

/** The copy that a source is read into, and its bounds. */
export interface SpoolOptions extends InTime {
  readonly path: string;
  readonly maxBytes: number;
  /** The copy that is in `path`: it is only read again if the source has changed. */
  readonly kept?: Kept | null;
  readonly onProgress?: ((progress: SpoolProgress) => void) | undefined;
}

export interface SpoolProgress {
  readonly bytes: number;
  readonly rows?: number;
  /** Bytes that there will be, where that is known. */
  readonly of?: number | undefined;
}

/** Keeps a source as a file, whole or not at all. @throws BAD_SOURCE, DISK_FULL; the signal's reason when aborted */
export async function spool(source: Source, options: SpoolOptions): Promise<Spooled> {
  const { path, kept = null } = options;
  const keepWhole = async (signal: AbortSignal) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // A copy that was damaged, or replaced by a process that died before it noted that, does not count.
    const isThere = kept !== null && existsSync(path) && (await hashOf(path)) === kept.hash;
    const {
      name,
      version = null,
      content,
      close,
    } = await source.open(signal, isThere ? (kept.version ?? undefined) : undefined);
    try {
      const hash = content === undefined ? (kept?.hash ?? '') : await keep(name, content, { ...options, signal });
      return { path, name, hash, version };
    } finally {
      await close();
    }
  };
  return inTime(source, options, keepWhole, ['given', 'ask for less at once, or fetch it to a file by other means']);
}

/** Writes the file within its bounds; its hash. */
async function keep(name: string, content: Content, options: SpoolOptions) {
  const { path, maxBytes, onProgress, signal } = options;
  const at = shown(name);
  const of = content.kind === 'bytes' ? content.size : undefined;
  if (of !== undefined) {
    if (of > maxBytes) throw sourceTooLarge(at, maxBytes);
    const free = await freeBytes(dirname(path));
    if (of > free) throw new RollcallError('DISK_FULL', { needed: of, free });
  }
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = (piece: Uint8Array, rows?: number): Uint8Array => {
    bytes += piece.length;
    if (bytes > maxBytes) throw sourceTooLarge(at, maxBytes);
    hash.update(piece);
    onProgress?.({ bytes, of, ...(rows !== undefined && { rows }) });
    return piece;
  };
  async function* pieces() {
    if (content.kind === 'bytes') {
      for await (const piece of content.pieces) yield counted(piece);
      if (of === undefined || bytes === of) return;
      const gave = `${at} gave ${grouped(bytes)} bytes of ${grouped(of)}`;
      throw badSource(`${gave}: it broke off, or was changed meanwhile`, NOTHING_READ);
    }
    let rows = 0;
    yield counted(Buffer.from(csvLine(content.columns, ',')), 0);
    for await (const piece of content.pieces) {
      rows += piece.length;
      yield counted(Buffer.from(piece.map((cells) => csvLine(cells, ',')).join('')), rows);
    }
  }
  await writeWhole(path, pieces(), { signal });
  return hash.digest('hex');
}

/**
 * The function puts a file of this machine where the source is, whole or not at all. `late` is aborted when that takes too
 * long; default: an hour.
 * @throws BAD_SOURCE at once where nothing can ever be written; the function, BAD_SOURCE or the signal's reason
 */
export function writerTo(source: Source): (path: string, signal: AbortSignal, late?: AbortSignal) => Promise<void> {
  const write = source.write?.bind(source);
  if (write === undefined) {
    throw badSource(
      `${shown(source.name)} cannot be written`,
      'name a file, or an address with s3://, gs:// or sftp://',
    );
  }
  return (path, signal, late) =>
    inTime(source, { signal, late }, (either) => write(path, either), ['taken', 'see why its server is so slow']);
}

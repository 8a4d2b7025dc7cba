import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Writes a file that only its user can read, whole or not at all: it takes the place of an earlier one when all of it is on
 * disk, so that a power cut leaves one of the two. A device or pipe is written into.
 */
export async function writeWhole(
  path: string,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  { mode = 0o600, signal }: { readonly mode?: number; readonly signal?: AbortSignal } = {},
) {
  if (isSpecial(path)) {
    await pipeline(pieces, createWriteStream(path));
    return;
  }
  const unfinished = `${path}.part`;
  // Opened first: a stream that fails at once may still open its file when that has been removed.
  const file = await open(unfinished, 'w', mode);
  try {
    await pipeline(pieces, file.createWriteStream({ flush: true }), { ...(signal && { signal }) });
    await putInPlace(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** The first bytes of a file, as many as it has. */
export async function firstBytes(path: string, most: number) {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
  return buffer.subarray(0, bytesRead);
}

/** A folder for a block, at the end of which it is removed. @param use of it, in its name */
export async function temporaryFolder(use: string): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), `rollcall-${use}-`));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Puts a file in its place, where it is also after a power cut. It is on the disk itself. */
export async function putInPlace(unfinished: string, path: string) {
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}

/** Brings the files in a folder of the data directory to the disk, and the folder with its name. */
export async function bringToDisk(folder: string) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    await using file = await open(join(folder, entry.name), 'r+');
    await file.sync();
  }
  for (const one of [folder, dirname(folder), dirname(dirname(folder))]) await syncFolder(one);
}

/** A folder says which files there are: a new name is lost in a power cut without it. */
async function syncFolder(path: string) {
  // Windows opens no folder, and keeps names by itself.
  if (process.platform === 'win32') return;
  await using folder = await open(path);
  await folder.sync();
}

function isSpecial(path: string) {
  const status = statSync(path, { throwIfNoEntry: false });
  return status !== undefined && !status.isFile();
}

/** A file as the system knows it: another name keeps it, a copy does not. */
export function fileId(path: string) {
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
  // Where the time of its making is not kept, Node gives that of the last change.
  return birthtimeNs === ctimeNs ? `${ino}` : `${ino} ${birthtimeNs}`;
}

/** Whether the file at `path` is the one that had this id. */
export function isSameFile(id: string, path: string) {
  const now = fileId(path);
  return id === now || id === now.split(' ')[0];
}

/** SHA-256 of a file's bytes. */
export async function hashOf(path: string) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Error codes of a full disk, a quota or a limit on a file's size, and our own code. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'DISK_FULL']);
/** The same as result codes of SQLite: SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_SHMSIZE. */
const SQLITE_FULL: ReadonlySet<unknown> = new Set([13, 778, 4874]);

/** Whether something could not be written because the disk takes no more. */
export function isDiskFull(error: unknown) {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && FULL.has(cause.code)) return true;
    if ('errcode' in cause && SQLITE_FULL.has(cause.errcode)) return true;
  }
  return false;
}

/** Bytes that this user may still write on the disk of a folder. */
export async function freeBytes(folder: string) {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

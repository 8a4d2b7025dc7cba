import { statfs } from 'node:fs/promises';

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

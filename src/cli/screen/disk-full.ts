import { sqliteCode } from '../../platform/sqlite-code.ts';

/** Primary result codes of SQLite for a disk that takes no more: SQLITE_IOERR, SQLITE_FULL. */
const DISK: ReadonlySet<number | undefined> = new Set([10, 13]);

/** Why rollcall cannot continue, with what to do where the disk is full: SQLite names no disk. */
export function failureWords(error: Error): string {
  return isDiskFull(error) ? `${error.message}. Make room on the disk of the data directory` : error.message;
}

/** Whether a ledger or the catalog could not be written because of the disk. */
export function isDiskFull(error: Error): boolean {
  return DISK.has(sqliteCode(error));
}

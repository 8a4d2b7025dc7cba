import { isDiskFull } from '../../platform/disk-full.ts';

/** Why rollcall cannot continue, with what to do where the disk is full: SQLite names no disk. */
export function failureWords(error: Error): string {
  return isDiskFull(error) ? `${error.message}. Make room on the disk of the data directory` : error.message;
}

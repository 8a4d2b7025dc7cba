import { isDiskFull } from '../../platform/disk-full.ts';

/** Returns the reason why rollcall cannot continue, with advice if the disk is full: SQLite names no disk. */
export function failureWords(error: Error): string {
  return isDiskFull(error) ? `${error.message}. Make room on the disk of the data directory` : error.message;
}

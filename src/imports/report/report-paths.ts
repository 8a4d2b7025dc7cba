import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { InputDescription } from '../read/notes.ts';

type Input = Pick<InputDescription, 'format' | 'shaped'>;

/** Files beside a finished import's ledger. */
export function reportPaths(folder: string, input: Input) {
  return {
    /** Every row, in the order of the input. */
    all: join(folder, 'report.csv'),
    /** The rows that need attention: failed, invalid, unconfirmed, unprocessed. */
    failed: join(folder, 'failed.csv'),
    retry: join(folder, `retry.${retryExtension(input)}`),
    /** The users and groups that it created. */
    created: join(folder, 'created.csv'),
    summary: join(folder, 'summary.json'),
  };
}

/** Ending of a retry file's name: those of a shaped input are CSV. */
export function retryExtension({ format, shaped }: Input) {
  return shaped === true || format === 'csv' ? 'csv' : 'ndjson';
}

/** The retry file in the folder of a finished import; undefined when no row can be sent again. */
export function retryFile(folder: string) {
  return (['csv', 'json'] as const)
    .map((format) => reportPaths(folder, { format }).retry)
    .find((path) => existsSync(path));
}

/** The reports in the folder of an import; null for one that was not written. */
export function writtenReports(folder: string) {
  const { all, failed, created } = reportPaths(folder, { format: 'csv' });
  const present = (path: string) => (existsSync(path) ? path : null);
  return { all: present(all), failed: present(failed), retry: retryFile(folder) ?? null, created: present(created) };
}

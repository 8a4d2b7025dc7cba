import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportSummary } from '../../api/import-summary.ts';
import type { Outcome } from '../../membership/outcome.ts';
import type { InputDescription } from '../stage/staged-row.ts';
import type { ImportReader } from './import-reader.ts';
import type { ReportInput } from './report-row.ts';

/** Files beside a finished import's ledger. */
export interface ReportPaths {
  /** Every row, in the order of the input. */
  readonly all: string;
  /** The rows that need attention: failed, invalid, unconfirmed, unprocessed. */
  readonly failed: string;
  /** The rows that may be sent again, in the original columns. */
  readonly retry: string;
  /** The users and groups that it created. */
  readonly created: string;
  readonly html: string;
  readonly summary: string;
}

export const NEEDS_ATTENTION: ReadonlySet<Outcome> = new Set(['failed', 'invalid', 'unconfirmed', 'unprocessed']);

export function reportPaths(folder: string, inputFormat: ReportInput['inputFormat']): ReportPaths {
  return {
    all: join(folder, 'report.csv'),
    failed: join(folder, 'failed.csv'),
    retry: join(folder, `retry.${retryExtension({ inputFormat })}`),
    created: join(folder, 'created.csv'),
    html: join(folder, 'report.html'),
    summary: join(folder, 'summary.json'),
  };
}

/** Ending of a retry file's name. */
export function retryExtension(input: Pick<ReportInput, 'inputFormat' | 'shaped'>): 'csv' | 'ndjson' {
  return input.shaped === true || input.inputFormat === 'csv' ? 'csv' : 'ndjson';
}

/** The retry file in the folder of a finished import; undefined when no row can be sent again. */
export function retryFile(folder: string): string | undefined {
  return (['csv', 'json'] as const).map((format) => reportPaths(folder, format).retry).find((path) => existsSync(path));
}

/** The reports in the folder of an import; null for one that was not written. */
export function writtenReports(folder: string): ImportSummary['reports'] {
  const { all, failed, created } = reportPaths(folder, 'csv');
  const present = (path: string) => (existsSync(path) ? path : null);
  return { all: present(all), failed: present(failed), retry: retryFile(folder) ?? null, created: present(created) };
}

/** The format in an import's file names: retry files of a shaped input are CSV. */
export function filesFormat({ format, shaped }: InputDescription): ReportInput['inputFormat'] {
  return shaped === true ? 'csv' : format;
}

export function reportInput(reader: Pick<ImportReader, 'input'>): ReportInput {
  return inputOf(reader.input());
}

export function inputOf({ columns, format, delimiter, shaped = false }: InputDescription): ReportInput {
  return { columns, inputFormat: format, delimiter: delimiter === '' ? ',' : delimiter, shaped };
}

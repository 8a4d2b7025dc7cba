import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportReader } from '../ledger/reading.ts';
import { OUTCOMES, type Outcome, RETRYABLE } from '../membership/outcome.ts';
import { csvReport } from '../report/csv.ts';
import { htmlReport } from '../report/html.ts';
import type { ImportSummary } from '../report/import-summary.ts';
import type { ReportInput } from '../report/report-row.ts';
import { retryExtension, retryReport } from '../report/retry.ts';

/** Files that stand beside a finished import's ledger. */
export interface ReportPaths {
  /** Every row, in the order of the input. */
  readonly all: string;
  /** The rows that need attention: failed, invalid, unconfirmed, unprocessed. */
  readonly failed: string;
  /** The rows that may be sent again, in the original columns. */
  readonly retry: string;
  readonly html: string;
  readonly summary: string;
}

export const NEEDS_ATTENTION: ReadonlySet<Outcome> = new Set(['failed', 'invalid', 'unconfirmed', 'unprocessed']);

/** Groups and rows that the page shows; the files have them all. */
const GROUPS_ON_PAGE = 200;
const ROWS_ON_PAGE = 100;
const CALL_BUCKETS = 200;

export function reportPaths(folder: string, inputFormat: ReportInput['inputFormat']): ReportPaths {
  return {
    all: join(folder, 'report.csv'),
    failed: join(folder, 'failed.csv'),
    retry: join(folder, `retry.${retryExtension({ inputFormat })}`),
    html: join(folder, 'report.html'),
    summary: join(folder, 'summary.json'),
  };
}

/** The retry file in the folder of an import that is over; undefined when no row is to be sent again. */
export function retryFile(folder: string): string | undefined {
  return (['csv', 'json'] as const).map((format) => reportPaths(folder, format).retry).find((path) => existsSync(path));
}

export function reportInput(reader: ImportReader): ReportInput {
  const { columns, format, delimiter } = reader.input();
  return { columns, inputFormat: format, delimiter: delimiter === '' ? ',' : delimiter };
}

/** Writes all report files. Each appears under its name only when it is complete; one that would be empty does not. */
export async function writeReportFiles(
  reader: ImportReader,
  paths: ReportPaths,
  summaryOf: () => ImportSummary,
  version: string,
): Promise<void> {
  const input = reportInput(reader);
  await write(paths.all, csvReport(input, reader.rows()));
  if (hasAny(reader, NEEDS_ATTENTION)) await write(paths.failed, csvReport(input, reader.rows(NEEDS_ATTENTION)));
  if (hasAny(reader, RETRYABLE)) await write(paths.retry, retryReport(input, reader.rows(RETRYABLE)));
  const summary = summaryOf();
  await write(paths.html, [htmlPage(reader, summary, version)]);
  await write(paths.summary, [`${JSON.stringify(summary, null, 2)}\n`]);
}

/** The page that stands alone. */
export function htmlPage(reader: ImportReader, summary: ImportSummary, version: string): string {
  const { groups, total } = reader.groups(GROUPS_ON_PAGE);
  return htmlReport({
    summary,
    problems: reader.problems(),
    groups,
    groupsTotal: total,
    calls: reader.calls(CALL_BUCKETS),
    sample: reader.rows(NEEDS_ATTENTION).take(ROWS_ON_PAGE).toArray(),
    generatedAt: Date.now(),
    version,
  });
}

function hasAny(reader: ImportReader, outcomes: ReadonlySet<Outcome>): boolean {
  for (const { rows } of reader.tallies().values()) {
    if (OUTCOMES.some((outcome) => outcomes.has(outcome) && rows[outcome] > 0)) return true;
  }
  return false;
}

async function write(path: string, chunks: Iterable<string>): Promise<void> {
  const unfinished = `${path}.part`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    for (const chunk of chunks) await file.write(chunk);
  } catch (error) {
    await file.close();
    await rm(unfinished, { force: true });
    throw error;
  }
  await file.close();
  await rename(unfinished, path);
}

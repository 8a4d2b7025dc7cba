import { existsSync } from 'node:fs';
import type { ImportSummary } from '../../api/import-summary.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { RowCounts } from '../../membership/outcome.ts';
import type { ImportRecord } from '../catalog.ts';
import type { IntakeNote } from '../read/intake-note.ts';
import { type Tallies, totalRows } from '../record/import-ledger.ts';
import type { ReportPaths } from './report-paths.ts';

/** The summary of an import, from its record and its running totals. */
export function summaryOf(
  record: ImportRecord,
  tallies: Tallies,
  reports: ReportPaths,
  notes: readonly IntakeNote[] = [],
): ImportSummary {
  // Rows of an import that goes on still get their outcome: "unprocessed" is said of them when it is over.
  const over = isFinal(record.state);
  const rowsOf = (rows: RowCounts): RowCounts => (over ? rows : { ...rows, unprocessed: 0 });
  const regions = [...tallies]
    .filter(([region]) => region !== '')
    .map(([region, tally]) => [region, { ...tally, rows: rowsOf(tally.rows) }] as const);
  const sum = (count: 'calls' | 'retries') => [...tallies.values()].reduce((total, tally) => total + tally[count], 0);
  const present = (path: string) => (existsSync(path) ? path : null);
  return {
    id: record.id,
    state: record.state,
    ...(record.code !== null && { code: record.code }),
    file: record.file,
    rows: rowsOf(totalRows(tallies)),
    regions: Object.fromEntries(regions),
    calls: sum('calls'),
    retries: sum('retries'),
    startedAt: isoTime(record.startedAt),
    finishedAt: isoTime(record.finishedAt),
    ...(notes.length > 0 && { notes: [...notes] }),
    reports: { all: present(reports.all), failed: present(reports.failed), retry: present(reports.retry) },
  };
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

import type { ImportSummary } from '../../../src/api/import-summary.ts';
import type { ProblemCount } from '../../../src/api/rows.ts';
import type { HtmlReport } from '../../../src/imports/report/html.ts';
import type { ReportInput, ReportRow } from '../../../src/imports/report/report-table.ts';
import { OUTCOMES, type Outcome, type RowCounts } from '../../../src/membership/outcome.ts';

/** Row counts from the outcomes that occur; `read` is their sum. */
export function rowCounts(outcomes: Partial<Record<Outcome, number>>): RowCounts {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, outcomes[outcome] ?? 0]));
  const read = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { ...counts, read } as RowCounts;
}

export const CSV_INPUT: ReportInput = { columns: ['guid', 'uid', 'name'], format: 'csv', delimiter: ',' };
export const NDJSON_INPUT: ReportInput = { columns: ['guid', 'uid', 'name'], format: 'ndjson', delimiter: ',' };

/** A row of CSV_INPUT that was added, with what a test is about changed. */
export function reportRow(changes: Partial<ReportRow> = {}): ReportRow {
  return {
    row: 1,
    line: 2,
    original: '["team","anna","Anna"]',
    status: 'added',
    code: '',
    message: '',
    region: 'eu',
    guid: 'team',
    uid: 'anna',
    scope: 'participant',
    attempts: 1,
    httpStatus: 200,
    batch: 7,
    finishedAt: '2025-01-31T12:00:00.000Z',
    created: '',
    messageId: '',
    members: null,
    value: '',
    ...changes,
  };
}

/** A row whose original is these cells. */
export function rowOf(cells: readonly string[], changes: Partial<ReportRow> = {}): ReportRow {
  return reportRow({ original: JSON.stringify(cells), ...changes });
}

const US = rowCounts({ added: 2000, failed: 100 });
const EU = rowCounts({ added: 1800, banned: 8, already_member: 112, failed: 80, invalid: 20, duplicate: 52 });

/** An import of two regions with 40 invalid rows that name no region. */
export function importSummary(changes: Partial<ImportSummary> = {}): ImportSummary {
  return {
    id: '20250131-1200-a1',
    state: 'completed',
    file: 'members.csv',
    rows: rowCounts({ added: 3800, banned: 8, already_member: 112, failed: 180, invalid: 60, duplicate: 52 }),
    regions: {
      us: { calls: 100, retries: 3, rateLimited: 1, rows: US },
      eu: { calls: 68, retries: 0, rateLimited: 0, rows: EU },
    },
    calls: 168,
    retries: 3,
    startedAt: '2025-01-31T12:00:00.000Z',
    finishedAt: '2025-01-31T12:00:12.400Z',
    reports: { all: null, failed: null, retry: null, created: null },
    ...changes,
  };
}

/** An import of one region with these outcomes. */
export function summaryOf(
  outcomes: Partial<Record<Outcome, number>>,
  changes: Partial<ImportSummary> = {},
): ImportSummary {
  const rows = rowCounts(outcomes);
  return importSummary({
    rows,
    regions: { us: { calls: 10, retries: 0, rateLimited: 0, rows } },
    calls: 10,
    retries: 0,
    ...changes,
  });
}

export const PROBLEMS: readonly ProblemCount[] = [
  {
    status: 'failed',
    code: 'ERR_UID_NOT_FOUND',
    count: 180,
    examples: [{ line: 1217, value: 'bob', message: 'The user with UID bob does not exist.' }],
  },
  {
    status: 'invalid',
    code: 'UNKNOWN_SCOPE',
    count: 60,
    examples: [{ line: 17, value: 'owner', message: 'allowed are admin, moderator, participant and ban' }],
  },
];

export function htmlInput(changes: Partial<HtmlReport> = {}): HtmlReport {
  return {
    summary: importSummary(),
    problems: PROBLEMS,
    generatedAt: Date.UTC(2025, 0, 31, 12, 1, 0),
    ...changes,
  };
}

import type { ImportSummary } from '../../api/import-summary.ts';
import { NEEDS_ATTENTION, RETRYABLE, sumOfOutcomes } from '../../membership/outcome.ts';
import type { ReportFormat, RowFilter } from '../../options/row-filter.ts';
import { writeWhole } from '../../platform/files.ts';
import { writeTable } from '../../platform/table.ts';
import type { ImportRecord } from '../catalog.ts';
import type { IntakeNote } from '../read/notes.ts';
import { htmlReport } from './html.ts';
import { type CreatedThing, type ImportReader, openImportReader } from './import-reader.ts';
import { reportPaths, writtenReports } from './report-paths.ts';
import { jsonReport, ndjsonReport, type ReportInput, retryReport, shapedRetry, tableReport } from './report-table.ts';
import { retryable } from './row-search.ts';
import { summaryOf, totalsOf } from './summarize.ts';

/** The input of the report files: the import as it will be when it has finished. */
export interface ReportsRequest {
  /** The path of its ledger. */
  readonly path: string;
  /** The folder of the files. */
  readonly folder: string;
  readonly record: Omit<ImportRecord, 'finishedAt'>;
  /** Notes that came up while it was closed. */
  readonly notes: readonly IntakeNote[];
}

/**
 * Writes all report files. Each appears under its name only when it is complete; one that would be empty does not.
 * The page is made when it is asked for. Returns the totals, and what went wrong: to find it, all outcomes are read.
 */
export async function writeReports({ path, folder, record, notes: found }: ReportsRequest) {
  using reader = openImportReader(path);
  const input = reader.input();
  const ofOutcomes = [reader.growthNote(), reader.scopeNote()].filter((note) => note !== undefined);
  const notes = [...input.notes, ...ofOutcomes, ...found];
  const totals = totalsOf(reader.counters(), true, { ...input, notes });
  const { rows, created } = totals;
  const paths = reportPaths(folder, input);
  await writeWhole(paths.all, tableReport(input, reader.rows(), 'csv'));
  if (sumOfOutcomes(rows, NEEDS_ATTENTION) > 0)
    await writeWhole(paths.failed, tableReport(input, reader.rows({ status: [...NEEDS_ATTENTION] }), 'csv'));
  if (sumOfOutcomes(rows, RETRYABLE) > 0) await writeWhole(paths.retry, retryText(reader, input));
  if (created !== undefined) await writeWhole(paths.created, createdFile(reader.created()));
  const summary = summaryOf({ ...record, finishedAt: Date.now() }, totals, writtenReports(folder));
  await writeWhole(paths.summary, [`${JSON.stringify(summary, null, 2)}\n`]);
  return { totals, problems: reader.problems() };
}

/**
 * Those of the rows that pass the filter which may be sent again, as a file that imports as it is.
 * @param without lines of rows that are left out
 */
function retryText(
  reader: ImportReader,
  input: ReportInput,
  filter: RowFilter = {},
  without: ReadonlySet<number> = new Set(),
) {
  const again = retryable(filter);
  const isLeft = ({ line }: { readonly line: number }) => !without.has(line);
  return input.shaped === true
    ? shapedRetry(Iterator.from(reader.toRetry(again)).filter(isLeft), reader.moreColumns())
    : retryReport(input, reader.rows(again).filter(isLeft));
}

export type ReportRequest = {
  /** Filter of the rows. Absent: all of them. `html` shows the whole import. */
  readonly filter?: RowFilter;
} & (
  | {
      readonly form: ReportFormat;
      /** For `json` and `html`. */
      readonly summary: ImportSummary;
    }
  /** The rows that may be sent again, in the original columns, as a file that imports as it is. */
  | {
      readonly form: 'retry';
      /** Lines of rows that are left out. */
      readonly without?: ReadonlySet<number> | undefined;
    }
  /** The users and groups that it created. */
  | { readonly form: 'created' }
);

/** A report in pieces of some 64 KB (`html` is one piece). Errors are thrown while reading. */
export function reportPieces(reader: ImportReader, request: ReportRequest): Iterable<string | Uint8Array> {
  const input = reader.input();
  const { filter } = request;
  switch (request.form) {
    case 'csv':
    case 'xlsx':
      return tableReport(input, reader.rows(filter), request.form);
    case 'ndjson':
      return ndjsonReport(input, reader.rows(filter));
    case 'json':
      return jsonReport(input, request.summary, reader.rows(filter));
    case 'html':
      return [htmlReport({ ...request, problems: reader.problems(), generatedAt: Date.now() })];
    case 'retry':
      return retryText(reader, input, filter, request.without);
    case 'created':
      return createdFile(reader.created());
  }
}

const CREATED_COLUMNS = ['kind', 'region', 'id', 'outcome', 'code', 'message', 'at'] as const;

/** The file that names them, as CSV. */
function createdFile(things: Iterable<CreatedThing>) {
  const values = Iterator.from(things).map((thing) =>
    CREATED_COLUMNS.map((name) => (name === 'at' ? new Date(thing.at).toISOString() : thing[name])),
  );
  return writeTable(CREATED_COLUMNS, values, 'csv');
}

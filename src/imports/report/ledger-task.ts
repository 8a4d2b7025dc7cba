import type { ImportTotals } from '../../api/import-summary.ts';
import type { ProblemCount } from '../../api/rows.ts';
import type { ImportRecord } from '../catalog.ts';
import type { SumCheck } from '../record/import-ledger.ts';
import type { ImportReader } from './reading.ts';
import type { ReportRequest } from './report-text.ts';
import type { RowFilter } from './row-filter.ts';
import type { RowOrder, RowPlace } from './row-search.ts';

export type Question = keyof Pick<
  ImportReader,
  | 'input'
  | 'counters'
  | 'stoppedRegions'
  | 'callsLeft'
  | 'progress'
  | 'retryWork'
  | 'callsSince'
  | 'rowsPage'
  | 'countRows'
  | 'problems'
  | 'groups'
  | 'membershipsOf'
  | 'uidsWith'
  | 'calls'
>;

/** The input of the report files: the import as it will be when it has finished. */
export interface ReportsRequest {
  /** The ledger. */
  readonly path: string;
  /** The folder of the files. */
  readonly folder: string;
  readonly record: Omit<ImportRecord, 'finishedAt'>;
}

/** The results of the reports. */
export interface ReportsWritten {
  readonly totals: ImportTotals;
  readonly problems: readonly ProblemCount[];
}

/** A page of rows. */
export interface RowsRequest {
  readonly filter: RowFilter;
  readonly order: RowOrder;
  readonly limit: number;
  /** Absent: the first page, with the number of all rows that pass the filter. */
  readonly after?: RowPlace;
}

interface AtPath {
  /** The path of a ledger. */
  readonly path: string;
}

/** The calls that a reading thread answers. */
export type LedgerThread = {
  query: (asked: AtPath & { readonly question: Question; readonly given: readonly unknown[] }) => unknown;
  /** A page of rows as JSON text, in UTF-8. */
  rowsPage: (asked: AtPath & RowsRequest) => Uint8Array;
  /** One row with its calls as JSON text, in UTF-8; undefined where there is none. */
  rowDetail: (asked: AtPath & { readonly row: number }) => Uint8Array | undefined;
  report: (asked: AtPath & { readonly request: ReportRequest }) => Generator<string | Uint8Array>;
  check: (asked: AtPath) => SumCheck;
  indexUids: (asked: AtPath) => void;
  forget: (asked: AtPath) => void;
  writeReports: (request: ReportsRequest) => Promise<ReportsWritten>;
};

import type { ImportTotals } from '../../api/import-summary.ts';
import type { ProblemCount } from '../../api/rows.ts';
import { type TaskLimits, ThreadQueue } from '../../platform/thread-queue.ts';
import type { ImportRecord } from '../catalog.ts';
import { IntakeError } from '../read/intake-error.ts';
import type { SumCheck } from '../record/counters.ts';
import type { RowFilter } from './found-rows.ts';
import type { ImportReader } from './import-reader.ts';
import type { ReportRequest } from './report-files.ts';
import type { RowOrder, RowPlace } from './row-search.ts';

type Question = keyof Pick<
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
  | 'hasToRetry'
  | 'problems'
  | 'groups'
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
interface RowsRequest {
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

/**
 * The thread, of four, that answers a question. SQLite answers in one go, so a long answer delays what is asked after
 * it in the same thread: `quick` reads a few pages of the file, `rows` up to all of its outcomes, `search` up to all of
 * its text, `whole` always all outcomes. Two more make reports and close imports.
 */
const QUEUE_OF: Readonly<Record<Question, 'quick' | 'rows' | 'search' | 'whole'>> = {
  input: 'quick',
  counters: 'quick',
  stoppedRegions: 'quick',
  callsLeft: 'quick',
  progress: 'quick',
  retryWork: 'search',
  callsSince: 'quick',
  rowsPage: 'rows',
  countRows: 'search',
  hasToRetry: 'search',
  uidsWith: 'search',
  problems: 'whole',
  groups: 'whole',
  calls: 'whole',
};

/** The questions of an ImportReader, answered by another thread. They reject with what the reader throws. */
export type ImportQuestions = {
  readonly [Name in Question]: (...given: Parameters<ImportReader[Name]>) => Promise<ReturnType<ImportReader[Name]>>;
};

/** Heap of a thread that works for an API client, in MB, without SQLite's memory: far more than a page or preview needs. */
export const HEAP_MB = 256;

/** Chunks of a report that are made before they are asked for. */
const CHUNKS_AHEAD = 2;

/** Reads imports' ledgers in other threads, so that this thread stays responsive. */
export interface LedgerThreads {
  /** Questions on the ledger at `path`, which stays open for a while. @param limits of each question, when an API client asks */
  of(path: string, limits?: TaskLimits): ImportQuestions;
  /**
   * A page of rows as the JSON text `{"rows":[…],"total":…,"nextCursor":…}`, in UTF-8: shorter than `limit` where the rows are long.
   * @throws TaskStopped
   */
  rowsPage(path: string, request: RowsRequest, limits: TaskLimits): Promise<Uint8Array>;
  /** One row with its calls as JSON text; undefined if no row has this number. @throws TaskStopped */
  rowDetail(path: string, row: number, limits: TaskLimits): Promise<Uint8Array | undefined>;
  /**
   * The bytes of a report, in chunks of some 64 KB, made as they are taken; the report shows one moment of the import
   * to its end. A caller that does not take them all must call `return`.
   */
  report(path: string, request: ReportRequest): AsyncGenerator<Uint8Array>;
  /** Counts the outcomes of an import and compares them with the running totals. */
  check(path: string): Promise<SumCheck>;
  /** Indexes the rows of a ledger by UID. Call it when no more results are recorded. */
  indexUids(path: string): Promise<void>;
  /** Writes all report files of an import, as `writeReportFiles` does. */
  writeReports(request: ReportsRequest): Promise<ReportsWritten>;
  /** Closes the ledger at `path` where it is open, before it is deleted. */
  forget(path: string): Promise<void>;
  /** Does what was asked for before, refuses what comes, and resolves when the threads have ended. */
  close(): Promise<void>;
}

export function openLedgerThreads(): LedgerThreads {
  const open = (how: { readonly atOnce: number; readonly heapMb?: number }) =>
    new ThreadQueue<LedgerThread>({ thread: [import.meta.url, './ledger-thread'], errors: [IntakeError], ...how });
  const one = { atOnce: 1, heapMb: HEAP_MB };
  const queues = {
    quick: open(one),
    rows: open(one),
    search: open(one),
    whole: open({ atOnce: 1 }),
    reports: open({ atOnce: Number.POSITIVE_INFINITY }),
    closing: open({ atOnce: Number.POSITIVE_INFINITY }),
  };
  return {
    of: (path, limits) =>
      Object.fromEntries(
        (Object.keys(QUEUE_OF) as Question[]).map((name) => [
          name,
          (...given: unknown[]) => queues[QUEUE_OF[name]].ask('query', { path, question: name, given }, limits),
        ]),
      ) as ImportQuestions,
    rowsPage: (path, request, limits) =>
      queues[isSearch(request) ? 'search' : 'rows'].ask('rowsPage', { path, ...request }, limits),
    rowDetail: (path, row, limits) => queues.rows.ask('rowDetail', { path, row }, limits),
    report: (path, request) => queues.reports.stream('report', { path, request }, CHUNKS_AHEAD),
    check: (path) => queues.closing.ask('check', { path }),
    indexUids: (path) => queues.closing.ask('indexUids', { path }),
    writeReports: (request) => queues.closing.ask('writeReports', request),
    forget: async (path) => {
      await Promise.all(Object.values(queues).map((queue) => queue.askRunning('forget', { path })));
    },
    close: async () => {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },
  };
}

/** Whether all rows are read for a page: it takes seconds for ten million. */
function isSearch({ filter, order }: RowsRequest): boolean {
  return filter.text !== undefined || order.by !== 'row';
}

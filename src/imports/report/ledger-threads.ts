import { type TaskLimits, threadQueue } from '../../platform/thread-queue.ts';
import type { NotedImport } from '../ends/ends.ts';
import type { LedgerQuestions, LedgerThread, RowsRequest } from './ledger-thread.ts';
import type { ReportRequest, ReportsRequest } from './report-files.ts';

/**
 * The thread, of four, that answers a question. SQLite answers in one go, so a long answer delays what is asked after
 * it in the same thread: `quick` reads a few pages of the file, `rows` up to all of its outcomes, `search` up to all of
 * its text, `whole` always all outcomes. Two more make reports and close imports.
 */
const QUEUE_OF = {
  input: 'quick',
  counters: 'quick',
  callsLeft: 'quick',
  progress: 'quick',
  retryWork: 'search',
  rowsPage: 'rows',
  rowsPageJson: 'rows',
  rowJson: 'rows',
  hasToRetry: 'search',
  uidsWith: 'search',
  problems: 'whole',
  callRates: 'whole',
  check: 'closing',
} as const satisfies { readonly [Name in keyof LedgerQuestions]?: 'quick' | 'rows' | 'search' | 'whole' | 'closing' };
type Question = keyof typeof QUEUE_OF;

/** The questions about a ledger, answered by another thread. They reject with what the reader throws. */
export type ImportQuestions = {
  readonly [Name in Question]: (
    ...given: Parameters<LedgerQuestions[Name]>
  ) => Promise<ReturnType<LedgerQuestions[Name]>>;
};

/** Heap of a thread that works for an API client, in MB, without SQLite's memory: far more than a page or preview needs. */
export const HEAP_MB = 256;

/** Chunks of a report that are made before they are asked for. */
const CHUNKS_AHEAD = 2;

/** Reads ledgers in other threads, so that this one stays responsive. */
export function openLedgerThreads() {
  const open = (how: { readonly atOnce: number; readonly heapMb?: number }) =>
    threadQueue<LedgerThread>({ thread: [import.meta.url, './ledger-thread'], ...how });
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
    /**
     * Questions on the ledger at `path`, which stays open for a while. @param limits of each question, when an API client asks
     * @throws READING_STOPPED
     */
    of: (path: string, limits?: TaskLimits) =>
      Object.fromEntries(
        (Object.keys(QUEUE_OF) as Question[]).map((name) => [
          name,
          (...given: unknown[]) => {
            const isWide = name === 'rowsPageJson' && isSearch(given[0] as RowsRequest);
            return queues[isWide ? 'search' : QUEUE_OF[name]].ask('query', { path, question: name, given }, limits);
          },
        ]),
      ) as ImportQuestions,
    /**
     * The bytes of a report, in chunks of some 64 KB, made as they are taken; the report shows one moment of the import
     * to its end. A caller that does not take them all must call `return`.
     */
    report: (path: string, request: ReportRequest) => queues.reports.stream('report', { path, request }, CHUNKS_AHEAD),
    /** Indexes the rows of a ledger by UID. Call it when no more results are recorded. */
    indexUids: (path: string) => queues.closing.ask('indexUids', { path }),
    noteEnds: (noted: NotedImport) => queues.closing.ask('noteEnds', noted),
    writeReports: (request: ReportsRequest) => queues.closing.ask('writeReports', request),
    /** Closes the ledger at `path` where it is open, before it is deleted. */
    forget: async (path: string) => {
      await Promise.all(Object.values(queues).map((queue) => queue.askRunning('forget', { path })));
    },
    /** Does what was asked for before, refuses what comes, and resolves when the threads have ended. */
    close: async () => {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },
  };
}
export type LedgerThreads = ReturnType<typeof openLedgerThreads>;

/** Whether all rows are read for a page: it takes seconds for ten million. */
function isSearch({ filter, order }: RowsRequest) {
  return filter.text !== undefined || order.by !== 'row';
}

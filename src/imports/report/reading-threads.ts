import type { ImportOptions } from '../import-options.ts';
import type { RecipeUse } from '../inspect/use-recipe.ts';
import type { InspectWish } from './inspect-head.ts';
import type { ImportReader } from './reading.ts';
import { openReadingLane, type TaskLimits } from './reading-lane.ts';
import type { Question, ReportsWish } from './reading-task.ts';
import type { ReportWish } from './report-text.ts';
import type { RowFilter } from './row-search.ts';

/**
 * Which of three threads answers a question. SQLite answers in one go, so that a long answer holds up what is asked
 * after it in the same thread: `quick` reads a few pages of the file, `search` up to all of its outcomes, `whole` all of
 * them. Two more make reports and previews.
 */
const LANE_OF: Readonly<Record<Question, 'quick' | 'search' | 'whole'>> = {
  input: 'quick',
  tallies: 'quick',
  stoppedRegions: 'quick',
  callsLeft: 'quick',
  callsSince: 'quick',
  rowsPage: 'search',
  problems: 'whole',
  groups: 'whole',
  calls: 'whole',
  check: 'whole',
};

/** The questions of an ImportReader, answered by another thread. They reject with what the reader throws. */
export type ImportQuestions = {
  readonly [Name in Question]: (...given: Parameters<ImportReader[Name]>) => Promise<ReturnType<ImportReader[Name]>>;
};

/** Memory of a thread that does a stranger's bidding, in MB, besides SQLite's: far more than a page or preview needs. */
const HEAP_MB = 256;

/** Chunks of a report that are made before they are asked for. */
const CHUNKS_AHEAD = 2;

/** Reads imports' ledgers in other threads, so that this one is free for what comes in. */
export interface ReadingThreads {
  /** Questions on the ledger at `path`, which stays open for a while. @param limits of each question: a stranger asks */
  of(path: string, limits?: TaskLimits): ImportQuestions;
  /**
   * A page of rows as the JSON text `{"rows":[…],"nextCursor":…}`, in UTF-8: shorter than `limit` where the rows are long.
   * @throws ReadingStopped
   */
  rowsPage(
    path: string,
    wish: { readonly filter: RowFilter; readonly after: number; readonly limit: number },
    limits: TaskLimits,
  ): Promise<Uint8Array>;
  /** How the beginning of a file would be read: a `Preview` as JSON text. @throws IntakeError, ReadingStopped */
  preview(head: Uint8Array, options: ImportOptions, limits: TaskLimits): Promise<Uint8Array>;
  /** The options of an import that uses a recipe. @throws IntakeError, ReadingStopped */
  useRecipe(use: RecipeUse, limits: TaskLimits): Promise<ImportOptions>;
  /** What a file is, as far as its beginning shows it: `FileFacts` as JSON text. @throws ReadingStopped */
  inspect(wish: InspectWish, limits: TaskLimits): Promise<Uint8Array>;
  /**
   * The bytes of a report, in chunks of some 64 KB, made as they are taken; what began shows one moment of the import
   * to its end. Whoever does not take them all must call `return`.
   */
  report(path: string, wish: ReportWish): AsyncGenerator<Uint8Array>;
  /** Writes all report files of an import, as `writeReportFiles` does. */
  writeReports(wish: ReportsWish): Promise<void>;
  /** Makes the rows of a ledger quick to find by UID, when no more results are recorded in it. */
  indexUids(path: string): Promise<void>;
  /** Closes the ledger at `path` where it is open: it is to be deleted. */
  forget(path: string): Promise<void>;
  /** Does what was asked for before, refuses what comes, and resolves when the threads have ended. */
  close(): Promise<void>;
}

export function openReadingThreads(): ReadingThreads {
  const one = { atOnce: 1, heapMb: HEAP_MB };
  const lanes = {
    quick: openReadingLane(one),
    search: openReadingLane(one),
    whole: openReadingLane({ atOnce: 1 }),
    reports: openReadingLane({ atOnce: Number.POSITIVE_INFINITY }),
    preview: openReadingLane(one),
  };
  let reports = 0;
  return {
    of: (path, limits) =>
      Object.fromEntries(
        (Object.keys(LANE_OF) as Question[]).map((name) => [
          name,
          (...given: unknown[]) => lanes[LANE_OF[name]].ask({ kind: 'query', path, question: name, given }, limits),
        ]),
      ) as ImportQuestions,
    rowsPage: async (path, wish, limits) =>
      (await lanes.search.ask({ kind: 'rows-page', path, ...wish }, limits)) as Uint8Array,
    preview: async (head, options, limits) =>
      (await lanes.preview.ask({ kind: 'preview', head, options }, limits)) as Uint8Array,
    useRecipe: async (use, limits) =>
      (await lanes.preview.ask({ kind: 'use-recipe', ...use }, limits)) as ImportOptions,
    inspect: async (wish, limits) => (await lanes.preview.ask({ kind: 'inspect', ...wish }, limits)) as Uint8Array,
    report: async function* (path, wish) {
      reports += 1;
      const report = reports;
      const take = (): Promise<unknown> => {
        const chunk = lanes.reports.ask({ kind: 'chunk', report });
        // It is told where it is awaited, and there may be nobody any more.
        chunk.catch(() => {});
        return chunk;
      };
      try {
        await lanes.reports.ask({ kind: 'report', path, report, wish });
        const ahead = Array.from({ length: CHUNKS_AHEAD }, take);
        for (;;) {
          const chunk = await ahead.shift();
          if (!(chunk instanceof Uint8Array)) return;
          ahead.push(take());
          yield chunk;
        }
      } finally {
        // A thread that has ended has no report to end.
        lanes.reports.tell({ kind: 'end-report', report }).catch(() => {});
      }
    },
    writeReports: async (wish) => {
      await lanes.reports.ask({ kind: 'write-reports', ...wish });
    },
    indexUids: async (path) => {
      await lanes.whole.ask({ kind: 'index-uids', path });
    },
    forget: async (path) => {
      await Promise.all(Object.values(lanes).map((lane) => lane.tell({ kind: 'forget', path })));
    },
    close: async () => {
      await Promise.all(Object.values(lanes).map((lane) => lane.close()));
    },
  };
}

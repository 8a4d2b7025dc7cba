import type { Worker } from 'node:worker_threads';
import { noteConversion } from '../../platform/conversions.ts';
import { PASSING_ROWS, startThread } from '../../platform/threads.ts';
import type { ImportOptions } from '../import-options.ts';
import type { RecipeUse } from '../inspect/use-recipe.ts';
import { unpackError } from '../read/thread-error.ts';
import type { SumCheck } from '../record/import-ledger.ts';
import type { InspectRequest } from './inspect-head.ts';
import type { PreviewRequest } from './preview.ts';
import type { ImportReader } from './reading.ts';
import {
  type NumberedTask,
  type Question,
  type ReadingReply,
  ReadingStopped,
  type ReadingTask,
  type ReportsRequest,
  type ReportsWritten,
  type RowsRequest,
  type TaskLimits,
} from './reading-task.ts';
import type { ReportRequest } from './report-text.ts';

/**
 * Which of four threads answers a question. SQLite answers in one go, so a long answer delays what is asked
 * after it in the same thread: `quick` reads a few pages of the file, `rows` up to all of its outcomes, `search` up to all
 * of its text, `whole` always all outcomes. Three more make reports, make previews and close imports.
 */
const QUEUE_OF: Readonly<Record<Question, 'quick' | 'rows' | 'search' | 'whole'>> = {
  input: 'quick',
  counters: 'quick',
  stoppedRegions: 'quick',
  callsLeft: 'quick',
  callsSince: 'quick',
  rowsPage: 'rows',
  countRows: 'search',
  problems: 'whole',
  groups: 'whole',
  calls: 'whole',
};

/** The questions of an ImportReader, answered by another thread. They reject with what the reader throws. */
export type ImportQuestions = {
  readonly [Name in Question]: (...given: Parameters<ImportReader[Name]>) => Promise<ReturnType<ImportReader[Name]>>;
};

/** Heap of a thread that works for an API client, in MB, without SQLite's memory: far more than a page or preview needs. */
const HEAP_MB = 256;

/** Chunks of a report that are made before they are asked for. */
const CHUNKS_AHEAD = 2;

/** Reads imports' ledgers in other threads, so that this thread stays responsive. */
export interface ReadingThreads {
  /** Questions on the ledger at `path`, which stays open for a while. @param limits of each question, when an API client asks */
  of(path: string, limits?: TaskLimits): ImportQuestions;
  /**
   * A page of rows as the JSON text `{"rows":[…],"total":…,"nextCursor":…}`, in UTF-8: shorter than `limit` where the rows are long.
   * @throws ReadingStopped
   */
  rowsPage(path: string, request: RowsRequest, limits: TaskLimits): Promise<Uint8Array>;
  /** One row with its calls as JSON text; undefined if no row has this number. @throws ReadingStopped */
  rowDetail(path: string, row: number, limits: TaskLimits): Promise<Uint8Array | undefined>;
  /** How the beginning of a file would be read: a `Preview` as JSON text. @throws IntakeError, ReadingStopped */
  preview(request: PreviewRequest, limits: TaskLimits): Promise<Uint8Array>;
  /** The options of an import that uses a recipe. @throws IntakeError, ReadingStopped */
  useRecipe(use: RecipeUse, limits: TaskLimits): Promise<ImportOptions>;
  /** What a file is, as far as its beginning shows it: `FileFacts` as JSON text. @throws ReadingStopped */
  inspect(request: InspectRequest, limits: TaskLimits): Promise<Uint8Array>;
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

export function openReadingThreads(): ReadingThreads {
  const one = { atOnce: 1, heapMb: HEAP_MB };
  const queues = {
    quick: openReadingQueue(one),
    rows: openReadingQueue(one),
    search: openReadingQueue(one),
    whole: openReadingQueue({ atOnce: 1 }),
    reports: openReadingQueue({ atOnce: Number.POSITIVE_INFINITY }),
    preview: openReadingQueue(one),
    closing: openReadingQueue({ atOnce: Number.POSITIVE_INFINITY }),
  };
  let reports = 0;
  return {
    of: (path, limits) =>
      Object.fromEntries(
        (Object.keys(QUEUE_OF) as Question[]).map((name) => [
          name,
          (...given: unknown[]) => queues[QUEUE_OF[name]].ask({ kind: 'query', path, question: name, given }, limits),
        ]),
      ) as ImportQuestions,
    rowsPage: async (path, request, limits) =>
      (await queues[isSearch(request) ? 'search' : 'rows'].ask(
        { kind: 'rows-page', path, ...request },
        limits,
      )) as Uint8Array,
    rowDetail: async (path, row, limits) =>
      (await queues.rows.ask({ kind: 'row-detail', path, row }, limits)) as Uint8Array | undefined,
    preview: async (request, limits) =>
      (await queues.preview.ask({ kind: 'preview', ...request }, limits)) as Uint8Array,
    useRecipe: async (use, limits) =>
      (await queues.preview.ask({ kind: 'use-recipe', ...use }, limits)) as ImportOptions,
    inspect: async (request, limits) =>
      (await queues.preview.ask({ kind: 'inspect', ...request }, limits)) as Uint8Array,
    report: async function* (path, request) {
      reports += 1;
      const report = reports;
      const take = (): Promise<unknown> => {
        const chunk = queues.reports.ask({ kind: 'chunk', report });
        // The error is reported where it is awaited, and no one may be waiting any more.
        chunk.catch(() => {});
        return chunk;
      };
      try {
        await queues.reports.ask({ kind: 'report', path, report, request });
        const ahead = Array.from({ length: CHUNKS_AHEAD }, take);
        for (;;) {
          const chunk = await ahead.shift();
          if (!(chunk instanceof Uint8Array)) return;
          ahead.push(take());
          yield chunk;
        }
      } finally {
        // A thread that has ended has no report to end.
        queues.reports.askRunning({ kind: 'end-report', report }).catch(() => {});
      }
    },
    check: async (path) => (await queues.closing.ask({ kind: 'check', path })) as SumCheck,
    indexUids: async (path) => {
      await queues.closing.ask({ kind: 'index-uids', path });
    },
    writeReports: async (request) =>
      (await queues.closing.ask({ kind: 'write-reports', ...request })) as ReportsWritten,
    forget: async (path) => {
      await Promise.all(Object.values(queues).map((queue) => queue.askRunning({ kind: 'forget', path })));
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

/** Time after which a thread with nothing to do ends, in ms; it takes its memory and its open files with it. */
const IDLE_MS = 30_000;
/** How long a task may continue after its caller left, in ms: about what a new thread costs, and most finish in that time. */
const LEFT_MS = 200;
/** Tasks with a deadline that wait in one queue, at most. */
const MOST_WAITING = 200;

interface ReadingQueueOptions {
  /** Tasks that the thread has at the same time. With 1, each has its own deadline. */
  readonly atOnce: number;
  /** Heap of the thread in MB; not given: that of the process. */
  readonly heapMb?: number;
}

/** One thread that begins tasks in the order in which they are asked for. It starts with the first one. */
interface ReadingQueue {
  /** @throws ReadingStopped; whatever the task throws */
  ask(task: ReadingTask, limits?: TaskLimits): Promise<unknown>;
  /** Sends the task to the thread if it is running; otherwise does nothing. */
  askRunning(task: ReadingTask): Promise<void>;
  /** Does what was asked for before, refuses what comes, and resolves when the thread has ended. */
  close(): Promise<void>;
}

interface Asked {
  readonly task: ReadingTask;
  readonly limits: TaskLimits | undefined;
  readonly answer: PromiseWithResolvers<unknown>;
  /** Its caller no longer waits for the answer. */
  hasLeft?: true;
  deadline?: NodeJS.Timeout | undefined;
}

interface RunningThread {
  readonly worker: Worker;
  /** On a busy machine it takes seconds to load: no task's fault. */
  isLoaded: boolean;
  /** It converts a ledger of an older version, which takes as long as it takes: ended in the middle, it would begin again. */
  isConverting: boolean;
  readonly sent: Map<number, Asked>;
  /** Open reports: the next chunk may be asked for after a long time. */
  readonly reports: Set<number>;
  readonly ended: Promise<void>;
}

export function openReadingQueue({ atOnce, heapMb }: ReadingQueueOptions): ReadingQueue {
  let running: RunningThread | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;
  let closed = false;
  let waiting: Asked[] = [];

  const start = (): RunningThread => {
    const worker = startThread(import.meta.url, './reading-thread', {
      resourceLimits: { ...PASSING_ROWS, ...(heapMb !== undefined && { maxOldGenerationSizeMb: heapMb }) },
    });
    const thread: RunningThread = {
      worker,
      isLoaded: false,
      isConverting: false,
      sent: new Map(),
      reports: new Set(),
      ended: new Promise<void>((resolve) => worker.once('exit', () => resolve())),
    };
    worker.once('message', () => {
      thread.isLoaded = true;
      for (const asked of thread.sent.values()) setDeadline(thread, asked);
    });
    worker.on('message', (reply: ReadingReply) => {
      if ('conversion' in reply) {
        thread.isConverting = reply.conversion !== null;
        for (const asked of thread.sent.values()) setDeadline(thread, asked);
        noteConversion(reply.conversion ?? undefined);
        return;
      }
      const asked = thread.sent.get(reply.id);
      thread.sent.delete(reply.id);
      clearTimeout(asked?.deadline);
      if ('error' in reply) asked?.answer.reject(unpackError(reply.error));
      else asked?.answer.resolve(reply.result);
      if (running === thread) next();
    });
    worker.on('error', (cause: unknown) => lose(thread, errorOf(cause)));
    worker.on('exit', () => lose(thread, new Error('the thread that reads imports has ended')));
    return thread;
  };

  /** Rejects the tasks of a lost thread, and gives the waiting ones to a new thread. */
  const lose = (thread: RunningThread, error: Error) => {
    if (running === thread) running = undefined;
    for (const { answer, deadline } of thread.sent.values()) {
      clearTimeout(deadline);
      answer.reject(error);
    }
    thread.sent.clear();
    next();
  };

  const end = (thread: RunningThread, error: Error) => {
    lose(thread, error);
    void thread.worker.terminate();
  };

  /** Sends what waits, as much as the thread takes; a thread with nothing to do ends after a while. */
  const next = (): void => {
    while (waiting.length > 0 && (running?.sent.size ?? 0) < atOnce) {
      running ??= start();
      send(running, waiting.shift() as Asked);
    }
    const thread = running;
    if (thread !== undefined && thread.sent.size + thread.reports.size === 0) {
      clearTimeout(idle);
      idle = setTimeout(leave, IDLE_MS).unref();
    }
  };

  const send = (thread: RunningThread, asked: Asked): void => {
    const { task } = asked;
    lastId += 1;
    if (task.kind === 'report') thread.reports.add(task.report);
    if (task.kind === 'end-report') thread.reports.delete(task.report);
    thread.sent.set(lastId, asked);
    setDeadline(thread, asked);
    thread.worker.postMessage({ id: lastId, ...task } satisfies NumberedTask);
  };

  /** Begins the time of a task anew; none runs while a ledger is converted. */
  const setDeadline = (thread: RunningThread, asked: Asked): void => {
    clearTimeout(asked.deadline);
    asked.deadline = undefined;
    if (asked.limits === undefined || thread.isConverting) return;
    const { deadlineMs } = asked.limits;
    if (asked.hasLeft) asked.deadline = setTimeout(() => end(thread, left()), LEFT_MS);
    else if (thread.isLoaded) {
      const late = new ReadingStopped('deadline', `it took more than ${deadlineMs / 1000} seconds`);
      asked.deadline = setTimeout(() => end(thread, late), deadlineMs);
    }
  };

  /** The caller has left: a waiting task is dropped, and a task that still runs after LEFT_MS is ended. */
  const abandon = (asked: Asked): void => {
    if (waiting.includes(asked)) {
      waiting = waiting.filter((other) => other !== asked);
      asked.answer.reject(left());
      return;
    }
    const thread = running;
    if (thread === undefined || ![...thread.sent.values()].includes(asked)) return;
    asked.hasLeft = true;
    setDeadline(thread, asked);
  };

  const ask = (task: ReadingTask, limits?: TaskLimits): Promise<unknown> => {
    if (closed) return Promise.reject(new Error('imports are not read any more: the process stops'));
    const signal = limits?.signal;
    if (signal?.aborted === true) return Promise.reject(left());
    if (limits !== undefined && waiting.length >= MOST_WAITING) {
      return Promise.reject(new ReadingStopped('busy', `${waiting.length} questions wait already`));
    }
    clearTimeout(idle);
    const asked: Asked = { task, limits, answer: Promise.withResolvers<unknown>() };
    waiting.push(asked);
    next();
    if (signal === undefined) return asked.answer.promise;
    const onAbort = () => abandon(asked);
    signal.addEventListener('abort', onAbort, { once: true });
    return asked.answer.promise.finally(() => signal.removeEventListener('abort', onAbort));
  };

  /** Ends a thread that has nothing to do. */
  const leave = (): Promise<void> => {
    clearTimeout(idle);
    const leaving = running;
    running = undefined;
    leaving?.worker.postMessage({ id: 0, kind: 'leave' } satisfies NumberedTask);
    return leaving?.ended ?? Promise.resolve();
  };

  return {
    ask,
    askRunning: async (task) => {
      if (running !== undefined) await ask(task);
    },
    close: async () => {
      closed = true;
      const under = [...waiting, ...(running?.sent.values() ?? [])];
      await Promise.allSettled(under.map(({ answer }) => answer.promise));
      await leave();
    },
  };
}

function left(): ReadingStopped {
  return new ReadingStopped('left', 'the caller no longer waits for the answer');
}

function errorOf(cause: unknown): Error {
  const { code, message = String(cause) } = cause as { code?: string; message?: string };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new ReadingStopped('memory', 'it needs more memory than it may have');
  return new Error(`the thread that reads imports has failed: ${message}`, { cause });
}

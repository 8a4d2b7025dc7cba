import type { Worker } from 'node:worker_threads';
import { noteConversion } from '../../platform/conversions.ts';
import { PASSING_ROWS, startThread } from '../../platform/threads.ts';
import { Turns } from '../../platform/turns.ts';
import { unpackError } from '../read/thread-error.ts';
import {
  type NumberedTask,
  type ReadingReply,
  ReadingStopped,
  type ReadingTask,
  type TaskLimits,
} from './reading-task.ts';

/** Time after which a thread with nothing to do ends, in ms; it takes its memory and its open files with it. */
const IDLE_MS = 30_000;
/** How long a task may continue after its caller left, in ms: about what a new thread costs, and most finish in that time. */
const LEFT_MS = 200;
/** Tasks with a deadline that wait in one queue, at most. */
const MOST_WAITING = 200;
/** Of one caller. */
const MAX_WAITING_OF_CALLER = 50;

interface ReadingQueueOptions {
  /** Tasks that the thread has at the same time. With 1, each has its own deadline. */
  readonly atOnce: number;
  /** Heap of the thread in MB; not given: that of the process. */
  readonly heapMb?: number;
}

/** One thread that begins the tasks of each caller in the order in which they are asked for; callers take turns. It starts with the first one. */
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
  const waiting = new Turns<Asked>();

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
    while (waiting.size > 0 && (running?.sent.size ?? 0) < atOnce) {
      running ??= start();
      send(running, waiting.next() as Asked);
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

  /** Restarts the deadline of a task; no deadline runs while a ledger is converted. */
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
    if (waiting.remove(callerOf(asked.limits), asked)) {
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
    const caller = callerOf(limits);
    const own = limits?.caller === undefined ? 0 : waiting.sizeOf(caller);
    if (own >= MAX_WAITING_OF_CALLER) return Promise.reject(busy(own));
    if (limits !== undefined && waiting.size >= MOST_WAITING) return Promise.reject(busy(waiting.size));
    clearTimeout(idle);
    const asked: Asked = { task, limits, answer: Promise.withResolvers<unknown>() };
    waiting.add(caller, asked);
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

function callerOf(limits: TaskLimits | undefined): string {
  return limits?.caller ?? '';
}

function busy(waiting: number): ReadingStopped {
  return new ReadingStopped('busy', `${waiting} questions wait already`);
}

function left(): ReadingStopped {
  return new ReadingStopped('left', 'the caller no longer waits for the answer');
}

function errorOf(cause: unknown): Error {
  const { code, message = String(cause) } = cause as { code?: string; message?: string };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new ReadingStopped('memory', 'it needs more memory than it may have');
  return new Error(`the thread that reads imports has failed: ${message}`, { cause });
}

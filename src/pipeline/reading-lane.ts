import { Worker } from 'node:worker_threads';
import type { NumberedTask, ReadingReply, ReadingTask } from './reading-task.ts';
import { unpackError } from './thread-error.ts';

/** Time after which a thread with nothing to do ends, in ms; it takes its memory and its open files with it. */
const IDLE_MS = 30_000;

/** One thread that does tasks in the order in which they are asked for. It starts with the first one. */
export interface ReadingLane {
  ask(task: ReadingTask): Promise<unknown>;
  /** Has a running thread do it; without one there is nothing to do. */
  tell(task: ReadingTask): Promise<void>;
  /** Does what was asked for before, refuses what comes, and resolves when the thread has ended. */
  close(): Promise<void>;
}

interface RunningThread {
  readonly worker: Worker;
  readonly waiting: Map<number, PromiseWithResolvers<unknown>>;
  /** Reports that are open: somebody may come for their next chunk after a long time. */
  readonly reports: Set<number>;
  readonly ended: Promise<void>;
}

export function openReadingLane(): ReadingLane {
  let running: RunningThread | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;
  let closed = false;

  const start = (): RunningThread => {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./reading-thread.${extension}`, import.meta.url));
    const waiting: RunningThread['waiting'] = new Map();
    const reports: RunningThread['reports'] = new Set();
    const thread = {
      worker,
      waiting,
      reports,
      ended: new Promise<void>((resolve) => worker.once('exit', () => resolve())),
    };
    const lost = (error: Error) => {
      if (running === thread) running = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    worker.on('message', (reply: ReadingReply) => {
      const asked = waiting.get(reply.id);
      waiting.delete(reply.id);
      if ('error' in reply) asked?.reject(unpackError(reply.error));
      else asked?.resolve(reply.result);
      if (waiting.size + reports.size === 0 && running === thread) idle = setTimeout(leave, IDLE_MS).unref();
    });
    worker.on('error', (cause) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      lost(new Error(`the thread that reads imports has failed: ${why}`, { cause }));
    });
    worker.on('exit', () => lost(new Error('the thread that reads imports has ended')));
    return thread;
  };

  const ask = (task: ReadingTask): Promise<unknown> => {
    if (closed) return Promise.reject(new Error('imports are not read any more: the process stops'));
    clearTimeout(idle);
    running ??= start();
    if (task.kind === 'report') running.reports.add(task.report);
    if (task.kind === 'end-report') running.reports.delete(task.report);
    const answer = Promise.withResolvers<unknown>();
    lastId += 1;
    running.waiting.set(lastId, answer);
    running.worker.postMessage({ id: lastId, ...task } satisfies NumberedTask);
    return answer.promise;
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
    tell: async (task) => {
      if (running !== undefined) await ask(task);
    },
    close: async () => {
      closed = true;
      await Promise.allSettled([...(running?.waiting.values() ?? [])].map(({ promise }) => promise));
      await leave();
    },
  };
}

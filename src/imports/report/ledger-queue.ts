import { type Conversion, noteConversion } from '../../platform/conversions.ts';
import { openThread, type Thread } from '../../platform/threads.ts';
import { Turns } from '../../platform/turns.ts';
import { IntakeError } from '../read/intake-error.ts';
import { type LedgerThread, ReadingStopped, type TaskLimits } from './ledger-task.ts';

/** Time after which a thread with nothing to do ends, in ms; it takes its memory and its open files with it. */
const IDLE_MS = 30_000;
/** How long a task may continue after its caller left, in ms: about what a new thread costs, and most finish in that time. */
const LEFT_MS = 200;
/** Tasks with a deadline that wait in one queue, at most. */
const MAX_WAITING = 200;
/** Of one caller. */
const MAX_WAITING_OF_CALLER = 50;

const CLOSED = 'imports are not read any more: the process stops';

interface LedgerQueueOptions {
  /** Tasks that the thread has at the same time. With 1, each has its own deadline. */
  readonly atOnce: number;
  /** Heap of the thread in MB; not given: that of the process. */
  readonly heapMb?: number;
}

type TaskKind = keyof LedgerThread;
type Input<Kind extends TaskKind> = Parameters<LedgerThread[Kind]>[0];
type Answer<Kind extends TaskKind> = Awaited<ReturnType<LedgerThread[Kind]>>;

/** One thread that begins the tasks of each caller in the order in which they are asked for; callers take turns. It starts with the first one. */
interface LedgerQueue {
  /** @throws ReadingStopped; whatever the task throws */
  ask<Kind extends TaskKind>(kind: Kind, input: Input<Kind>, limits?: TaskLimits): Promise<Answer<Kind>>;
  /** Sends the task to the thread if it is running; otherwise does nothing. */
  askRunning(kind: TaskKind, input: Input<TaskKind>): Promise<void>;
  /** The chunks of a stream, `ahead` of them made before they are taken. Streams take no turns. */
  stream(kind: 'report', input: Input<'report'>, ahead: number): AsyncGenerator<Uint8Array>;
  /** Does what was asked for before, refuses what comes, and resolves when the thread has ended. */
  close(): Promise<void>;
}

interface Asked {
  /** Has the thread do it. */
  readonly begin: (thread: Thread<LedgerThread>) => Promise<unknown>;
  readonly limits: TaskLimits | undefined;
  readonly answer: PromiseWithResolvers<unknown>;
  /** Its caller no longer waits for the answer. */
  hasLeft?: true;
  deadline?: NodeJS.Timeout | undefined;
}

interface RunningThread {
  readonly worker: Thread<LedgerThread>;
  /** On a busy machine it takes seconds to load: no task's fault. */
  isLoaded: boolean;
  /** It converts a ledger of an older version, which takes as long as it takes: ended in the middle, it would begin again. */
  isConverting: boolean;
  readonly sent: Set<Asked>;
  /** Open streams: the next chunk may be taken after a long time. */
  streams: number;
}

export function openLedgerQueue({ atOnce, heapMb }: LedgerQueueOptions): LedgerQueue {
  let running: RunningThread | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;
  const waiting = new Turns<Asked>();

  const start = (): RunningThread => {
    const worker = openThread<LedgerThread>(import.meta.url, './ledger-thread', {
      passesRows: true,
      heapMb,
      errors: [IntakeError],
      onNote: (conversion) => {
        thread.isConverting = conversion !== null;
        for (const asked of thread.sent) setDeadline(thread, asked);
        noteConversion((conversion as Conversion | null) ?? undefined);
      },
      onLost: (cause) => lose(thread, reasonFor(cause)),
    });
    const thread: RunningThread = { worker, isLoaded: false, isConverting: false, sent: new Set(), streams: 0 };
    void worker.loaded.then(() => {
      thread.isLoaded = true;
      for (const asked of thread.sent) setDeadline(thread, asked);
    });
    return thread;
  };

  /** Rejects the tasks of a lost thread, and gives the waiting ones to a new thread. */
  const lose = (thread: RunningThread, error: Error) => {
    if (running === thread) running = undefined;
    for (const { answer, deadline } of thread.sent) {
      clearTimeout(deadline);
      answer.reject(error);
    }
    thread.sent.clear();
    next();
  };

  const end = (thread: RunningThread, error: Error) => {
    lose(thread, error);
    void thread.worker.end();
  };

  /** Sends what waits, as much as the thread takes; a thread with nothing to do ends after a while. */
  const next = (): void => {
    while (waiting.size > 0 && (running?.sent.size ?? 0) < atOnce) {
      running ??= start();
      send(running, waiting.next() as Asked);
    }
    const thread = running;
    if (thread !== undefined && thread.sent.size + thread.streams === 0) {
      clearTimeout(idle);
      idle = setTimeout(leave, IDLE_MS).unref();
    }
  };

  const send = (thread: RunningThread, asked: Asked): void => {
    thread.sent.add(asked);
    setDeadline(thread, asked);
    const answered = asked.begin(thread.worker).finally(() => {
      // Else the thread is lost, and the task has its error.
      if (!thread.sent.delete(asked)) return;
      clearTimeout(asked.deadline);
      if (running === thread) next();
    });
    answered.then(asked.answer.resolve, asked.answer.reject);
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
    if (thread === undefined || !thread.sent.has(asked)) return;
    asked.hasLeft = true;
    setDeadline(thread, asked);
  };

  const ask = (begin: Asked['begin'], limits?: TaskLimits): Promise<unknown> => {
    if (closed) return Promise.reject(new Error(CLOSED));
    const signal = limits?.signal;
    if (signal?.aborted === true) return Promise.reject(left());
    const caller = callerOf(limits);
    const own = limits?.caller === undefined ? 0 : waiting.sizeOf(caller);
    if (own >= MAX_WAITING_OF_CALLER) return Promise.reject(busy(own));
    if (limits !== undefined && waiting.size >= MAX_WAITING) return Promise.reject(busy(waiting.size));
    clearTimeout(idle);
    const asked: Asked = { begin, limits, answer: Promise.withResolvers<unknown>() };
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
    return leaving?.worker.leave() ?? Promise.resolve();
  };

  return {
    ask: ((kind: TaskKind, input: never, limits) =>
      ask((thread) => thread.ask(kind, input), limits)) as LedgerQueue['ask'],
    askRunning: async (kind, input) => {
      if (running !== undefined) await ask((thread) => thread.ask(kind, input as never));
    },
    stream: async function* (kind, input, ahead) {
      if (closed) throw new Error(CLOSED);
      clearTimeout(idle);
      running ??= start();
      const thread = running;
      thread.streams += 1;
      try {
        yield* thread.worker.stream(kind, input, ahead);
      } finally {
        thread.streams -= 1;
        if (running === thread) next();
      }
    },
    close: async () => {
      closed = true;
      const under = [...waiting, ...(running?.sent ?? [])];
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

function reasonFor(cause: Error): Error {
  const isOutOfMemory = 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isOutOfMemory ? new ReadingStopped('memory', 'it needs more memory than it may have') : cause;
}

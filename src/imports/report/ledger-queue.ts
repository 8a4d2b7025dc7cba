import { type Conversion, noteConversion } from '../../platform/conversions.ts';
import { openThread, type Served, type Thread } from '../../platform/threads.ts';
import { Turns } from '../../platform/turns.ts';
import { IntakeError } from '../read/intake-error.ts';
import { ReadingStopped, type TaskLimits } from './ledger-task.ts';

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
  /** The file of the thread: beside which one it stands, and its name, such as `./ledger-thread`. */
  readonly thread: readonly [caller: string, name: string];
  /** Tasks that the thread has at the same time. With 1, each has its own deadline. */
  readonly atOnce: number;
  /** Heap of the thread in MB; not given: that of the process. */
  readonly heapMb?: number;
}

type Input<Tasks extends Served, Kind extends keyof Tasks> = Parameters<Tasks[Kind]>[0];

/** One thread that begins the tasks of each caller in the order in which they are asked for; callers take turns. It starts with the first one. */
export interface LedgerQueue<Tasks extends Served> {
  /** @throws ReadingStopped; whatever the task throws */
  ask<Kind extends string & keyof Tasks>(
    kind: Kind,
    input: Input<Tasks, Kind>,
    limits?: TaskLimits,
  ): Promise<Awaited<ReturnType<Tasks[Kind]>>>;
  /** Sends the task to the thread if it is running; otherwise does nothing. */
  askRunning<Kind extends string & keyof Tasks>(kind: Kind, input: Input<Tasks, Kind>): Promise<void>;
  /** The chunks of a stream, `ahead` of them made before they are taken. Streams take no turns. */
  stream<Kind extends string & keyof Tasks>(
    kind: Kind,
    input: Input<Tasks, Kind>,
    ahead: number,
  ): AsyncGenerator<Uint8Array>;
  /** Does what was asked for before, refuses what comes, and resolves when the thread has ended. */
  close(): Promise<void>;
}

interface Asked<Tasks extends Served> {
  /** Has the thread do it. */
  readonly begin: (thread: Thread<Tasks>) => Promise<unknown>;
  readonly limits: TaskLimits | undefined;
  readonly answer: PromiseWithResolvers<unknown>;
  /** Its caller no longer waits for the answer. */
  hasLeft?: true;
  deadline?: NodeJS.Timeout | undefined;
}

interface RunningThread<Tasks extends Served> {
  readonly worker: Thread<Tasks>;
  /** On a busy machine it takes seconds to load: no task's fault. */
  isLoaded: boolean;
  /** It converts a ledger of an older version, which takes as long as it takes: ended in the middle, it would begin again. */
  isConverting: boolean;
  readonly sent: Set<Asked<Tasks>>;
  /** Open streams: the next chunk may be taken after a long time. */
  streams: number;
}

export function openLedgerQueue<Tasks extends Served>({
  thread: [caller, name],
  atOnce,
  heapMb,
}: LedgerQueueOptions): LedgerQueue<Tasks> {
  type Asking = Asked<Tasks>;
  type Running = RunningThread<Tasks>;
  let running: Running | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;
  const waiting = new Turns<Asking>();

  const start = (): Running => {
    const worker = openThread<Tasks>(caller, name, {
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
    const thread: Running = { worker, isLoaded: false, isConverting: false, sent: new Set(), streams: 0 };
    void worker.loaded.then(() => {
      thread.isLoaded = true;
      for (const asked of thread.sent) setDeadline(thread, asked);
    });
    return thread;
  };

  /** Rejects the tasks of a lost thread, and gives the waiting ones to a new thread. */
  const lose = (thread: Running, error: Error) => {
    if (running === thread) running = undefined;
    for (const { answer, deadline } of thread.sent) {
      clearTimeout(deadline);
      answer.reject(error);
    }
    thread.sent.clear();
    next();
  };

  const end = (thread: Running, error: Error) => {
    lose(thread, error);
    void thread.worker.end();
  };

  /** Sends what waits, as much as the thread takes; a thread with nothing to do ends after a while. */
  const next = (): void => {
    while (waiting.size > 0 && (running?.sent.size ?? 0) < atOnce) {
      running ??= start();
      send(running, waiting.next() as Asking);
    }
    const thread = running;
    if (thread !== undefined && thread.sent.size + thread.streams === 0) {
      clearTimeout(idle);
      idle = setTimeout(leave, IDLE_MS).unref();
    }
  };

  const send = (thread: Running, asked: Asking): void => {
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
  const setDeadline = (thread: Running, asked: Asking): void => {
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
  const abandon = (asked: Asking): void => {
    if (waiting.remove(callerOf(asked.limits), asked)) {
      asked.answer.reject(left());
      return;
    }
    const thread = running;
    if (thread === undefined || !thread.sent.has(asked)) return;
    asked.hasLeft = true;
    setDeadline(thread, asked);
  };

  const ask = (begin: Asking['begin'], limits?: TaskLimits): Promise<unknown> => {
    if (closed) return Promise.reject(new Error(CLOSED));
    const signal = limits?.signal;
    if (signal?.aborted === true) return Promise.reject(left());
    const caller = callerOf(limits);
    const own = limits?.caller === undefined ? 0 : waiting.sizeOf(caller);
    if (own >= MAX_WAITING_OF_CALLER) return Promise.reject(busy(own));
    if (limits !== undefined && waiting.size >= MAX_WAITING) return Promise.reject(busy(waiting.size));
    clearTimeout(idle);
    const asked: Asking = { begin, limits, answer: Promise.withResolvers<unknown>() };
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
    ask: ((kind, input, limits) => ask((thread) => thread.ask(kind, input), limits)) as LedgerQueue<Tasks>['ask'],
    askRunning: async (kind, input) => {
      if (running !== undefined) await ask((thread) => thread.ask(kind, input));
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

import { addAbortListener } from 'node:events';
import type { FactsOf } from '../errors/errors.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { type Answer, type Input, openThread, type Served, type Thread } from './threads.ts';
import { Turns } from './turns.ts';

/** Time after which a thread with nothing to do ends, in ms; it takes its memory and its open files with it. */
const IDLE_MS = 30_000;
/** Tasks with a deadline that wait in one queue, at most. */
const MAX_WAITING = 200;
/** Maximum number of waiting tasks of one caller. */
const MAX_WAITING_OF_CALLER = 50;

const CLOSED = 'imports are not read any more: the process stops';

/** Limits for tasks of API clients. */
export interface TaskLimits {
  /** Time in the thread, in ms; then the thread is ended and the task is refused. */
  readonly deadlineMs: number;
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal?: AbortSignal;
  /** The caller. Callers take turns, and each may use only a part of the waiting places. Absent: the program itself. */
  readonly caller?: string;
}

interface ThreadQueueOptions {
  /** The file of the thread: beside which one it stands, and its name, such as `./ledger-thread`. */
  readonly thread: readonly [caller: string, name: string];
  /** Tasks that the thread has at the same time. With 1, each has its own deadline. */
  readonly atOnce: number;
  /** Heap of the thread in MB; not given: that of the process. */
  readonly heapMb?: number;
}

/** One thread that begins the tasks of each caller in the order in which they are asked for; callers take turns. It starts with the first one. */
export function threadQueue<Tasks extends Served>({ thread: [caller, name], atOnce, heapMb }: ThreadQueueOptions) {
  /** Functions that begin the tasks that wait. */
  const waiting = new Turns<() => void>();
  let running: Thread<Tasks> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let [tasks, streams] = [0, 0];
  /** Resolved when all is done that was asked for before it was closed. */
  let closing: PromiseWithResolvers<void> | undefined;

  const started = () => {
    const thread = openThread<Tasks>(caller, name, {
      passesRows: true,
      heapMb,
      onLost: () => {
        if (running === thread) running = undefined;
      },
    });
    return thread;
  };

  const leave = () => {
    const leaving = running;
    running = undefined;
    return leaving?.leave() ?? Promise.resolve();
  };

  /** Begins what waits, as much as the thread takes; a thread with nothing to do ends after a while. */
  const next = () => {
    clearTimeout(idle);
    while (tasks < atOnce && waiting.size > 0) {
      tasks += 1;
      waiting.next()?.();
    }
    if (tasks === 0) closing?.resolve();
    if (tasks + streams === 0) idle = setTimeout(leave, IDLE_MS).unref();
  };

  /** @throws READING_STOPPED; whatever the task throws */
  const ask = async <Kind extends string & keyof Tasks>(
    kind: Kind,
    input: Input<Tasks, Kind>,
    limits?: TaskLimits,
  ): Promise<Answer<Tasks, Kind>> => {
    if (closing !== undefined) throw new Error(CLOSED);
    const refusal = limits && refusalOf(limits, waiting);
    if (refusal !== undefined) throw refusal;
    await turnIn(waiting, next, limits);
    try {
      running ??= started();
      using stop = limits && stopOf(limits, running.loaded);
      return await running.ask(kind, input, stop?.signal);
    } catch (error) {
      const isOutOfMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      throw isOutOfMemory ? stopped('memory', 'it needs more memory than it may have') : error;
    } finally {
      tasks -= 1;
      next();
    }
  };

  return {
    ask,
    /** Sends the task to the thread if it is running; otherwise does nothing. */
    async askRunning<Kind extends string & keyof Tasks>(kind: Kind, input: Input<Tasks, Kind>) {
      if (running !== undefined) await ask(kind, input);
    },
    /** The chunks of a stream, `ahead` of them made before they are taken. Streams take no turns. */
    async *stream<Kind extends string & keyof Tasks>(
      kind: Kind,
      input: Input<Tasks, Kind>,
      ahead: number,
    ): AsyncGenerator<Uint8Array> {
      if (closing !== undefined) throw new Error(CLOSED);
      clearTimeout(idle);
      streams += 1;
      try {
        running ??= started();
        yield* running.stream(kind, input, ahead);
      } finally {
        streams -= 1;
        next();
      }
    },
    /** Does what was asked for before, refuses what comes, and resolves when the thread has ended. */
    async close() {
      closing ??= Promise.withResolvers<void>();
      next();
      await closing.promise;
      clearTimeout(idle);
      await leave();
    },
  };
}

/** Resolves when it is the turn of a caller's task. */
async function turnIn(waiting: Turns<() => void>, next: () => void, { caller = '', signal }: Partial<TaskLimits> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  waiting.add(caller, resolve);
  next();
  using _ = signal && addAbortListener(signal, () => waiting.remove(caller, resolve) && reject(left()));
  await promise;
}

/** Aborted when a task is late, counted from when its thread has loaded, or when its caller has left. */
function stopOf({ deadlineMs, signal }: TaskLimits, loaded: Promise<void>) {
  const stop = new AbortController();
  const over = new AbortController();
  const late = stopped('deadline', `it took more than ${deadlineMs / 1000} seconds`);
  // On a busy machine a thread takes seconds to load: no task's fault.
  void loaded.then(() => {
    const timer = setTimeout(() => stop.abort(late), deadlineMs);
    addAbortListener(over.signal, () => clearTimeout(timer));
  });
  const leaving = signal && addAbortListener(signal, () => stop.abort(left()));
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      over.abort();
      leaving?.[Symbol.dispose]();
    },
  };
}

/** The reason why a task cannot wait; undefined where it can. */
function refusalOf<Task>({ signal, caller }: TaskLimits, waiting: Turns<Task>) {
  if (signal?.aborted === true) return left();
  const own = caller === undefined ? 0 : waiting.sizeOf(caller);
  if (own >= MAX_WAITING_OF_CALLER) return busy(own);
  return waiting.size >= MAX_WAITING ? busy(waiting.size) : undefined;
}

function stopped(reason: FactsOf<'READING_STOPPED'>['reason'], what: string) {
  return new RollcallError('READING_STOPPED', { what, reason });
}

function busy(waiting: number) {
  return stopped('busy', `${waiting} questions wait already`);
}

function left() {
  return stopped('left', 'the caller no longer waits for the answer');
}

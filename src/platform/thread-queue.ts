import type { FactsOf } from '../errors/errors.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { type Answer, type Input, type Served, Thread } from './threads.ts';
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

interface Asked<Tasks extends Served> {
  /** Has the thread do it. */
  readonly begin: (thread: Thread<Tasks>, signal: AbortSignal | undefined) => Promise<unknown>;
  readonly limits: TaskLimits | undefined;
  readonly answer: PromiseWithResolvers<unknown>;
  /** Aborted when it is late, or its caller has left: a thread that goes on with it is ended. */
  readonly stop: AbortController;
}

interface RunningThread<Tasks extends Served> {
  readonly worker: Thread<Tasks>;
  readonly sent: Set<Asked<Tasks>>;
  /** Open streams: the next chunk may be taken after a long time. */
  streams: number;
}

/** One thread that begins the tasks of each caller in the order in which they are asked for; callers take turns. It starts with the first one. */
export class ThreadQueue<Tasks extends Served> {
  readonly #options: ThreadQueueOptions;
  readonly #waiting = new Turns<Asked<Tasks>>();
  #running: RunningThread<Tasks> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ThreadQueueOptions) {
    this.#options = options;
  }

  /** @throws READING_STOPPED; whatever the task throws */
  ask<Kind extends string & keyof Tasks>(
    kind: Kind,
    input: Input<Tasks, Kind>,
    limits?: TaskLimits,
  ): Promise<Answer<Tasks, Kind>> {
    return this.#ask((thread, signal) => thread.ask(kind, input, signal), limits) as Promise<Answer<Tasks, Kind>>;
  }

  /** Sends the task to the thread if it is running; otherwise does nothing. */
  async askRunning<Kind extends string & keyof Tasks>(kind: Kind, input: Input<Tasks, Kind>) {
    if (this.#running !== undefined) await this.ask(kind, input);
  }

  /** The chunks of a stream, `ahead` of them made before they are taken. Streams take no turns. */
  async *stream<Kind extends string & keyof Tasks>(
    kind: Kind,
    input: Input<Tasks, Kind>,
    ahead: number,
  ): AsyncGenerator<Uint8Array> {
    if (this.#closed) throw new Error(CLOSED);
    clearTimeout(this.#idle);
    this.#running ??= this.#start();
    const thread = this.#running;
    thread.streams += 1;
    try {
      yield* thread.worker.stream(kind, input, ahead);
    } finally {
      thread.streams -= 1;
      if (this.#running === thread) this.#next();
    }
  }

  /** Does what was asked for before, refuses what comes, and resolves when the thread has ended. */
  async close() {
    this.#closed = true;
    const under = [...this.#waiting, ...(this.#running?.sent ?? [])];
    await Promise.allSettled(under.map(({ answer }) => answer.promise));
    await this.#leave();
  }

  #ask(begin: Asked<Tasks>['begin'], limits?: TaskLimits): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Error(CLOSED));
    const signal = limits?.signal;
    if (signal?.aborted === true) return Promise.reject(left());
    const caller = limits?.caller ?? '';
    const own = limits?.caller === undefined ? 0 : this.#waiting.sizeOf(caller);
    if (own >= MAX_WAITING_OF_CALLER) return Promise.reject(busy(own));
    if (limits !== undefined && this.#waiting.size >= MAX_WAITING) return Promise.reject(busy(this.#waiting.size));
    clearTimeout(this.#idle);
    const stop = new AbortController();
    const asked: Asked<Tasks> = { begin, limits, answer: Promise.withResolvers<unknown>(), stop };
    this.#waiting.add(caller, asked);
    this.#next();
    if (signal === undefined) return asked.answer.promise;
    const onAbort = () => {
      if (this.#waiting.remove(caller, asked)) asked.answer.reject(left());
      else stop.abort(left());
    };
    signal.addEventListener('abort', onAbort, { once: true });
    return asked.answer.promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #start(): RunningThread<Tasks> {
    const {
      thread: [caller, name],
      heapMb,
    } = this.#options;
    const worker = new Thread<Tasks>(caller, name, {
      passesRows: true,
      heapMb,
      onLost: (cause) => this.#lose(thread, reasonFor(cause)),
    });
    const thread: RunningThread<Tasks> = { worker, sent: new Set(), streams: 0 };
    return thread;
  }

  /** Rejects the tasks of a lost thread, and gives the waiting ones to a new thread. */
  #lose(thread: RunningThread<Tasks>, error: Error) {
    if (this.#running === thread) this.#running = undefined;
    for (const { answer, stop } of thread.sent) answer.reject(stop.signal.aborted ? stop.signal.reason : error);
    thread.sent.clear();
    this.#next();
  }

  /** Sends what waits, as much as the thread takes; a thread with nothing to do ends after a while. */
  #next() {
    while (this.#waiting.size > 0 && (this.#running?.sent.size ?? 0) < this.#options.atOnce) {
      this.#running ??= this.#start();
      this.#send(this.#running, this.#waiting.next() as Asked<Tasks>);
    }
    const thread = this.#running;
    if (thread !== undefined && thread.sent.size + thread.streams === 0) {
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => this.#leave(), IDLE_MS).unref();
    }
  }

  #send(thread: RunningThread<Tasks>, asked: Asked<Tasks>) {
    const { limits, stop, answer } = asked;
    let late: NodeJS.Timeout | undefined;
    thread.sent.add(asked);
    if (limits !== undefined) {
      const reason = stopped('deadline', `it took more than ${limits.deadlineMs / 1000} seconds`);
      // On a busy machine a thread takes seconds to load: no task's fault.
      void thread.worker.loaded.then(() => {
        if (thread.sent.has(asked)) late = setTimeout(() => stop.abort(reason), limits.deadlineMs);
      });
    }
    const answered = asked.begin(thread.worker, limits && stop.signal).finally(() => {
      clearTimeout(late);
      // Else the thread is lost, and the task has its error.
      if (thread.sent.delete(asked) && this.#running === thread) this.#next();
    });
    answered.then(answer.resolve, answer.reject);
  }

  /** Ends a thread that has nothing to do. */
  #leave() {
    clearTimeout(this.#idle);
    const leaving = this.#running;
    this.#running = undefined;
    return leaving?.worker.leave() ?? Promise.resolve();
  }
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

function reasonFor(cause: Error) {
  const isOutOfMemory = 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isOutOfMemory ? stopped('memory', 'it needs more memory than it may have') : cause;
}

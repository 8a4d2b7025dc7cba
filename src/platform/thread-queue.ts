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
export function threadQueue<Tasks extends Served>({ thread: [caller, name], atOnce, heapMb }: ThreadQueueOptions) {
  const waiting = new Turns<Asked<Tasks>>();
  let running: RunningThread<Tasks> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  /** Rejects the tasks of a lost thread, and gives the waiting ones to a new thread. */
  const lose = (thread: RunningThread<Tasks>, error: Error) => {
    if (running === thread) running = undefined;
    for (const { answer, stop } of thread.sent) answer.reject(stop.signal.aborted ? stop.signal.reason : error);
    thread.sent.clear();
    next();
  };

  const started = () => {
    clearTimeout(idle);
    if (running !== undefined) return running;
    const worker = openThread<Tasks>(caller, name, {
      passesRows: true,
      heapMb,
      onLost: (cause) => lose(thread, reasonFor(cause)),
    });
    const thread: RunningThread<Tasks> = { worker, sent: new Set(), streams: 0 };
    running = thread;
    return thread;
  };

  /** Ends a thread that has nothing to do. */
  const leave = () => {
    clearTimeout(idle);
    const leaving = running;
    running = undefined;
    return leaving?.worker.leave() ?? Promise.resolve();
  };

  /** Sends what waits, as much as the thread takes; a thread with nothing to do ends after a while. */
  const next = () => {
    while (waiting.size > 0 && (running?.sent.size ?? 0) < atOnce) run(started(), waiting.next() as Asked<Tasks>, next);
    if (running === undefined || running.sent.size + running.streams > 0) return;
    clearTimeout(idle);
    idle = setTimeout(leave, IDLE_MS).unref();
  };

  const askFor = (begin: Asked<Tasks>['begin'], limits?: TaskLimits): Promise<unknown> => {
    if (closed) return Promise.reject(new Error(CLOSED));
    const refusal = limits && refusalOf(limits, waiting);
    if (refusal !== undefined) return Promise.reject(refusal);
    const { signal, caller: owner = '' } = limits ?? {};
    clearTimeout(idle);
    const answer = Promise.withResolvers<unknown>();
    const asked: Asked<Tasks> = { begin, limits, answer, stop: new AbortController() };
    waiting.add(owner, asked);
    next();
    if (signal === undefined) return answer.promise;
    const listening = addAbortListener(signal, () => {
      if (waiting.remove(owner, asked)) answer.reject(left());
      else asked.stop.abort(left());
    });
    return answer.promise.finally(() => listening[Symbol.dispose]());
  };

  /** @throws READING_STOPPED; whatever the task throws */
  const ask = <Kind extends string & keyof Tasks>(kind: Kind, input: Input<Tasks, Kind>, limits?: TaskLimits) =>
    askFor((thread, signal) => thread.ask(kind, input, signal), limits) as Promise<Answer<Tasks, Kind>>;

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
      if (closed) throw new Error(CLOSED);
      const thread = started();
      thread.streams += 1;
      try {
        yield* thread.worker.stream(kind, input, ahead);
      } finally {
        thread.streams -= 1;
        if (running === thread) next();
      }
    },
    /** Does what was asked for before, refuses what comes, and resolves when the thread has ended. */
    async close() {
      closed = true;
      await Promise.allSettled([...waiting, ...(running?.sent ?? [])].map((asked) => asked.answer.promise));
      await leave();
    },
  };
}

/** Has the thread do a task, and begins the next one behind it. */
function run<Tasks extends Served>({ worker, sent }: RunningThread<Tasks>, asked: Asked<Tasks>, next: () => void) {
  const { begin, limits, stop, answer } = asked;
  let late: NodeJS.Timeout | undefined;
  sent.add(asked);
  if (limits !== undefined) {
    const reason = stopped('deadline', `it took more than ${limits.deadlineMs / 1000} seconds`);
    // On a busy machine a thread takes seconds to load: no task's fault.
    void worker.loaded.then(() => {
      if (sent.has(asked)) late = setTimeout(() => stop.abort(reason), limits.deadlineMs);
    });
  }
  const answered = begin(worker, limits && stop.signal).finally(() => {
    clearTimeout(late);
    // Else the thread is lost, and the task has its error.
    if (sent.delete(asked)) next();
  });
  answered.then(answer.resolve, answer.reject);
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

function reasonFor(cause: Error) {
  const isOutOfMemory = 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isOutOfMemory ? stopped('memory', 'it needs more memory than it may have') : cause;
}

import type { Backend, QueueTelemetry } from './backend.ts';
import { addSums, NO_SUMS } from './flow.ts';
import { FLOW_SILENCE_MS, type JobQueue } from './job-queue.ts';
import { type JobRunner, type JobWorker, jobRunner, LEFT_JOB_WAIT_MS, type NextStep } from './job-worker.ts';
import { type LimitWindow, limitWindow, RateLimit } from './limit-window.ts';

/**
 * The embedded queue: jobs in the memory of this process, lost when it ends. The ledger has the work, and is the truth;
 * the queue is a cache of it. Each opened backend has its own queues.
 */
export function openMemory(telemetry?: QueueTelemetry): Backend {
  const queues = new Map<string, MemoryQueue>();
  const queueOf = (name: string) => {
    const queue = queues.get(name) ?? new MemoryQueue();
    queues.set(name, queue);
    return queue;
  };
  return {
    kind: 'embedded',
    openQueue: (name, definition) => {
      const queue = queueOf(name);
      const add: JobQueue<unknown>['add'] = (jobs) =>
        traced(telemetry, 'add', name, undefined, async (trace) => {
          for (const { id, payload: data, name: kind = definition.name, priority = 0 } of jobs) {
            queue.add({ id, data, name: kind, priority, attempts: definition.attempts, trace });
          }
        });
      return { name, add, again: add, ...operationsOf(queue) };
    },
    startWorker: (options) => {
      const runner = jobRunner(options);
      return startWorker(queueOf(options.queue.name), options.concurrency, runner, (job) =>
        traced(telemetry, 'process', options.queue.name, job.trace, () =>
          runner.run({
            ...job,
            read: async () => job.data as never,
            update: async (changed) => {
              job.data = changed;
            },
          }),
        ),
      );
    },
    warnings: async () => [],
    close: async () => {
      for (const queue of queues.values()) {
        queue.workers.clear();
        queue.stir();
      }
      queues.clear();
    },
  };
}

function operationsOf<Payload>(queue: MemoryQueue): Omit<JobQueue<Payload>, 'name' | 'add' | 'again'> {
  return {
    withdraw: async (chosen) =>
      queue
        .withdraw(chosen)
        .map(({ id, data, starts }) => ({ id, payload: data as Payload, ...(starts > 0 && { starts }) })),
    lost: async (ids) => ids.filter((id) => !queue.has(id)),
    clear: async () => queue.clear(),
    pause: async () => {
      queue.isPaused = true;
    },
    resume: async () => {
      queue.isPaused = false;
      queue.stir();
    },
    isPaused: async () => queue.isPaused,
    setCallsPerMinute: async (callsPerMinute) => {
      queue.window = limitWindow(callsPerMinute);
      queue.stir();
    },
    callsPerMinute: async () => queue.window && Math.round((queue.window.max / queue.window.duration) * 60_000),
    slowDown: async (waitMs) => queue.limit.hold(performance.now() + Math.max(1, Math.ceil(waitMs))),
    endWait: async () => {
      queue.limit.lift();
      queue.stir();
    },
    readCircuit: async () => queue.circuit,
    swapCircuit: async (before, after) => {
      if (queue.circuit === before) queue.circuit = after;
      return queue.circuit;
    },
    shareFlow: async (by, most, more) => {
      const { flow } = queue;
      flow.sums = addSums(flow.sums, more);
      const now = performance.now();
      flow.reports.set(by, { most, at: now });
      for (const [one, { at }] of flow.reports) if (now - at > FLOW_SILENCE_MS) flow.reports.delete(one);
      const mostOfAll = [...flow.reports.values()].reduce((sum, report) => sum + report.most, 0);
      return { text: flow.text, sums: flow.sums, most: mostOfAll, now };
    },
    swapFlow: async (before, after) => {
      if (queue.flow.text === before) queue.flow.text = after;
      return queue.flow.text;
    },
    readFlow: async () => queue.flow.text,
    limitedForMs: async () => Math.ceil(queue.limitedForMs(performance.now())),
    firstPriority: async () => {
      const [running] = queue.active;
      return (queue.waiting.find(({ priority }) => priority > 0) ?? running)?.priority ?? 0;
    },
    depth: async () => ({
      waiting: queue.waiting.length,
      delayed: queue.delayed.length,
      active: queue.active.size,
      setAside: 0,
    }),
    // A worker in this process loses no job.
    inspect: async () => ({ nextAddedAt: queue.waiting[0]?.addedAt, stalled: 0 }),
    workers: async () => queue.workers.size,
    close: async () => {},
  };
}

function startWorker(
  queue: MemoryQueue,
  concurrency: number,
  { backoffMs, givenUp, ending }: JobRunner,
  run: (job: MemoryJob) => Promise<NextStep>,
): JobWorker {
  const running = new Set<Promise<void>>();
  let most = concurrency;
  const work = async (job: MemoryJob): Promise<void> => {
    try {
      const next = await run(job);
      if (next === 'left' || next === 'untried') job.starts -= 1;
      if (next === 'done') queue.remove(job);
      else if (next === 'left') queue.delay(job, LEFT_JOB_WAIT_MS);
      else queue.putBack(job);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      job.attemptsMade += 1;
      if (job.attemptsMade < job.attempts) return queue.delay(job, backoffMs(job, job.attemptsMade, error));
      queue.remove(job);
      givenUp(job, error);
    }
  };
  const worker = {
    hasRoom: () => running.size < most,
    start: (job: MemoryJob) => {
      const begun = work(job).finally(() => {
        running.delete(begun);
        queue.stir();
      });
      running.add(begun);
    },
  };
  queue.workers.add(worker);
  queue.stir();
  return {
    setConcurrency: (changed) => {
      most = changed;
      queue.stir();
    },
    ...ending(async () => {
      queue.workers.delete(worker);
      queue.stir();
      await Promise.all(running);
    }),
  };
}

/** Runs `work` in a span, like BullMQ. @param trace that of who added the job @param work gets that of the new span */
async function traced<Result>(
  telemetry: QueueTelemetry | undefined,
  operation: 'add' | 'process',
  queue: string,
  trace: string | undefined,
  work: (trace: string | undefined) => Promise<Result>,
): Promise<Result> {
  if (telemetry === undefined) return work(undefined);
  const { tracer, contextManager } = telemetry;
  const active = contextManager.active();
  const around = trace === undefined ? active : contextManager.fromMetadata(active, trace);
  // OpenTelemetry's kinds: a producer and a consumer.
  const span = tracer.startSpan(`${operation} ${queue}`, { kind: operation === 'add' ? 3 : 4 }, around);
  const context = span.setSpanOnContext(around);
  try {
    return await contextManager.with(context, () => work(contextManager.getMetadata(context)));
  } catch (error) {
    span.recordException(error as Error);
    throw error;
  } finally {
    span.end();
  }
}

/** A job in the memory of this process. Its payload is not copied: nobody changes a payload, `update` replaces it. */
interface MemoryJob {
  readonly id: string;
  readonly name: string;
  data: unknown;
  /** 0 comes before 1. */
  readonly priority: number;
  readonly attempts: number;
  /** In ms since 1970. */
  readonly addedAt: number;
  /** The context of its trace. */
  readonly trace: string | undefined;
  attemptsMade: number;
  starts: number;
  /** Its place: by rank, which is its priority or the time when it is due, then by order. */
  rank: number;
  order: number;
}

/** A worker of this queue. */
interface Taker {
  hasRoom(): boolean;
  start(job: MemoryJob): void;
}

const newSharedFlow = () => ({
  text: '',
  sums: NO_SUMS,
  reports: new Map<string, { readonly most: number; readonly at: number }>(),
});

/** Longest time that a timer of Node takes, in ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The jobs of one embedded queue. A region has some thousand at most, so that sorted arrays are enough. Times are those of
 * `performance.now`, which nobody sets back.
 */
class MemoryQueue {
  readonly workers = new Set<Taker>();
  readonly limit = new RateLimit();
  readonly active = new Set<MemoryJob>();
  waiting: MemoryJob[] = [];
  delayed: MemoryJob[] = [];
  isPaused = false;
  window: LimitWindow | undefined;
  circuit = '';
  flow = newSharedFlow();
  readonly #ids = new Set<string>();
  #order = 0;
  #isStirred = false;
  #alarm: NodeJS.Timeout | undefined;
  #alarmAt = Number.POSITIVE_INFINITY;

  /** Ignored while a job with this id is in the queue. */
  add(job: Omit<MemoryJob, 'addedAt' | 'attemptsMade' | 'starts' | 'rank' | 'order'>): void {
    if (this.#ids.has(job.id)) return;
    this.#ids.add(job.id);
    this.#enqueue({ ...job, addedAt: Date.now(), attemptsMade: 0, starts: 0, rank: 0, order: 0 });
    this.stir();
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Ms until the rate limit lets the next job start; 0 when it does now. */
  limitedForMs(now: number): number {
    return Math.max(0, this.limit.opensAt(this.window?.max ?? Number.POSITIVE_INFINITY) - now);
  }

  /** Takes out those that do not run. */
  withdraw(chosen: (id: string) => boolean): MemoryJob[] {
    const withdrawn = new Set([...this.waiting, ...this.delayed].filter(({ id }) => chosen(id)));
    for (const { id } of withdrawn) this.#ids.delete(id);
    this.waiting = this.waiting.filter((job) => !withdrawn.has(job));
    this.delayed = this.delayed.filter((job) => !withdrawn.has(job));
    this.stir();
    return [...withdrawn];
  }

  clear(): void {
    for (const jobs of [this.#ids, this.active]) jobs.clear();
    this.waiting = [];
    this.delayed = [];
    this.isPaused = false;
    this.window = undefined;
    this.circuit = '';
    this.flow = newSharedFlow();
    this.limit.lift();
    this.stir();
  }

  /**
   * Removes a job that ran. If the queue was cleared meanwhile, the job is gone already, here and in the methods below.
   */
  remove(job: MemoryJob): void {
    if (this.active.delete(job)) this.#ids.delete(job.id);
  }

  /** Puts a job that ran back into its old place. */
  putBack(job: MemoryJob): void {
    if (this.active.delete(job)) insert(this.waiting, job);
  }

  /** Puts a job that ran behind the others of its priority, after `waitMs`. */
  delay(job: MemoryJob, waitMs: number): void {
    if (!this.active.delete(job)) return;
    job.rank = performance.now() + waitMs;
    job.order = ++this.#order;
    insert(this.delayed, job);
  }

  /** To be called after everything that may let a job start. */
  stir(): void {
    if (this.#isStirred) return;
    this.#isStirred = true;
    queueMicrotask(() => {
      this.#isStirred = false;
      this.#start();
    });
  }

  #start(): void {
    const now = performance.now();
    for (let [due] = this.delayed; due !== undefined && due.rank <= now; [due] = this.delayed) {
      this.delayed.shift();
      this.#enqueue(due);
    }
    let next = this.delayed[0]?.rank ?? Number.POSITIVE_INFINITY;
    for (const worker of this.workers) {
      while (!this.isPaused && this.waiting.length > 0 && worker.hasRoom()) {
        const limitedMs = this.limitedForMs(now);
        if (limitedMs > 0) {
          next = Math.min(next, now + limitedMs);
          break;
        }
        const job = this.waiting.shift() as MemoryJob;
        this.active.add(job);
        if (this.window !== undefined) this.limit.count(now, this.window.duration, this.window.max);
        job.starts += 1;
        worker.start(job);
      }
    }
    this.#setAlarm(this.workers.size === 0 ? Number.POSITIVE_INFINITY : next);
  }

  #enqueue(job: MemoryJob): void {
    job.rank = job.priority;
    job.order = ++this.#order;
    insert(this.waiting, job);
  }

  /** An alarm that rings too early does no harm. It keeps the process alive: a job waits for it. */
  #setAlarm(at: number): void {
    if (this.#alarmAt <= at && at < Number.POSITIVE_INFINITY) return;
    clearTimeout(this.#alarm);
    this.#alarmAt = at;
    if (at === Number.POSITIVE_INFINITY) return;
    const ring = () => {
      this.#alarmAt = Number.POSITIVE_INFINITY;
      this.#start();
    };
    const leftMs = Math.max(Math.ceil(at - performance.now()), 0);
    this.#alarm = setTimeout(ring, Math.min(leftMs, MAX_TIMER_MS));
  }
}

/** From the end, where most of them belong. */
function insert(jobs: MemoryJob[], job: MemoryJob): void {
  const before = jobs.findLastIndex(({ rank, order }) => rank < job.rank || (rank === job.rank && order < job.order));
  jobs.splice(before + 1, 0, job);
}

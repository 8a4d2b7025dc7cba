import { asError } from '../errors/rollcall-error.ts';
import { sumOf } from '../text/wording.ts';
import type { Backend, QueueTelemetry } from './backend.ts';
import { NO_SUMS, sumsOf } from './flow.ts';
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
    openQueue: (name, { name: usual, attempts }) => {
      const queue = queueOf(name);
      const add: JobQueue<unknown>['add'] = (jobs) =>
        traced(telemetry, 'add', name, undefined, async (trace) => {
          for (const { id, payload: data, name: kind = usual, priority = 0 } of jobs)
            queue.add({ id, data, name: kind, priority, attempts, trace });
        });
      return { name, add, again: add, ...queue.operations };
    },
    startWorker: (options) => {
      const { name } = options.queue;
      const runner = jobRunner(options);
      return queueOf(name).work(options.concurrency, runner, (job) =>
        traced(telemetry, 'process', name, job.trace, () =>
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
      for (const queue of queues.values()) queue.end();
      queues.clear();
    },
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
  readonly trace: string | undefined;
  attemptsMade: number;
  starts: number;
  /** Its place: by rank, which is its priority or the time when it is due, then by order. */
  rank: number;
  order: number;
}

interface Taker {
  hasRoom(): boolean;
  start(job: MemoryJob): void;
}

/** Longest time that a timer of Node takes, in ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The jobs of one embedded queue. A region has some thousand at most, so that sorted arrays are enough. Times are those of
 * `performance.now`, which nobody sets back.
 */
class MemoryQueue {
  readonly #limit = new RateLimit();
  readonly #workers = new Set<Taker>();
  readonly #ids = new Set<string>();
  readonly #active = new Set<MemoryJob>();
  #waiting: MemoryJob[] = [];
  #delayed: MemoryJob[] = [];
  #isPaused = false;
  #window: LimitWindow | undefined;
  readonly #notes = new Map<string, string>();
  #sums = NO_SUMS;
  /** The most jobs at once of each process that shares the flow, and when it said so. */
  readonly #reports = new Map<string, { readonly most: number; readonly at: number }>();
  #order = 0;
  #isStirred = false;
  #alarm: NodeJS.Timeout | undefined;
  #alarmAt = Number.POSITIVE_INFINITY;

  readonly operations: Omit<JobQueue<never>, 'name' | 'add' | 'again'> = {
    withdraw: async (chosen) => {
      const withdrawn = new Set([...this.#waiting, ...this.#delayed].filter(({ id }) => chosen(id)));
      for (const { id } of withdrawn) this.#ids.delete(id);
      this.#waiting = this.#waiting.filter((job) => !withdrawn.has(job));
      this.#delayed = this.#delayed.filter((job) => !withdrawn.has(job));
      this.#stir();
      return Array.from(withdrawn, ({ id, data, starts }) => ({
        id,
        payload: data as never,
        ...(starts > 0 && { starts }),
      }));
    },
    lost: async (wanted) => wanted.filter((id) => !this.#ids.has(id)),
    pause: async () => {
      this.#isPaused = true;
    },
    resume: async () => {
      this.#isPaused = false;
      this.#stir();
    },
    isPaused: async () => this.#isPaused,
    setCallsPerMinute: async (callsPerMinute) => {
      this.#window = limitWindow(callsPerMinute);
      this.#stir();
    },
    callsPerMinute: async () => this.#window && Math.round((this.#window.max / this.#window.duration) * 60_000),
    slowDown: async (waitMs) => this.#limit.hold(performance.now() + Math.max(1, Math.ceil(waitMs))),
    endWait: async () => {
      this.#limit.lift();
      this.#stir();
    },
    readNote: async (name) => this.#note(name),
    swapNote: async (name, before, after) => {
      if (this.#note(name) === before) this.#notes.set(name, after);
      return this.#note(name);
    },
    shareFlow: async (by, most, more) => {
      const before = this.#sums;
      this.#sums = sumsOf((name) => before[name] + more[name]);
      const now = performance.now();
      this.#reports.set(by, { most, at: now });
      for (const [one, { at }] of this.#reports) if (now - at > FLOW_SILENCE_MS) this.#reports.delete(one);
      return {
        text: this.#note('flow'),
        sums: this.#sums,
        most: sumOf(this.#reports.values().map(({ most }) => most)),
        now,
      };
    },
    limitedForMs: async () => Math.ceil(this.#limitedForMs(performance.now())),
    firstPriority: async () => {
      const [running] = this.#active;
      return (this.#waiting.find(({ priority }) => priority > 0) ?? running)?.priority ?? 0;
    },
    depth: async () => ({
      waiting: this.#waiting.length,
      delayed: this.#delayed.length,
      active: this.#active.size,
      setAside: 0,
    }),
    // A worker in this process loses no job.
    inspect: async () => ({ nextAddedAt: this.#waiting[0]?.addedAt, stalled: 0 }),
    workers: async () => this.#workers.size,
    close: async () => {},
  };

  /** Ignored while a job with this id is in the queue. */
  add(job: Omit<MemoryJob, 'addedAt' | 'attemptsMade' | 'starts' | 'rank' | 'order'>): void {
    if (this.#ids.has(job.id)) return;
    this.#ids.add(job.id);
    this.#place(
      this.#waiting,
      { ...job, addedAt: Date.now(), attemptsMade: 0, starts: 0, rank: 0, order: 0 },
      job.priority,
    );
    this.#stir();
  }

  work(
    concurrency: number,
    { backoffMs, givenUp, ending }: JobRunner,
    run: (job: MemoryJob) => Promise<NextStep>,
  ): JobWorker {
    const running = new Set<Promise<void>>();
    let most = concurrency;
    const later = (job: MemoryJob, waitMs: number) => this.#place(this.#delayed, job, performance.now() + waitMs);
    const work = async (job: MemoryJob): Promise<void> => {
      try {
        const next = await run(job);
        this.#active.delete(job);
        if (next === 'left' || next === 'untried') job.starts -= 1;
        if (next === 'done') this.#ids.delete(job.id);
        else if (next === 'left') later(job, LEFT_JOB_WAIT_MS);
        // Into its old place.
        else insert(this.#waiting, job);
      } catch (thrown) {
        const error = asError(thrown);
        this.#active.delete(job);
        job.attemptsMade += 1;
        if (job.attemptsMade < job.attempts) return later(job, backoffMs(job, job.attemptsMade, error));
        this.#ids.delete(job.id);
        givenUp(job, error);
      }
    };
    const worker = {
      hasRoom: () => running.size < most,
      start: (job: MemoryJob) => {
        const begun = work(job).finally(() => {
          running.delete(begun);
          this.#stir();
        });
        running.add(begun);
      },
    };
    this.#workers.add(worker);
    this.#stir();
    return {
      setConcurrency: (changed) => {
        most = changed;
        this.#stir();
      },
      ...ending(async () => {
        this.#workers.delete(worker);
        this.#stir();
        await Promise.all(running);
      }),
    };
  }

  end(): void {
    this.#workers.clear();
    this.#stir();
  }

  #note(name: string): string {
    return this.#notes.get(name) ?? '';
  }

  #limitedForMs(now: number): number {
    return Math.max(0, this.#limit.opensAt(this.#window?.max ?? Number.POSITIVE_INFINITY) - now);
  }

  /** Puts a job behind the others of this rank. */
  #place(jobs: MemoryJob[], job: MemoryJob, rank: number): void {
    job.rank = rank;
    job.order = ++this.#order;
    insert(jobs, job);
  }

  /** To be called after everything that may let a job start. */
  #stir(): void {
    if (this.#isStirred) return;
    this.#isStirred = true;
    queueMicrotask(() => {
      this.#isStirred = false;
      this.#start();
    });
  }

  #start(): void {
    const now = performance.now();
    for (let [due] = this.#delayed; due !== undefined && due.rank <= now; [due] = this.#delayed) {
      this.#delayed.shift();
      this.#place(this.#waiting, due, due.priority);
    }
    let next = this.#delayed[0]?.rank ?? Number.POSITIVE_INFINITY;
    for (const worker of this.#workers) {
      while (!this.#isPaused && this.#waiting.length > 0 && worker.hasRoom()) {
        const limitedMs = this.#limitedForMs(now);
        if (limitedMs > 0) {
          next = Math.min(next, now + limitedMs);
          break;
        }
        const job = this.#waiting.shift() as MemoryJob;
        this.#active.add(job);
        if (this.#window !== undefined) this.#limit.count(now, this.#window.duration, this.#window.max);
        job.starts += 1;
        worker.start(job);
      }
    }
    this.#setAlarm(this.#workers.size === 0 ? Number.POSITIVE_INFINITY : next);
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

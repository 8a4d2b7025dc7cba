import type { LimitWindow } from './limits.ts';
import { RateLimit } from './rate-limit.ts';

/** A job in the memory of this process. Its payload is not copied: nobody changes a payload, `update` replaces it. */
export interface MemoryJob {
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

/** Longest time that a timer of Node takes, in ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The jobs of one embedded queue. A region has some thousand at most, so that sorted arrays are enough. Times are those of
 * `performance.now`, which nobody sets back.
 */
export class MemoryQueue {
  readonly workers = new Set<Taker>();
  readonly limit = new RateLimit();
  readonly active = new Set<MemoryJob>();
  waiting: MemoryJob[] = [];
  delayed: MemoryJob[] = [];
  isPaused = false;
  window: LimitWindow | undefined;
  circuit = '';
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

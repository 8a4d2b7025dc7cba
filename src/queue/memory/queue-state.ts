import type { KeepJobs } from 'bullmq';
import { missingJob, missingLock, notInState, otherLock } from './errors.ts';
import { JobPlaces } from './job-places.ts';
import { RateLimit } from './rate-limit.ts';
import { type LockHolder, type NewJob, StoredJob } from './stored-job.ts';
import { Waiters } from './waiters.ts';

/** Finished jobs that one look removes for their age, as in BullMQ. */
const AGED_AT_ONCE = 1_000;

/** A worker that takes or leaves jobs, as its options say. */
export interface Taker extends LockHolder {
  readonly lockMs: number;
  readonly name: string | undefined;
  readonly limiter: { readonly max: number; readonly duration: number } | undefined;
}

/** What a worker gets: a job; or ms until the rate limit ends; or when the next delayed job is due, in ms since 1970. */
export interface Taken {
  readonly job?: StoredJob;
  readonly limitedMs?: number;
  readonly dueAt?: number;
}

/** What a failed attempt leaves in its job. */
export interface FailureNote {
  readonly failedReason?: string | undefined;
  /** JSON. */
  readonly stacktrace?: string | undefined;
}

/**
 * The jobs of one queue, with the semantics of BullMQ's scripts for Redis: what moves where, in which order, and what
 * is refused. Every operation is one step, nothing comes between.
 */
export class QueueState extends JobPlaces {
  /** Fields of the queue itself: its pause, its limits, its version. */
  readonly meta = new Map<string, string>();
  readonly limit = new RateLimit();
  readonly waiters: Waiters;
  /** Open workers, by the name that BullMQ looks for. */
  readonly workers = new Map<LockHolder, string>();
  #added = 0;
  #stalling = new Set<string>();
  #nextStalledCheck = 0;

  constructor() {
    super();
    this.waiters = new Waiters({
      ready: () => !this.isHeld && this.wait.size + this.prioritized.size > 0,
      nextDue: () => this.delayed.first?.rank,
      becomeDue: () => this.promoteDue(Date.now()),
    });
  }

  get isPaused(): boolean {
    return this.meta.has('paused');
  }

  /** Whether as many jobs run as may run at once in the whole queue. */
  get isMaxed(): boolean {
    const most = this.meta.get('concurrency');
    return most !== undefined && this.active.size >= Number(most);
  }

  get isHeld(): boolean {
    return this.isPaused || this.isMaxed;
  }

  /** @returns the id of the job, or of the one that was there first */
  add(newJob: Omit<NewJob, 'id'> & { readonly id: string | undefined }): string {
    // Counted also where the job brings its id, as in Redis.
    this.#added += 1;
    const id = newJob.id || String(this.#added);
    if (this.jobs.has(id)) return id;
    const job = new StoredJob({ ...newJob, id });
    this.jobs.set(id, job);
    if (job.delay > 0) this.delayUntil(job, job.timestamp + job.delay);
    else this.enqueue(job, newJob.opts.lifo ?? false);
    this.waiters.stir();
    return id;
  }

  take(token: string, taker: Taker): Taken {
    const now = Date.now();
    this.promoteDue(now);
    const { limiter } = taker;
    const max = this.meta.get('max') ?? limiter?.max;
    const limitedMs = max === undefined ? 0 : this.limit.reached(Number(max), now);
    if (limitedMs > 0) return { limitedMs };
    if (this.isHeld) return {};
    const job = this.wait.first ?? this.prioritized.first;
    if (job === undefined) return this.delayed.first === undefined ? {} : { dueAt: this.delayed.first.rank };
    if (max !== undefined && job.deferredFailure === undefined) {
      this.limit.count(now, limiter?.duration ?? Number(this.meta.get('duration')), Number(max));
    }
    if (token !== '0') job.lock = { token, until: now + taker.lockMs, holder: taker };
    if (taker.name !== undefined) job.processedBy = taker.name;
    job.processedOn = now;
    job.attemptsStarted += 1;
    this.activate(job);
    this.waiters.stir();
    return { job };
  }

  /** @param value what it returned, as JSON, or why it failed */
  finish(
    id: string,
    token: string,
    to: 'completed' | 'failed',
    value: string,
    keep: KeepJobs,
    note?: FailureNote,
  ): number {
    const now = Date.now();
    const job = this.#unlock(id, token, 'moveToFinished', note);
    job.attemptsMade += 1;
    const { count, age, limit = AGED_AT_ONCE } = { age: undefined, limit: undefined, ...keep };
    if (count === 0) {
      this.forget(job);
    } else {
      job.finishedOn = now;
      if (to === 'completed') job.returnValue = value;
      else {
        job.failedReason = value;
        job.deferredFailure = undefined;
      }
      this.archive(job, to, now);
      const finished = this[to];
      for (let left = limit; age !== undefined && left > 0; left--) {
        const { first } = finished;
        if (first === undefined || first.rank > now - age * 1_000) break;
        this.forget(first);
      }
      while (count !== undefined && count > 0 && finished.size > count && finished.first) this.forget(finished.first);
    }
    this.waiters.stir();
    return now;
  }

  /** Of a job that runs. */
  delay(
    id: string,
    token: string,
    from: number,
    delayMs: number,
    options: { readonly countAttempt: boolean; readonly note?: FailureNote },
  ): void {
    const job = this.#unlock(id, token, 'moveToDelayed', options.note);
    if (options.countAttempt) job.attemptsMade += 1;
    job.delay = delayMs;
    this.delayUntil(job, from + Math.max(0, delayMs));
    this.waiters.stir();
  }

  /** Of a job that runs: to the end of the line, for another attempt. */
  retry(id: string, token: string, lifo: boolean, note?: FailureNote): void {
    this.promoteDue(Date.now());
    const job = this.#unlock(id, token, 'retryJob', note);
    job.attemptsMade += 1;
    this.enqueue(job, lifo);
    this.waiters.stir();
  }

  /** Of a job that runs: to the front of the line; no attempt is counted. */
  giveBack(id: string, token: string): void {
    const job = this.#unlock(id, token, 'moveJobFromActiveToWait');
    this.putBack(job);
    this.waiters.stir();
  }

  /** A finished job runs again. */
  reprocess(id: string, from: 'completed' | 'failed', reset: { lifo: boolean; made: boolean; started: boolean }): void {
    const job = this.find(id, 'reprocessJob');
    if (job.place !== from) throw notInState(id, from, 'reprocessJob');
    unfinish(job, from);
    if (reset.made) job.attemptsMade = 0;
    if (reset.started) job.attemptsStarted = 0;
    this.enqueue(job, reset.lifo);
    this.waiters.stir();
  }

  /** Jobs of this place, up to `count` of a time up to `until`, wait for a worker. @returns how many */
  moveToWait(from: 'completed' | 'failed' | 'delayed', count: number, until: number): number {
    let moved = 0;
    for (; moved < count; moved++) {
      const { first } = this[from];
      if (first === undefined || first.rank > until) break;
      if (from !== 'delayed') unfinish(first, from);
      this.enqueueLast(first);
    }
    this.waiters.stir();
    return moved;
  }

  promoteJob(id: string): void {
    const job = this.jobs.get(id);
    if (job?.place !== 'delayed') throw notInState(id, 'delayed', 'promote');
    this.promote(job);
    this.waiters.stir();
  }

  changeDelay(id: string, delayMs: number): void {
    const job = this.find(id, 'changeDelay');
    if (job.place !== 'delayed') throw notInState(id, 'delayed', 'changeDelay');
    job.delay = delayMs;
    this.delayUntil(job, Date.now() + Math.max(0, delayMs));
    this.waiters.stir();
  }

  changePriority(id: string, priority: number, lifo: boolean): void {
    const job = this.find(id, 'changePriority');
    job.priority = priority;
    if (job.place !== 'wait' && job.place !== 'prioritized') return;
    if (lifo) this.putBack(job);
    else this.enqueue(job, false);
    this.waiters.stir();
  }

  /** Jobs whose worker let its lock run out go back to the front. Two looks see to it: the first one notes who is active. */
  returnStalled(mostOften: number, everyMs: number): string[] {
    const now = Date.now();
    if (now < this.#nextStalledCheck) return [];
    this.#nextStalledCheck = now + everyMs;
    const stalled: string[] = [];
    for (const id of this.#stalling) {
      const job = this.active.get(id);
      if (job === undefined || job.isLocked(now)) continue;
      job.stalledCounter += 1;
      if (job.stalledCounter > mostOften) job.deferredFailure = 'job stalled more than allowable limit';
      this.enqueueFirst(job);
      stalled.push(id);
    }
    this.#stalling = new Set(this.active.keys());
    if (stalled.length > 0) this.waiters.stir();
    return stalled;
  }

  /** @returns whether the lock was this token's, and holds for `ms` from now */
  extendLock(id: string, token: string, ms: number, holder: LockHolder): boolean {
    const job = this.jobs.get(id);
    const now = Date.now();
    if (job?.lock?.token !== token || !job.isLocked(now)) return false;
    job.lock = { token, until: now + ms, holder };
    this.#stalling.delete(id);
    return true;
  }

  /** @returns false when a worker has it */
  remove(id: string): boolean {
    const job = this.jobs.get(id);
    if (job === undefined) return true;
    if (job.isLocked(Date.now())) return false;
    this.forget(job);
    this.waiters.stir();
    return true;
  }

  find(id: string, operation: string): StoredJob {
    const job = this.jobs.get(id);
    if (job === undefined) throw missingJob(id, operation);
    return job;
  }

  /** Deletes everything but the rate limit's window, which Redis keeps separately. */
  obliterate(): void {
    this.clear();
    this.meta.clear();
    this.#stalling.clear();
    this.#nextStalledCheck = 0;
    this.#added = 0;
    this.waiters.stir();
  }

  /** Gives the lock of a job that runs back. */
  #unlock(id: string, token: string, operation: string, note?: FailureNote): StoredJob {
    const job = this.find(id, operation);
    if (token !== '0') {
      if (!job.isLocked(Date.now())) throw missingLock(id, operation);
      if (job.lock?.token !== token) throw otherLock(id, operation);
      job.lock = undefined;
      this.#stalling.delete(id);
    }
    if (note?.failedReason !== undefined) job.failedReason = note.failedReason;
    if (note?.stacktrace !== undefined) job.stacktrace = note.stacktrace;
    if (job.place !== 'active') throw notInState(id, 'active', operation);
    return job;
  }
}

function unfinish(job: StoredJob, from: 'completed' | 'failed'): void {
  job.finishedOn = undefined;
  job.processedOn = undefined;
  if (from === 'completed') job.returnValue = undefined;
  else job.failedReason = undefined;
}

import { JobHeap } from './job-heap.ts';
import type { Place, StoredJob } from './stored-job.ts';

/** Delayed jobs that one check moves to the waiting ones, as in BullMQ. */
const DUE_AT_ONCE = 1_000;

/** Where the jobs of one queue are. Each is in one place; moving one costs O(log n). */
export class JobPlaces {
  readonly jobs = new Map<string, StoredJob>();
  /** Without a priority: in order of arrival. */
  readonly wait = new JobHeap();
  readonly prioritized = new JobHeap();
  /** By due time. */
  readonly delayed = new JobHeap();
  /** In order of start. */
  readonly active = new Map<string, StoredJob>();
  /** By end time. */
  readonly completed = new JobHeap();
  readonly failed = new JobHeap();
  #order = 0;
  #seen = 0;

  /** To where it waits for a worker: after those that wait, or with `lifo` before them. */
  enqueue(job: StoredJob, lifo = false): void {
    if (job.priority > 0) this.#put(job, 'prioritized', job.priority, ++this.#order);
    else if (lifo) this.enqueueFirst(job);
    else this.enqueueLast(job);
  }

  /** Whatever its priority. */
  enqueueLast(job: StoredJob): void {
    this.#put(job, 'wait', 0, ++this.#order);
  }

  /** Whatever its priority. */
  enqueueFirst(job: StoredJob): void {
    this.#put(job, 'wait', 0, -++this.#order);
  }

  /** Before all others, or before those of its priority. */
  putBack(job: StoredJob): void {
    if (job.priority > 0) this.#put(job, 'prioritized', job.priority, 0);
    else this.enqueueFirst(job);
  }

  /** @param due in ms since 1970 */
  delayUntil(job: StoredJob, due: number): void {
    this.#put(job, 'delayed', due, ++this.#order);
  }

  activate(job: StoredJob): void {
    this.#leave(job);
    job.place = 'active';
    this.active.set(job.id, job);
  }

  /** @param at in ms since 1970 */
  archive(job: StoredJob, to: 'completed' | 'failed', at: number): void {
    this.#put(job, to, at, 0);
  }

  forget(job: StoredJob): void {
    this.#leave(job);
    this.jobs.delete(job.id);
  }

  /** Moves jobs that are due to the waiting ones. */
  promoteDue(now: number): void {
    // Where the clock of the machine was set back, they are due that much earlier: nothing waits until it has caught up.
    const back = this.#seen - now;
    if (back > 0) for (const job of this.delayed.sorted()) this.delayUntil(job, job.rank - back);
    this.#seen = now;
    for (let left = DUE_AT_ONCE; left > 0; left--) {
      const { first } = this.delayed;
      if (first === undefined || first.rank >= now + 1) return;
      this.promote(first);
    }
  }

  promote(job: StoredJob): void {
    job.delay = 0;
    this.enqueue(job);
  }

  clear(): void {
    for (const job of this.jobs.values()) job.place = 'removed';
    for (const heap of [this.wait, this.prioritized, this.delayed, this.completed, this.failed]) heap.clear();
    this.active.clear();
    this.jobs.clear();
  }

  #put(job: StoredJob, place: Exclude<Place, 'active' | 'removed'>, rank: number, order: number): void {
    this.#leave(job);
    job.place = place;
    job.rank = rank;
    job.order = order;
    this[place].add(job);
  }

  #leave(job: StoredJob): void {
    const { place } = job;
    job.place = 'removed';
    if (place === 'active') this.active.delete(job.id);
    else if (place !== 'removed') this[place].remove(job);
  }
}

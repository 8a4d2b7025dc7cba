import type { StoredJob } from './stored-job.ts';

/** Whether `a` comes before `b`: by rank, then by order, then by id as Redis has it. */
export function comesBefore(a: StoredJob, b: StoredJob): boolean {
  if (a.rank !== b.rank) return a.rank < b.rank;
  if (a.order !== b.order) return a.order < b.order;
  return a.id < b.id;
}

/** Jobs in order: a binary heap in which each job knows its slot. Adding, taking and removing cost O(log n). */
export class JobHeap {
  readonly #jobs: StoredJob[] = [];
  readonly #before: (a: StoredJob, b: StoredJob) => boolean;

  constructor(before = comesBefore) {
    this.#before = before;
  }

  get size(): number {
    return this.#jobs.length;
  }

  get first(): StoredJob | undefined {
    return this.#jobs[0];
  }

  /** A job is in one heap at most. */
  add(job: StoredJob): void {
    this.#jobs.push(job);
    this.#rise(job, this.#jobs.length - 1);
  }

  shift(): StoredJob | undefined {
    const first = this.#jobs[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** @param job one that is in this heap */
  remove(job: StoredJob): void {
    const last = this.#jobs.pop();
    if (last === undefined || last === job) return;
    // The last one fills the hole, from where it may belong further up or down.
    this.#rise(last, job.slot);
    this.#sink(last, last.slot);
  }

  clear(): void {
    this.#jobs.length = 0;
  }

  /** All jobs, first to last; for listings, not for the way of a job. */
  sorted(): StoredJob[] {
    return this.#jobs.toSorted((a, b) => (this.#before(a, b) ? -1 : 1));
  }

  #rise(job: StoredJob, from: number): void {
    let slot = from;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      const parent = this.#jobs[above];
      if (parent === undefined || !this.#before(job, parent)) break;
      this.#put(parent, slot);
      slot = above;
    }
    this.#put(job, slot);
  }

  #sink(job: StoredJob, from: number): void {
    let slot = from;
    for (;;) {
      const left = 2 * slot + 1;
      const leftChild = this.#jobs[left];
      if (leftChild === undefined) break;
      const rightChild = this.#jobs[left + 1];
      const isRight = rightChild !== undefined && this.#before(rightChild, leftChild);
      const child = isRight ? rightChild : leftChild;
      if (!this.#before(child, job)) break;
      this.#put(child, slot);
      slot = isRight ? left + 1 : left;
    }
    this.#put(job, slot);
  }

  #put(job: StoredJob, slot: number): void {
    this.#jobs[slot] = job;
    job.slot = slot;
  }
}

import type { JobState } from 'bullmq';
import type { QueueState } from './queue-state.ts';
import type { Place, StoredJob } from './stored-job.ts';

/** What BullMQ's getters ask about the jobs of a queue. Listing sorts; no job's way passes here. */

/** States as BullMQ names them; jobs of a paused queue wait like others, and none has children. */
const PLACES: Readonly<Record<string, Place>> = {
  wait: 'wait',
  waiting: 'wait',
  prioritized: 'prioritized',
  delayed: 'delayed',
  active: 'active',
  completed: 'completed',
  failed: 'failed',
};

/** Places that are lists in Redis: BullMQ turns round what it is given of them in ascending order. */
const LISTS: ReadonlySet<string> = new Set<Place>(['wait', 'active']);

export function stateOf(job: StoredJob | undefined): JobState | 'unknown' {
  if (job === undefined || job.place === 'removed') return 'unknown';
  return job.place === 'wait' ? 'waiting' : job.place;
}

export function isIn(queue: QueueState, state: string, id: string): boolean {
  return PLACES[state] !== undefined && queue.jobs.get(id)?.place === PLACES[state];
}

export function count(queue: QueueState, state: string, dueBefore?: number): number {
  const place = PLACES[state];
  if (place === undefined || place === 'removed') return 0;
  if (place !== 'delayed' || dueBefore === undefined) return queue[place].size;
  return queue.delayed.sorted().filter(({ rank }) => rank < dueBefore).length;
}

export function countWithPriority(queue: QueueState, priority: number): number {
  if (priority === 0) return queue.wait.size;
  return queue.prioritized.sorted().filter(({ rank }) => rank === priority).length;
}

/** Ids of the jobs at `start` to `end`, both included, negative ones counted from the end; as Redis' ranges. */
export function range(queue: QueueState, state: string, start: number, end: number, ascending: boolean): string[] {
  const place = PLACES[state];
  if (place === undefined || place === 'removed') return [];
  const jobs = ascending && start === 0 && end === 0 ? firstOf(queue, place) : allOf(queue, place);
  if (!ascending) jobs.reverse();
  const slice = sliceOf(jobs, start, end).map(({ id }) => id);
  return ascending && LISTS.has(place) ? slice.reverse() : slice;
}

/** The part of a list from `start` to `end`, both included, negative ones counted from the end. */
export function sliceOf<Item>(items: readonly Item[], start: number, end: number): Item[] {
  const from = start < 0 ? Math.max(0, items.length + start) : start;
  const to = end < 0 ? items.length + end : end;
  return items.slice(from, Math.max(from, to + 1));
}

function firstOf(queue: QueueState, place: Exclude<Place, 'removed'>): StoredJob[] {
  const first = place === 'active' ? queue.active.values().next().value : queue[place].first;
  return first === undefined ? [] : [first];
}

function allOf(queue: QueueState, place: Exclude<Place, 'removed'>): StoredJob[] {
  return place === 'active' ? [...queue.active.values()] : queue[place].sorted();
}

/** Removes the jobs that wait, and those that are delayed where asked. */
export function drain(queue: QueueState, delayed: boolean): void {
  for (const place of ['wait', 'prioritized', ...(delayed ? (['delayed'] as const) : [])] as const) {
    for (const job of allOf(queue, place)) queue.forget(job);
  }
}

/**
 * Removes those of the first `limit` jobs of a state (0: of all) that are not newer than `until`, but none that a worker
 * has. @returns their ids
 */
export function clean(queue: QueueState, state: string, until: number, limit: number): string[] {
  const place = PLACES[state];
  if (place === undefined || place === 'removed') return [];
  const now = Date.now();
  const looked = limit > 0 ? allOf(queue, place).slice(0, limit) : allOf(queue, place);
  const cleaned = looked.filter((job) => timeOf(job, place) <= until && !(place === 'active' && job.isLocked(now)));
  for (const job of cleaned) queue.forget(job);
  queue.waiters.stir();
  const ids = cleaned.map(({ id }) => id);
  return LISTS.has(place) ? ids.reverse() : ids;
}

function timeOf(job: StoredJob, place: Place): number {
  const added = job.timestamp;
  if (place === 'prioritized') return added;
  if (place === 'delayed') return job.processedOn ?? added;
  return job.finishedOn ?? job.processedOn ?? added;
}

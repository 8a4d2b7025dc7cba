import { ErrorCode, type JobsOptions, type RepeatableOptions } from 'bullmq';
import { JobStateError } from './errors.ts';
import type { NewJob, StoredJob } from './stored-job.ts';

/** Times after the next one that are tried when jobs of an earlier scheduler have them, as in BullMQ. */
const SLOTS = 32;

/** As BullMQ reads it: its fields as text, in the form of a Redis hash. */
interface Scheduler {
  /** When its next job is due, in ms since 1970. */
  next: number;
  fields: Record<string, string>;
}

/** The jobs of the queue that schedulers add to. */
interface QueueOfSchedulers {
  readonly jobs: ReadonlyMap<string, StoredJob>;
  /** Counts a job that is added. */
  nextId(): number;
  insert(job: NewJob): void;
  forget(job: StoredJob): void;
}

/** What a job scheduler adds next. */
interface Iteration {
  readonly nextMillis: number;
  readonly opts: JobsOptions & { readonly repeat?: { readonly every?: number; readonly offset?: number } };
}

/** The job schedulers of one queue, with the semantics of BullMQ's scripts. */
export class Schedulers {
  readonly #queue: QueueOfSchedulers;
  readonly #schedulers = new Map<string, Scheduler>();

  constructor(queue: QueueOfSchedulers) {
    this.#queue = queue;
  }

  get size(): number {
    return this.#schedulers.size;
  }

  has(id: string): boolean {
    return this.#schedulers.has(id);
  }

  get(id: string): Readonly<Scheduler> | undefined {
    return this.#schedulers.get(id);
  }

  clear(): void {
    this.#schedulers.clear();
  }

  /** Ids with their times, the soonest first. */
  byTime(): [id: string, next: number][] {
    return [...this.#schedulers]
      .map(([id, { next }]): [string, number] => [id, next])
      .sort(([idA, a], [idB, b]) => a - b || (idA < idB ? -1 : 1));
  }

  /** Whether this is the job that a scheduler has added for its next time. */
  awaits({ id, schedulerId }: StoredJob): boolean {
    const scheduler = schedulerId === undefined ? undefined : this.#schedulers.get(schedulerId);
    return scheduler !== undefined && id === iterationId(schedulerId ?? '', scheduler.next);
  }

  /** Puts a scheduler there, or in place of the one of this id, with its next job. */
  put(id: string, when: RepeatableOptions, template: { data: string; opts: JobsOptions }, iteration: Iteration) {
    const now = Date.now();
    const queue = this.#queue;
    const existing = this.#schedulers.get(id);
    const { every } = when;
    let offset = when.offset ?? iteration.opts.repeat?.offset ?? 0;
    let { nextMillis } = iteration;
    let sameInterval = true;
    if (every !== undefined) {
      sameInterval = existing === undefined || Number(existing.fields['every']) === every;
      const before = sameInterval ? existing?.next : undefined;
      ({ nextMillis, offset } = nextOfInterval(before, every, now, offset, when.startDate));
    }
    const replaced = existing !== undefined && this.#removeWaiting(iterationId(id, existing.next));
    if (replaced && every !== undefined && sameInterval) nextMillis = existing.next;
    if (queue.jobs.has(iterationId(id, nextMillis))) {
      if (every === undefined) throw collision(ErrorCode.SchedulerJobIdCollision, 'job ID already exists');
      for (let slots = SLOTS; slots > 0 && queue.jobs.has(iterationId(id, nextMillis)); slots--) nextMillis += every;
      if (queue.jobs.has(iterationId(id, nextMillis))) {
        throw collision(ErrorCode.SchedulerJobSlotsBusy, 'current and next time slots already have jobs');
      }
    }
    this.#schedulers.set(id, {
      next: nextMillis,
      fields: fieldsOf(replaced ? when : { ...when, offset }, template, existing?.fields),
    });
    const delay = Math.max(0, nextMillis - now);
    queue.nextId();
    const jobId = this.#addIteration(id, when.name, template.data, { nextMillis, opts: iteration.opts }, now);
    return { jobId, delay };
  }

  /**
   * A job of a scheduler began: the next one is added.
   * @param producerId the job that began
   * @returns the id of the next one; undefined when there is no such scheduler, or when it has moved on already
   */
  advance(id: string, iteration: Iteration, producerId: string | undefined): string | undefined {
    const now = Date.now();
    const scheduler = this.#schedulers.get(id);
    if (scheduler === undefined) return undefined;
    const { fields, next } = scheduler;
    const every = Number(fields['every'] ?? iteration.opts.repeat?.every ?? 0);
    const offset = Number(fields['offset'] ?? iteration.opts.repeat?.offset ?? 0);
    const nextMillis =
      every > 0
        ? nextOfInterval(next, every, now, offset, Number(fields['startDate'] ?? 0)).nextMillis
        : iteration.nextMillis;
    if (producerId !== iterationId(id, next) || this.#queue.jobs.has(iterationId(id, nextMillis))) return undefined;
    scheduler.next = nextMillis;
    fields['ic'] = String(Number(fields['ic']) + 1);
    this.#queue.nextId();
    return this.#addIteration(id, fields['name'] ?? '', fields['data'] ?? '{}', { ...iteration, nextMillis }, now);
  }

  /** @returns whether there was one */
  remove(id: string): boolean {
    const scheduler = this.#schedulers.get(id);
    if (scheduler === undefined) return false;
    const job = this.#queue.jobs.get(iterationId(id, scheduler.next));
    if (job?.place === 'delayed') this.#queue.forget(job);
    return this.#schedulers.delete(id);
  }

  #addIteration(id: string, name: string, data: string, { nextMillis, opts }: Iteration, now: number): string {
    const jobId = iterationId(id, nextMillis);
    const delay = Math.max(0, nextMillis - now);
    this.#queue.insert({ id: jobId, name, data, opts: { ...opts, delay, jobId }, timestamp: now, schedulerId: id });
    return jobId;
  }

  #removeWaiting(jobId: string): boolean {
    const job = this.#queue.jobs.get(jobId);
    if (job === undefined || !['delayed', 'prioritized', 'wait'].includes(job.place)) return false;
    this.#queue.forget(job);
    return true;
  }
}

function iterationId(id: string, nextMillis: number): string {
  return `repeat:${id}:${nextMillis}`;
}

function collision(code: ErrorCode, what: string): JobStateError {
  return new JobStateError(code, `Cannot create job scheduler iteration - ${what}. addJobScheduler`);
}

function fieldsOf(
  { name, tz, limit, pattern, startDate, endDate, every, offset }: RepeatableOptions,
  template: { data: string; opts: JobsOptions },
  existing: Scheduler['fields'] | undefined,
): Scheduler['fields'] {
  const opts = JSON.stringify(template.opts);
  const fields = {
    name,
    tz,
    limit,
    pattern,
    startDate,
    endDate,
    every,
    offset: offset ?? existing?.['offset'],
    opts: opts === '{}' ? undefined : opts,
    data: template.data === '{}' ? undefined : template.data,
    ic: existing?.['ic'] ?? 1,
  };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([key, value]) => [key, String(value)]),
  );
}

function nextOfInterval(before: number | undefined, every: number, now: number, offset: number, startDate?: number) {
  const aligned = Math.floor(now / every) * every + offset;
  const alignedNext = aligned <= now ? aligned + every : aligned;
  let nextMillis: number;
  if (before !== undefined) nextMillis = before + every < now ? alignedNext : before + every;
  else if (startDate) nextMillis = Math.max(startDate, now);
  else nextMillis = offset > 0 ? alignedNext : now;
  nextMillis = Math.floor(nextMillis);
  return { nextMillis, offset: offset || Math.floor(nextMillis % every) };
}

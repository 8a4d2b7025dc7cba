import type {
  BackendFactory,
  FinishedStatus,
  IQueueBackend,
  JobJson,
  JobProgress,
  KeepJobs,
  MinimalJob,
  MoveToDelayedOpts,
  RetryJobOpts,
  RetryOptions,
  WorkerOptions,
} from 'bullmq';
import { unsupported } from './errors.ts';
import * as listing from './listing.ts';
import { QueueGetters } from './queue-getters.ts';
import type { FailureNote, QueueState, Taken, Taker } from './queue-state.ts';

/** BullMQ's own defaults, for a worker that names none. */
const LOCK_MS = 30_000;
const STALLED_CHECK_MS = 30_000;
const STALLED_ONCE = 1;

/** What a worker is given: a job and its id; or ms until the rate limit ends; or when the next job is due. */
type NextJob = [] | [job: JobJson | null, id: string, limitedMs: number, dueAt: number];

/** What a wait ends with: BullMQ's worker asks for a job at once, or not before this time. */
const JOB = { member: '0', score: 0 };
const NO_JOB = { member: '', score: Number.POSITIVE_INFINITY };

/** Queues of one opened backend, by name: all that have a queue or a worker of a name open see the same jobs. */
export type QueueStates = (name: string) => QueueState;

/** For BullMQ's `Queue` and `Worker`: they keep their jobs in these states, in this process. */
export function memoryBackends(states: QueueStates): BackendFactory<MemoryBackend> {
  return (name, options, { withBlockingConnection = false, blocking = false } = {}) => {
    if (blocking) unsupported('QueueEvents');
    return new MemoryBackend(states, name, options, withBlockingConnection);
  };
}

/** What BullMQ does with the jobs of a queue, done in memory. */
export class MemoryBackend extends QueueGetters implements IQueueBackend, Taker {
  readonly minimumBlockTimeout = 0.001;
  /** In s: a wait ends by itself when there is a job. */
  readonly maximumBlockTimeout = 3_600;
  readonly qualifiedName: string;
  readonly keys = {};
  closing: Promise<void> | undefined;
  readonly lockMs: number;
  readonly name: string | undefined;
  readonly limiter: Taker['limiter'];
  readonly #states: QueueStates;
  readonly #options: Partial<WorkerOptions>;
  #wait: ReturnType<QueueState['waiters']['wait']> | undefined;
  #interrupted = false;

  constructor(states: QueueStates, queueName: string, options: Partial<WorkerOptions>, isWorker: boolean) {
    super(states(queueName));
    this.#states = states;
    this.qualifiedName = queueName;
    this.#options = options;
    const { lockDuration = LOCK_MS, name, limiter } = this.#options;
    this.lockMs = lockDuration;
    this.name = name;
    this.limiter = limiter;
    if (isWorker) this.queue.workers.set(this, this.clientName(name === undefined ? '' : `:w:${name}`));
  }

  async waitUntilReady(): Promise<void> {}

  close(): Promise<void> {
    this.closing ??= this.#leave();
    return this.closing;
  }

  async #leave(): Promise<void> {
    this.queue.workers.delete(this);
    this.#wait?.cancel();
    // It may have been woken for a job that it does not take now.
    this.queue.waiters.stir();
  }

  async disconnect(): Promise<void> {
    await this.disconnectBlocking();
  }

  async setName(): Promise<void> {}

  forQueue(queueName: string): IQueueBackend {
    return new MemoryBackend(this.#states, queueName, {}, false);
  }

  toKey(type: string): string {
    return `${this.qualifiedName}:${type}`;
  }

  parseNodeKey(key: string): { prefix: string; queueName: string; id: string } {
    const colon = key.indexOf(':');
    return { prefix: '', queueName: key.slice(0, colon), id: key.slice(colon + 1) };
  }

  clientName(suffix = ''): string {
    return `${Buffer.from(this.qualifiedName).toString('base64')}${suffix}`;
  }

  async addJob(job: JobJson, id: string): Promise<string> {
    return this.#add(job, id);
  }

  async addJobs(entries: readonly { job: JobJson; jobId: string }[]): Promise<string[]> {
    return entries.map(({ job, jobId }) => this.#add(job, jobId));
  }

  #add({ name, data, opts, timestamp, parentKey, deduplicationId }: JobJson, id: string): string {
    if (parentKey !== undefined) unsupported('jobs with a parent');
    if (deduplicationId !== undefined) unsupported('deduplication');
    return this.queue.add({ id, name, data, opts, timestamp });
  }

  async moveToActive(token: string): Promise<NextJob> {
    return nextJob(this.queue.take(token, this));
  }

  async moveToCompleted(
    { id = '' }: MinimalJob,
    returnValue: unknown,
    keep: boolean | number | KeepJobs | undefined,
    token: string,
    fetchNext: boolean,
  ): Promise<{ result: NextJob; finishedOn: number }> {
    const kept = keepOf(keep, this.#options.removeOnComplete);
    const finishedOn = this.queue.finish(id, token, 'completed', JSON.stringify(returnValue) ?? 'null', kept);
    return { result: this.#fetch(fetchNext, token), finishedOn };
  }

  async moveToFailed(
    { id = '' }: MinimalJob,
    failedReason: string,
    keep: boolean | number | KeepJobs | undefined,
    token: string,
    fetchNext: boolean,
    note?: FailureNote,
  ): Promise<{ result: NextJob; finishedOn: number }> {
    const kept = keepOf(keep, this.#options.removeOnFail);
    const finishedOn = this.queue.finish(id, token, 'failed', failedReason, kept, note);
    return { result: this.#fetch(fetchNext, token), finishedOn };
  }

  async moveToDelayed(
    id: string,
    from: number,
    delay: number,
    token = '0',
    { skipAttempt = false, fieldsToUpdate = {}, fetchNext = false }: MoveToDelayedOpts = {},
  ): Promise<NextJob> {
    this.queue.delay(id, token, from, delay, { countAttempt: !skipAttempt, note: fieldsToUpdate });
    const next = this.#fetch(fetchNext, token);
    return next[0] ? next : [];
  }

  /** The next job for a worker that has just finished one; nothing to say when there is none, as in BullMQ. */
  #fetch(fetchNext: boolean, token: string): NextJob {
    if (!fetchNext || this.closing !== undefined) return [];
    return nextJob(this.queue.take(token, this));
  }

  async moveJobFromActiveToWait(id: string, token = '0'): Promise<number> {
    this.queue.giveBack(id, token);
    return this.queue.limit.leftMs(Date.now());
  }

  async retryJob(id: string, lifo: boolean, token = '0', { fieldsToUpdate = {} }: RetryJobOpts = {}): Promise<void> {
    this.queue.retry(id, token, lifo, fieldsToUpdate);
  }

  async retryFinishedJob(
    { id = '', opts }: MinimalJob,
    state: FinishedStatus,
    { resetAttemptsMade = false, resetAttemptsStarted = false }: RetryOptions = {},
  ): Promise<void> {
    const reset = { lifo: opts.lifo ?? false, made: resetAttemptsMade, started: resetAttemptsStarted };
    this.queue.reprocess(id, state, reset);
  }

  async promote(id: string): Promise<void> {
    this.queue.promoteJob(id);
  }

  async moveStalledJobsToWait(): Promise<string[]> {
    const { maxStalledCount = STALLED_ONCE, stalledInterval = STALLED_CHECK_MS } = this.#options;
    return this.queue.returnStalled(maxStalledCount, stalledInterval);
  }

  async retryFinishedJobs(state: FinishedStatus = 'failed', count = 1_000, until = Date.now()): Promise<number> {
    return this.queue.moveToWait(state, count, until) < count ? 0 : 1;
  }

  async promoteJobs(count = 1_000): Promise<number> {
    return this.queue.moveToWait('delayed', count, Number.MAX_VALUE) < count ? 0 : 1;
  }

  async pause(pause: boolean): Promise<void> {
    if (pause) this.queue.meta.set('paused', '1');
    else this.queue.meta.delete('paused');
    this.queue.waiters.stir();
  }

  async drain(delayed: boolean): Promise<void> {
    listing.drain(this.queue, delayed);
  }

  async cleanJobsByState(state: string, until: number, limit = 0): Promise<string[]> {
    return listing.clean(this.queue, state, until, limit);
  }

  async obliterate({ force }: { force: boolean }): Promise<number> {
    if (!this.queue.isPaused) throw new Error('Cannot obliterate non-paused queue');
    if (!force && this.queue.active.size > 0) throw new Error('Cannot obliterate queue with active jobs');
    this.queue.obliterate();
    return 0;
  }

  async extendLock(id: string, token: string, duration: number): Promise<number> {
    return this.queue.extendLock(id, token, duration, this) ? 1 : 0;
  }

  async extendLocks(ids: string[], tokens: string[], duration: number): Promise<string[]> {
    return ids.filter((id, index) => !this.queue.extendLock(id, tokens[index] ?? '', duration, this));
  }

  async updateData({ id = '' }: MinimalJob, data: unknown): Promise<void> {
    this.queue.find(id, 'updateData').data = JSON.stringify(data);
  }

  async updateProgress(id: string, progress: JobProgress): Promise<void> {
    this.queue.find(id, 'updateProgress').progress = JSON.stringify(progress);
  }

  async addLog(id: string, row: string, keep = 0): Promise<number> {
    const { logs } = this.queue.find(id, 'addLog');
    logs.push(row);
    if (keep > 0) logs.splice(0, logs.length - keep);
    return logs.length;
  }

  async clearLogs(id: string, keep = 0): Promise<void> {
    const logs = this.queue.jobs.get(id)?.logs ?? [];
    logs.splice(0, logs.length - keep);
  }

  async changeDelay(id: string, delay: number): Promise<void> {
    this.queue.changeDelay(id, delay);
  }

  async changePriority(id: string, priority = 0, lifo = false): Promise<void> {
    this.queue.changePriority(id, priority, lifo);
  }

  async remove(id: string): Promise<number> {
    return this.queue.remove(id) ? 1 : 0;
  }

  async setQueueMeta(values: Record<string, string | number>): Promise<number> {
    const { meta } = this.queue;
    const before = meta.size;
    for (const [field, value] of Object.entries(values)) meta.set(field, String(value));
    this.queue.waiters.stir();
    return meta.size - before;
  }

  async removeQueueMetaFields(fields: readonly string[]): Promise<number> {
    const removed = fields.filter((field) => this.queue.meta.delete(field)).length;
    this.queue.waiters.stir();
    return removed;
  }

  async setRateLimit(ms: number): Promise<void> {
    this.queue.limit.hold(ms, Date.now());
  }

  async removeRateLimitKey(): Promise<number> {
    return this.queue.limit.lift(Date.now()) ? 1 : 0;
  }

  /** Ends when there is work, or when the worker is closed or pauses; never by time. */
  async waitForJob(): Promise<{ member: string; score: number } | null> {
    if (this.closing !== undefined || this.#interrupted) return NO_JOB;
    this.#wait = this.queue.waiters.wait();
    const wake = await this.#wait.ended;
    this.#wait = undefined;
    return wake === 'work' ? JOB : NO_JOB;
  }

  async disconnectBlocking(): Promise<void> {
    this.#interrupted = true;
    this.#wait?.cancel();
  }

  async reconnectBlocking(): Promise<void> {
    this.#interrupted = false;
  }
}

function nextJob({ job, limitedMs = 0, dueAt = 0 }: Taken): NextJob {
  return job === undefined ? [null, '', limitedMs, dueAt] : [job.json(), job.id, 0, 0];
}

/** How many finished jobs are kept, as the job says, else the worker; all when neither does. */
function keepOf(ofJob: boolean | number | KeepJobs | undefined, ofWorker: KeepJobs | undefined): KeepJobs {
  if (ofJob === undefined) return ofWorker ?? { count: -1 };
  if (typeof ofJob === 'object') return ofJob;
  if (typeof ofJob === 'number') return { count: ofJob };
  return { count: ofJob ? 0 : -1 };
}

import {
  DelayedError,
  type IQueueBackend,
  type Job,
  type Processor,
  type Queue,
  type QueueOptions,
  RateLimitError,
  UnrecoverableError,
  type Worker,
  type WorkerOptions,
} from 'bullmq';
import type { z } from 'zod';
import type { Backend, QueueTelemetry } from './backend.ts';
import type { JobDefinition } from './define-job.ts';
import { type JobQueue, MAX_INSPECTED, MAX_SET_ASIDE, type QueuedJob } from './job-queue.ts';
import {
  type JobWorker,
  type JobWorkerOptions,
  jobRunner,
  LEFT_JOB_WAIT_MS,
  LOCK_MS,
  STALLED_CHECK_MS,
} from './job-worker.ts';
import { limitWindow } from './limit-window.ts';

export type BullQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend>;
export type BullWorker = Worker<unknown, void, string, IQueueBackend>;

/** The data of a job that was taken out. */
interface TakenOut {
  readonly data: unknown;
  /** Number of times that a worker has begun the job. */
  readonly attemptsStarted: number;
  readonly progress: unknown;
}

/** BullMQ's queues and workers on one kind of server. */
export interface Driver extends Pick<Backend, 'kind' | 'warnings' | 'close'> {
  queue(name: string, options: Omit<QueueOptions, 'connection'>): BullQueue;
  worker(
    name: string,
    process: Processor<unknown, void, string>,
    options: Omit<WorkerOptions, 'connection'>,
  ): BullWorker;
  /**
   * Lets the queue start nothing for `waitMs` (whole ms), or for an earlier wait if that is longer.
   * BullMQ's own `rateLimit` may shorten a wait; reading first and then setting would let another process interfere.
   */
  lengthenWait(queue: BullQueue, waitMs: number): Promise<void>;
  /** Removes a job that no worker has, in one step; returns its last version, undefined when there is none. */
  takeOut(queue: BullQueue, id: string): Promise<TakenOut | undefined>;
  /** Reads a note that is kept with the queue; empty when there is none. */
  readNote(queue: BullQueue, name: string): Promise<string>;
  /** Replaces a note that still is `before`, in one step. Resolves with what it is now. */
  swapNote(queue: BullQueue, name: string, before: string, after: string): Promise<string>;
}

/** A backend whose jobs BullMQ keeps on a server that processes share. */
export function bullBackend(driver: Driver, telemetry?: QueueTelemetry): Backend {
  const common = telemetry === undefined ? {} : { telemetry };
  return {
    kind: driver.kind,
    shared: true,
    openQueue: (...options) => openQueue(driver, common, ...options),
    startWorker: (options) => startWorker(driver, common, options),
    warnings: driver.warnings,
    close: driver.close,
  };
}

/** Returns the number of workers that passed the job on to another one. */
function timesLeftAlone({ progress }: { readonly progress: unknown }): number {
  return typeof progress === 'number' ? progress : 0;
}

/** Name of the note beside BullMQ's own metadata of a queue. */
const CIRCUIT = 'circuit';

/** Jobs that one round trip adds or removes. */
const CHUNK = 500;

function openQueue<Payload>(
  driver: Driver,
  common: { readonly telemetry?: QueueTelemetry },
  name: string,
  definition: Pick<JobDefinition<Payload, never>, 'name' | 'attempts'>,
  onError: (error: Error) => void,
): JobQueue<Payload> {
  const queue = driver.queue(name, {
    // Kept ids would block sending a batch again; whether it is done is the ledger's to know.
    defaultJobOptions: {
      attempts: definition.attempts,
      backoff: { type: 'capped' },
      removeOnComplete: true,
      removeOnFail: true,
    },
    ...common,
    streams: { events: { maxLen: 10 } },
  });
  queue.on('error', onError);
  return {
    name,
    add: async (jobs) => {
      const bulk = jobs.map(({ id, payload, name: kind = definition.name, priority = 0 }) => ({
        name: kind,
        data: payload,
        opts: { jobId: id, priority },
      }));
      // On Postgres a bulk makes tables for itself, which takes longer than one job.
      const [only] = bulk;
      if (only !== undefined && bulk.length === 1) await queue.add(only.name, only.data, only.opts);
      else for (let from = 0; from < bulk.length; from += CHUNK) await queue.addBulk(bulk.slice(from, from + CHUNK));
    },
    withdraw: async (chosen) => {
      const idle = await queue.getRanges(['waiting', 'delayed', 'prioritized'], 0, -1, true);
      const withdrawn: QueuedJob<Payload>[] = [];
      for (const id of idle.filter(chosen)) {
        const job = await driver.takeOut(queue, id);
        if (job === undefined) continue;
        const starts = job.attemptsStarted - timesLeftAlone(job);
        withdrawn.push({ id, payload: job.data as Payload, ...(starts > 0 && { starts }) });
      }
      return withdrawn;
    },
    clear: async () => {
      await queue.obliterate({ force: true });
      // Redis keeps a wait beside the queue.
      await queue.removeRateLimitKey();
    },
    pause: () => queue.pause(),
    resume: () => queue.resume(),
    isPaused: () => queue.isPaused(),
    setCallsPerMinute: async (callsPerMinute) => {
      const { max, duration } = limitWindow(callsPerMinute);
      await queue.setGlobalRateLimit(max, duration);
    },
    callsPerMinute: async () => {
      const limit = await queue.getGlobalRateLimit();
      return limit === null ? undefined : Math.round((limit.max / limit.duration) * 60_000);
    },
    slowDown: (waitMs) => driver.lengthenWait(queue, Math.max(1, Math.ceil(waitMs))),
    endWait: async () => void (await queue.removeRateLimitKey()),
    readCircuit: () => driver.readNote(queue, CIRCUIT),
    swapCircuit: (before, after) => driver.swapNote(queue, CIRCUIT, before, after),
    limitedForMs: async () => Math.max(0, await queue.getRateLimitTtl()),
    firstPriority: async () => {
      const [next] = await queue.getRanges(['prioritized'], 0, 0, true);
      const [id] = next === undefined ? await queue.getRanges(['active'], 0, 0, true) : [next];
      // It may have ended by now.
      return id === undefined ? 0 : ((await queue.getJob(id))?.priority ?? 0);
    },
    depth: () => depthOf(queue),
    inspect: () => inspect(queue),
    workers: () => queue.getWorkersCount(),
    close: () => queue.close(),
  };
}

async function depthOf(queue: BullQueue) {
  const [{ delayed = 0, active = 0, prioritized = 0, failed = 0 }, { 0: withoutPriority = 0 }] = await Promise.all([
    queue.getJobCounts('delayed', 'active', 'prioritized', 'failed'),
    // By priority: of a paused queue, Postgres counts no job without one as waiting.
    queue.getCountsPerPriority([0]),
  ]);
  return { waiting: prioritized + withoutPriority, delayed, active, setAside: failed };
}

async function inspect(queue: BullQueue) {
  const [[next], active] = await Promise.all([
    queue.getJobs(['prioritized'], 0, 0, true),
    queue.getJobs(['active'], 0, MAX_INSPECTED - 1, true),
  ]);
  return { nextAddedAt: next?.timestamp, stalled: active.filter(({ stalledCounter }) => stalledCounter > 0).length };
}

function startWorker<Payload, Ports>(
  driver: Driver,
  common: { readonly telemetry?: QueueTelemetry },
  options: JobWorkerOptions<Payload, Ports>,
): JobWorker {
  const runner = jobRunner(options);
  const worker = driver.worker(
    options.queue.name,
    async (job, token) => {
      const next = await runner.run({
        id: job.id ?? '',
        name: job.name,
        data: job.data,
        addedAt: job.timestamp,
        attemptsMade: job.attemptsMade,
        starts: job.attemptsStarted - timesLeftAlone(job),
        read: (schema) => readOrSetAside(job, schema),
        update: (changed) => job.updateData(changed),
      });
      // BullMQ's list of what has run keeps finished jobs in memory for a while; the payload is most of a job.
      if (next === 'done') job.data = undefined;
      // Not a start in which anything was tried: it must not look as if a worker had died with it.
      if (next === 'left' || next === 'untried') await job.updateProgress(timesLeftAlone(job) + 1);
      if (next === 'left') {
        await job.moveToDelayed(Date.now() + LEFT_JOB_WAIT_MS, token);
        throw new DelayedError();
      }
      if (next !== 'done') throw new RateLimitError();
    },
    {
      ...common,
      concurrency: options.concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      // A crash is not the job's fault: it would otherwise fail for good at the second one, attempts left or not.
      maxStalledCount: 20,
      maximumRateLimitDelay: 2_000,
      settings: {
        backoffStrategy: (attemptsMade, _type, error, job) => runner.backoffMs(job, attemptsMade, error),
      },
    },
  );
  worker.on('error', options.onError);
  worker.on('failed', (job, error) => {
    // Called for every failed attempt; only the last one matters.
    if (job?.finishedOn !== undefined) runner.givenUp(job, error);
  });
  return {
    setConcurrency: (concurrency) => {
      worker.concurrency = concurrency;
    },
    ...runner.ending(() => worker.close()),
  };
}

/** Other programs may write to a shared queue. @throws UnrecoverableError: the job is kept, so that a person can see who wrote it */
function readOrSetAside<Payload>(job: Job, schema: z.ZodType<Payload>): Payload {
  const read = schema.safeParse(job.data);
  if (read.success) return read.data;
  job.opts.removeOnFail = { count: MAX_SET_ASIDE };
  throw new UnrecoverableError(`its payload cannot be read: ${read.error.issues[0]?.message ?? ''}`);
}

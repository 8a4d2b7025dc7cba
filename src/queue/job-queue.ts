import type { Backend } from './backend.ts';
import type { JobDefinition } from './define-job.ts';
import { limitWindow } from './limits.ts';

/** A job to be queued. The id makes adding idempotent while the job is in the queue; it may not contain a colon. */
export interface QueuedJob<Payload> {
  readonly id: string;
  readonly payload: Payload;
}

export interface QueueDepth {
  /** Jobs that wait for a worker. */
  readonly waiting: number;
  /** Jobs that wait for their next attempt. */
  readonly delayed: number;
  readonly active: number;
}

/** A queue of one kind of job. */
export interface JobQueue<Payload> {
  readonly name: string;
  add(jobs: readonly QueuedJob<Payload>[]): Promise<void>;
  /** Takes jobs that are not running out of the queue again, those for which `chosen` is true, with their last payload. */
  withdraw(chosen: (id: string) => boolean): Promise<QueuedJob<Payload>[]>;
  /** Forgets every job. Only for a queue that nobody else uses. */
  clear(): Promise<void>;
  /** Starts no more jobs anywhere; running ones finish, adding goes on. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  isPaused(): Promise<boolean>;
  /** Sets the budget that all workers of this queue share. */
  setCallsPerMinute(callsPerMinute: number): Promise<void>;
  /** The budget that is set; undefined when none is. */
  callsPerMinute(): Promise<number | undefined>;
  /** Starts nothing for `waitMs`; a shorter wait never ends a longer one. */
  slowDown(waitMs: number): Promise<void>;
  /** Ms until the rate limit lets the next job start; 0 when it does now. */
  limitedForMs(): Promise<number>;
  depth(): Promise<QueueDepth>;
  /** Processes that work on this queue. */
  workers(): Promise<number>;
  close(): Promise<void>;
}

/** Jobs that one round trip adds or removes. */
const CHUNK = 500;

export function openJobQueue<Payload>(
  backend: Backend,
  name: string,
  definition: Pick<JobDefinition<Payload, never>, 'name' | 'attempts'>,
  onError: (error: Error) => void,
): JobQueue<Payload> {
  const queue = backend.queue(name, {
    // Kept ids would block sending a batch again; whether it is done is the ledger's to know.
    defaultJobOptions: {
      attempts: definition.attempts,
      backoff: { type: 'capped' },
      removeOnComplete: true,
      removeOnFail: true,
    },
    streams: { events: { maxLen: 10 } },
  });
  queue.on('error', onError);

  return {
    name,
    add: async (jobs) => {
      for (let from = 0; from < jobs.length; from += CHUNK) {
        await queue.addBulk(
          jobs.slice(from, from + CHUNK).map(({ id, payload }) => ({
            name: definition.name,
            data: payload,
            opts: { jobId: id },
          })),
        );
      }
    },
    withdraw: async (chosen) => {
      const idle = await queue.getJobs(['waiting', 'delayed', 'prioritized']);
      const withdrawn: QueuedJob<Payload>[] = [];
      for (const job of idle) {
        if (job?.id === undefined || !chosen(job.id)) continue;
        // 0: a worker took it between the listing and now.
        if ((await queue.remove(job.id)) === 1) withdrawn.push({ id: job.id, payload: job.data as Payload });
      }
      return withdrawn;
    },
    clear: () => queue.obliterate({ force: true }),
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
    slowDown: async (waitMs) => {
      if ((await queue.getRateLimitTtl()) < waitMs) await queue.rateLimit(waitMs);
    },
    limitedForMs: async () => Math.max(0, await queue.getRateLimitTtl()),
    depth: async () => {
      const counts = await queue.getJobCounts('waiting', 'delayed', 'active');
      return { waiting: counts['waiting'] ?? 0, delayed: counts['delayed'] ?? 0, active: counts['active'] ?? 0 };
    },
    workers: () => queue.getWorkersCount(),
    close: () => queue.close(),
  };
}

import type { Backend } from './backend.ts';
import type { JobDefinition } from './define-job.ts';
import { limitWindow } from './limits.ts';

/**
 * A job to be queued. The id makes adding idempotent while the job is in the queue. It holds a hyphen and no colon: Redis
 * keeps jobs next to BullMQ's own keys, and a job with the id `delayed` would overwrite the list of that name.
 */
export interface QueuedJob<Payload> {
  readonly id: string;
  readonly payload: Payload;
  /** Name of its definition, if the queue has several. */
  readonly name?: string;
  /** Of a withdrawn job: how often a worker has begun it; absent if none has. */
  readonly starts?: number;
  /** From 1, which runs first, to LAST_PRIORITY; jobs of one priority run in the order in which they came. */
  readonly priority?: number;
}

/** BullMQ's lowest priority. */
export const LAST_PRIORITY = 2 ** 21 - 1;

export interface QueueDepth {
  /** Jobs that wait for a worker. */
  readonly waiting: number;
  /** Jobs that wait for their next attempt. */
  readonly delayed: number;
  readonly active: number;
  /** Jobs that could not be read. They are kept, at most MAX_SET_ASIDE of them, for a person to look at. */
  readonly setAside: number;
}

export const MAX_SET_ASIDE = 1_000;

/** What a person looks for where a queue stands still. */
export interface QueueLook {
  /** When the job that is next was added, in ms since 1970; undefined where none waits. */
  readonly nextAddedAt: number | undefined;
  /** Jobs that run after a worker had begun and lost them: it ended or stood still. Counted among the first MAX_LOOKED_AT that run. */
  readonly stalled: number;
}

const MAX_LOOKED_AT = 100;

/** A queue of one kind of job, or of several that share a budget. */
export interface JobQueue<Payload> {
  readonly name: string;
  add(jobs: readonly QueuedJob<Payload>[]): Promise<void>;
  /** Removes jobs that are not running and for which `chosen` is true; returns them with their last payload. */
  withdraw(chosen: (id: string) => boolean): Promise<QueuedJob<Payload>[]>;
  /** Deletes every job, the pause and the budget, which must be set again. Only for a queue that no other process uses. */
  clear(): Promise<void>;
  /** Starts no more jobs in any process; running ones finish, and jobs can still be added. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  isPaused(): Promise<boolean>;
  /** Sets the budget that all workers of this queue share. Without one, `slowDown` has no effect. */
  setCallsPerMinute(callsPerMinute: number): Promise<void>;
  /** The budget that is set; undefined when none is. */
  callsPerMinute(): Promise<number | undefined>;
  /** Starts nothing for `waitMs`. A shorter wait never ends a longer one, from any process. */
  slowDown(waitMs: number): Promise<void>;
  /** Ends a wait at once. */
  endWait(): Promise<void>;
  /** The state of the circuit breaker (circuit.ts) that all processes share; empty when none was written. */
  readCircuit(): Promise<string>;
  /** Writes `after` if it still is `before`. Resolves with what it is now. */
  swapCircuit(before: string, after: string): Promise<string>;
  /** Ms until the rate limit lets the next job start; 0 when it does now. */
  limitedForMs(): Promise<number>;
  /** Priority of the next job, or of one that runs if none waits; 0 when there is none. */
  firstPriority(): Promise<number>;
  depth(): Promise<QueueDepth>;
  /** Reads jobs: for people, not for each step of an import. */
  look(): Promise<QueueLook>;
  /** Number of workers on this queue. */
  workers(): Promise<number>;
  close(): Promise<void>;
}

/** How many workers passed the job on to another one. Nothing else uses a job's progress. */
export function timesLeftAlone({ progress }: { readonly progress: unknown }): number {
  return typeof progress === 'number' ? progress : 0;
}

/** Name of the note beside BullMQ's own metadata of a queue. */
const CIRCUIT = 'circuit';

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
        const job = await backend.takeOut(queue, id);
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
    slowDown: (waitMs) => backend.lengthenWait(queue, Math.max(1, Math.ceil(waitMs))),
    endWait: async () => void (await queue.removeRateLimitKey()),
    readCircuit: () => backend.readNote(queue, CIRCUIT),
    swapCircuit: (before, after) => backend.swapNote(queue, CIRCUIT, before, after),
    limitedForMs: async () => Math.max(0, await queue.getRateLimitTtl()),
    firstPriority: async () => {
      const [next] = await queue.getRanges(['prioritized'], 0, 0, true);
      const [id] = next === undefined ? await queue.getRanges(['active'], 0, 0, true) : [next];
      // It may have ended by now.
      return id === undefined ? 0 : ((await queue.getJob(id))?.priority ?? 0);
    },
    depth: async () => {
      const [{ delayed = 0, active = 0, prioritized = 0, failed = 0 }, { 0: withoutPriority = 0 }] = await Promise.all([
        queue.getJobCounts('delayed', 'active', 'prioritized', 'failed'),
        // By priority: of a paused queue, Postgres counts no job without one as waiting.
        queue.getCountsPerPriority([0]),
      ]);
      return { waiting: prioritized + withoutPriority, delayed, active, setAside: failed };
    },
    look: async () => {
      const [[next], active] = await Promise.all([
        queue.getJobs(['prioritized'], 0, 0, true),
        queue.getJobs(['active'], 0, MAX_LOOKED_AT - 1, true),
      ]);
      return {
        nextAddedAt: next?.timestamp,
        stalled: active.filter(({ stalledCounter }) => stalledCounter > 0).length,
      };
    },
    workers: () => queue.getWorkersCount(),
    close: () => queue.close(),
  };
}

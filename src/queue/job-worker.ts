import { DelayedError, type Job, RateLimitError, UnrecoverableError } from 'bullmq';
import type { z } from 'zod';
import type { Backend } from './backend.ts';
import { type JobDefinition, type JobRun, NotYet, SlowDown } from './define-job.ts';
import { type JobQueue, MAX_SET_ASIDE, timesLeftAlone } from './job-queue.ts';

/** Runs the jobs of one queue. */
export interface JobWorker {
  setConcurrency(concurrency: number): void;
  /** Takes no more jobs and resolves when the running ones have finished. */
  close(): Promise<void>;
  /** Aborts the signal of the running jobs when the process stops: jobs that fail now go back to the queue. Close first. */
  abort(): void;
}

export interface JobWorkerOptions<Payload, Ports> {
  readonly backend: Backend;
  readonly queue: JobQueue<Payload>;
  /** Definitions of the jobs in the queue, by unique names. */
  readonly definitions: readonly JobDefinition<Payload, Ports>[];
  readonly ports: Ports;
  /** Jobs that run at the same time in this process. */
  readonly concurrency: number;
  /** Why a job is left to other workers, as a sentence; undefined if it is not. */
  readonly notForUs?: (payload: Payload) => string | undefined;
  /** Called at the first start of a job, with how long it was in the queue, in ms. */
  readonly begun?: ((waitedMs: number) => void) | undefined;
  /** Wraps each start of a job. @throws NotYet if it must wait */
  readonly admit?: (run: JobRun<Payload>, process: () => Promise<void>) => Promise<void>;
  /** Wraps the run of a job. */
  readonly around?: ((run: JobRun<Payload>, process: () => Promise<void>) => Promise<void>) | undefined;
  readonly onError: (error: Error) => void;
}

/** Time after which a job that is not for this worker is offered again. */
const LEFT_JOB_WAIT_MS = 5_000;

/** Time that aborted jobs get to go back into the queue, in ms. */
const LEAVE_MS = 5_000;

/** A dead worker is noticed when its lock has run out, after one or two checks for stalled jobs: within 15 s. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 2_000;
export const WORKER_DEATH_NOTICED_MS = LOCK_MS + 2 * STALLED_CHECK_MS;

export function startJobWorker<Payload, Ports>(options: JobWorkerOptions<Payload, Ports>): JobWorker {
  const { backend, queue, definitions, ports } = options;
  const definitionOf = (job: Pick<Job, 'name'> | undefined) => definitions.find(({ name }) => name === job?.name);
  const aborted = new AbortController();
  const worker = backend.worker(
    queue.name,
    async (job, token) => {
      const definition = definitionOf(job);
      if (definition === undefined || versionOf(job) > definition.version) {
        return leave(job, tooNew(job, definition), token);
      }
      // This process's own memory is trusted; other programs may write to a shared queue.
      const payload = backend.shared ? readOrSetAside(job, definition.payload) : (job.data as Payload);
      const reason = options.notForUs?.(payload);
      if (reason !== undefined) return leave(job, `a ${job.name} job is handed back: ${reason}`, token);
      try {
        const run = runOf(job, payload, definition);
        const process = () => definition.process(run, ports);
        const begin = async () => {
          if (run.starts === 1) options.begun?.(Date.now() - job.timestamp);
          await (options.around === undefined ? process() : options.around(run, process));
        };
        await (options.admit === undefined ? begin() : options.admit(run, begin));
        // BullMQ's list of what has run keeps finished jobs in memory for a while; the payload is most of a job.
        job.data = undefined;
      } catch (error) {
        if (error instanceof NotYet) await leftAlone(job);
        if (error instanceof SlowDown) await queue.slowDown(error.waitMs);
        // A process that stops does not use up an attempt, so the job stays in the queue even after its last one.
        else if (!aborted.signal.aborted) throw error;
        throw new RateLimitError();
      }
    },
    {
      concurrency: options.concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      // A crash is not the job's fault: it would otherwise fail for good at the second one, attempts left or not.
      maxStalledCount: 20,
      maximumRateLimitDelay: 2_000,
      settings: {
        backoffStrategy: (attemptsMade, _type, error, job) => definitionOf(job)?.backoffMs(attemptsMade, error) ?? 0,
      },
    },
  );
  worker.on('error', options.onError);
  worker.on('failed', (job, error) => {
    // Called for every failed attempt; only the last one matters.
    if (job?.finishedOn === undefined) return;
    options.onError(new Error(`job ${job.id} (${job.name}) was given up: ${error.message}`, { cause: error }));
  });

  function runOf(job: Job, payload: Payload, definition: JobDefinition<Payload, Ports>): JobRun<Payload> {
    return {
      id: job.id ?? '',
      payload,
      attemptsMade: job.attemptsMade,
      starts: job.attemptsStarted - timesLeftAlone(job),
      isLastAttempt: job.attemptsMade + 1 >= definition.attempts,
      signal: aborted.signal,
      update: (changed) => job.updateData(changed),
    };
  }

  /** Puts a job back into the queue, for other workers. */
  async function leave(job: Job, reason: string, token: string | undefined): Promise<never> {
    options.onError(new Error(reason));
    await leftAlone(job);
    await job.moveToDelayed(Date.now() + LEFT_JOB_WAIT_MS, token);
    throw new DelayedError();
  }

  const left = Promise.withResolvers<void>();
  return {
    setConcurrency: (concurrency) => {
      worker.concurrency = concurrency;
    },
    close: () => Promise.race([worker.close(), left.promise]),
    abort: () => {
      if (aborted.signal.aborted) return;
      aborted.abort();
      // Seen after a Redis that was killed and came back: BullMQ's close then waits for an answer that never comes.
      setTimeout(left.resolve, LEAVE_MS).unref();
    },
  };
}

/** @throws UnrecoverableError where the payload is not one: the job is kept, so that a person can see who wrote it */
function readOrSetAside<Payload>(job: Job, schema: z.ZodType<Payload>): Payload {
  const read = schema.safeParse(job.data);
  if (read.success) return read.data;
  job.opts.removeOnFail = { count: MAX_SET_ASIDE };
  throw new UnrecoverableError(`its payload cannot be read: ${read.error.issues[0]?.message ?? ''}`);
}

/** Not a start in which anything was tried: it must not look as if a worker had died with it. */
function leftAlone(job: Job): Promise<void> {
  return job.updateProgress(timesLeftAlone(job) + 1);
}

function tooNew(job: Job, known: { readonly version: number } | undefined): string {
  const knows = known === undefined ? 'does not know such jobs' : `knows ${known.version}`;
  return `a ${job.name} job has version ${versionOf(job)} and this rollcall ${knows}: it is left to a newer worker; update this one`;
}

/** Of the payload; one without is for its schema to refuse. */
function versionOf({ data }: Job): number {
  const version: unknown = data?.version;
  return typeof version === 'number' ? version : 0;
}

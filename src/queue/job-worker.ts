import type { z } from 'zod';
import { type JobDefinition, type JobRun, NotYet, SlowDown } from './job-definition.ts';
import type { JobQueue } from './job-queue.ts';

export interface JobWorker {
  setConcurrency(concurrency: number): void;
  /** Takes no more jobs and resolves when the running ones have finished. */
  close(): Promise<void>;
  /** Aborts the signal of the running jobs when the process stops: jobs that fail now go back to the queue. Close first. */
  abort(): void;
}

/** Gives running jobs at most `deadlineMs` to finish, and hands back the rest. */
export async function closeWithin(
  deadlineMs: number,
  workers: readonly Pick<JobWorker, 'close' | 'abort'>[],
): Promise<void> {
  const timer = setTimeout(() => {
    for (const worker of workers) worker.abort();
  }, deadlineMs);
  await Promise.all(workers.map((worker) => worker.close()));
  clearTimeout(timer);
}

/** The work of a worker. */
export interface JobWorkerOptions<Payload, Ports> {
  readonly queue: JobQueue<Payload>;
  /** Definitions of the jobs in the queue, by unique names. */
  readonly definitions: readonly JobDefinition<Payload, Ports>[];
  readonly ports: Ports;
  readonly concurrency: number;
  /** Returns the reason why a job is left to other workers, as a sentence; undefined if it is not. */
  readonly notForUs?: (payload: Payload) => string | undefined;
  /** Wraps each start of a job. `addedAt` is in ms since 1970. @throws NotYet if the job must wait */
  readonly around?: (run: JobRun<Payload>, process: () => Promise<void>, addedAt: number) => Promise<void>;
  readonly onError: (error: Error) => void;
}

/** A job that a worker has just taken, as a backend gives it to `JobRunner.run`. */
interface TakenJob {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
  /** In ms since 1970. */
  readonly addedAt: number;
  readonly attemptsMade: number;
  readonly starts: number;
  /** Resolves with the payload. @throws Error if it is not one */
  read<Payload>(schema: z.ZodType<Payload>): Promise<Payload>;
  update(payload: unknown): Promise<void>;
}

/**
 * The next step of a job that was started. `done`: it leaves the queue. `left`: it is offered again after LEFT_JOB_WAIT_MS,
 * to any worker, and this was no start. `back`: it goes to where it was; with `untried`, this was no start either.
 */
export type NextStep = 'done' | 'left' | 'back' | 'untried';

/** Time after which a job that is not for this worker is offered again. */
export const LEFT_JOB_WAIT_MS = 5_000;

/** Time that aborted jobs get to go back into the queue, in ms. */
const LEAVE_MS = 5_000;

/** A dead worker is noticed when its lock has run out, after one or two checks for stalled jobs: within 15 s. */
export const LOCK_MS = 10_000;
export const STALLED_CHECK_MS = 2_000;
export const WORKER_DEATH_NOTICED_MS = LOCK_MS + 2 * STALLED_CHECK_MS;

export type JobRunner = ReturnType<typeof jobRunner>;

/** The part of a worker that is the same on every backend. */
export function jobRunner<Payload, Ports>(options: JobWorkerOptions<Payload, Ports>) {
  const { queue, definitions, ports, onError } = options;
  const definitionOf = (job: { readonly name: string } | undefined) =>
    definitions.find(({ name }) => name === job?.name);
  const aborted = new AbortController();
  const leave = (reason: string): NextStep => {
    onError(new Error(reason));
    return 'left';
  };
  return {
    /** @throws the error of an attempt that failed */
    run: async (job: TakenJob): Promise<NextStep> => {
      const definition = definitionOf(job);
      if (definition === undefined || versionOf(job) > definition.version) return leave(tooNew(job, definition));
      const payload = await job.read(definition.payload);
      const reason = options.notForUs?.(payload);
      if (reason !== undefined) return leave(`a ${job.name} job is handed back: ${reason}`);
      const { id, attemptsMade, starts, update } = job;
      const isLastAttempt = attemptsMade + 1 >= definition.attempts;
      const run = { id, payload, attemptsMade, starts, isLastAttempt, signal: aborted.signal, update };
      const process = () => definition.process(run, ports);
      try {
        await (options.around === undefined ? process() : options.around(run, process, job.addedAt));
        return 'done';
      } catch (error) {
        if (error instanceof SlowDown) await queue.slowDown(error.waitMs);
        // A process that stops does not use up an attempt, so the job stays in the queue even after its last one.
        else if (!aborted.signal.aborted) throw error;
        return error instanceof NotYet ? 'untried' : 'back';
      }
    },
    backoffMs: (job: { readonly name: string } | undefined, attemptsMade: number, error: Error | undefined) =>
      definitionOf(job)?.backoffMs(attemptsMade, error) ?? 0,
    /** Reports a job that has used up its attempts. The log says why, from its cause. */
    givenUp: (job: { readonly id?: string | undefined; readonly name: string }, error: Error) =>
      onError(new Error(`job ${job.id} (${job.name}) was given up`, { cause: error })),
    /** The methods of the worker that end it. @param close resolves when the running jobs have finished */
    ending: (close: () => Promise<void>): Pick<JobWorker, 'close' | 'abort'> => {
      const left = Promise.withResolvers<void>();
      return {
        close: () => Promise.race([close(), left.promise]),
        abort: () => {
          if (aborted.signal.aborted) return;
          aborted.abort();
          // Seen after a Redis that was killed and came back: BullMQ's close then waits for an answer that never comes.
          setTimeout(left.resolve, LEAVE_MS).unref();
        },
      };
    },
  };
}

function tooNew(job: TakenJob, known: { readonly version: number } | undefined): string {
  const knows = known === undefined ? 'does not know such jobs' : `knows ${known.version}`;
  return `a ${job.name} job has version ${versionOf(job)} and this rollcall ${knows}: it is left to a newer worker; update this one`;
}

/** A payload without a version is refused by its schema. */
function versionOf({ data }: TakenJob): number {
  const version = (data as { readonly version?: unknown } | undefined | null)?.version;
  return typeof version === 'number' ? version : 0;
}

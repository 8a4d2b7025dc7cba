import type { Backend } from './backend.ts';
import { nextRun } from './cron.ts';
import type { JobDefinition } from './define-job.ts';

/** What adds a job to a queue again and again, at the times of a cron expression (BullMQ's job schedulers). */
export interface JobSchedulers<Payload> {
  /** Puts one there, or in place of the one of this name. Its first job is due at the first time from now on. */
  put(name: string, when: { readonly cron: string; readonly tz: string }, payload: Payload): Promise<void>;
  /** Takes it away, and its job as long as that waits. */
  remove(name: string): Promise<void>;
  /** When the next job of each is due, in ms since 1970. */
  next(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/**
 * Both queues and workers compute times: a worker that takes such a job adds the one after it. BullMQ's own computing
 * would forget the run that summer time puts off, when it is asked within that hour.
 */
export const repeatStrategy = (
  after: number,
  { pattern = '', tz = 'UTC' }: { pattern?: string; tz?: string },
): number => nextRun(pattern, tz, after);

/** @param queueName the queue that jobs are added to, whose worker is `startJobWorker`'s */
export function openJobSchedulers<Payload>(
  backend: Backend,
  queueName: string,
  { name: jobName, attempts }: Pick<JobDefinition<Payload, never>, 'name' | 'attempts'>,
  onError: (error: Error) => void,
): JobSchedulers<Payload> {
  const queue = backend.queue(queueName, { settings: { repeatStrategy }, streams: { events: { maxLen: 10 } } });
  queue.on('error', onError);
  return {
    put: async (name, { cron, tz }, payload) => {
      const opts = { attempts, removeOnComplete: true, removeOnFail: true };
      await queue.upsertJobScheduler(name, { pattern: cron, tz }, { name: jobName, data: payload, opts });
    },
    remove: async (name) => {
      await queue.removeJobScheduler(name);
    },
    next: async () => {
      const schedulers = await queue.getJobSchedulers();
      return new Map(schedulers.map(({ key, next = 0 }) => [key, next]));
    },
    close: () => queue.close(),
  };
}

import type { QueueOptions } from 'bullmq';
import type { JobDefinition } from './job-definition.ts';
import type { JobQueue } from './job-queue.ts';
import type { JobWorker, JobWorkerOptions } from './job-worker.ts';

export type QueueTelemetry = NonNullable<QueueOptions['telemetry']>;

/** A place that keeps jobs. */
export interface Backend {
  /** `embedded`: in this process, as a cache of its ledger. `redis`: on a server, which other processes use too. */
  readonly kind: 'embedded' | 'redis';
  /** Opens a queue. All that open the same name have the same jobs. */
  openQueue<Payload>(
    name: string,
    definition: Pick<JobDefinition<Payload, never>, 'name' | 'attempts' | 'countsStarts'>,
    onError: (error: Error) => void,
  ): JobQueue<Payload>;
  startWorker<Payload, Ports>(options: JobWorkerOptions<Payload, Ports>): JobWorker;
  /** Settings of the server that put jobs at risk, as sentences. */
  warnings(): Promise<string[]>;
  close(): Promise<void>;
}

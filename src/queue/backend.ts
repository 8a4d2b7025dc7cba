import type { QueueOptions } from 'bullmq';
import type { JobDefinition } from './define-job.ts';
import type { JobQueue } from './job-queue.ts';
import type { JobWorker, JobWorkerOptions } from './job-worker.ts';

/** The traces of queues and workers. */
export type QueueTelemetry = NonNullable<QueueOptions['telemetry']>;

/** A place that keeps jobs. The rest of the program does not know which. */
export interface Backend {
  readonly kind: 'embedded' | 'redis' | 'postgres';
  /** Whether other processes use it too. One that is not shared is a cache of this process's ledger. */
  readonly shared: boolean;
  /** Opens a queue. All that open the same name have the same jobs. */
  openQueue<Payload>(
    name: string,
    definition: Pick<JobDefinition<Payload, never>, 'name' | 'attempts'>,
    onError: (error: Error) => void,
  ): JobQueue<Payload>;
  startWorker<Payload, Ports>(options: JobWorkerOptions<Payload, Ports>): JobWorker;
  /** Settings of the server that put jobs at risk, as sentences. */
  warnings(): Promise<string[]>;
  close(): Promise<void>;
}

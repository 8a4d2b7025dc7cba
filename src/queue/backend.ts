import {
  createPostgresBackend,
  type IQueueBackend,
  type PostgresConnectionOptions,
  type Processor,
  Queue,
  type QueueOptions,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { openEmbedded } from './embedded.ts';

type BullQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend>;
type BullWorker = Worker<unknown, void, string, IQueueBackend>;

/** A place that keeps BullMQ's jobs. The rest of the program does not know which. */
export interface Backend {
  readonly kind: 'embedded';
  queue(name: string, options: Omit<QueueOptions, 'connection'>): BullQueue;
  worker(
    name: string,
    process: Processor<unknown, void, string>,
    options: Omit<WorkerOptions, 'connection'>,
  ): BullWorker;
  close(): Promise<void>;
}

/** The embedded backend, in `directory`. */
export async function openBackend(directory: string): Promise<Backend> {
  const pool = await openEmbedded(directory);
  const connection: PostgresConnectionOptions = pool;
  return {
    kind: 'embedded',
    queue: (name, options) =>
      new Queue<unknown, void, string, unknown, void, string, IQueueBackend, PostgresConnectionOptions>(
        name,
        { ...options, connection },
        createPostgresBackend,
      ) as unknown as BullQueue,
    worker: (name, process, options) =>
      new Worker<unknown, void, string, IQueueBackend, number, PostgresConnectionOptions>(
        name,
        process as never,
        { ...options, connection },
        createPostgresBackend,
      ) as unknown as BullWorker,
    close: () => pool.end(),
  };
}

import type { IQueueBackend, Processor, Queue, QueueOptions, Worker, WorkerOptions } from 'bullmq';

export type BullQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend>;
export type BullWorker = Worker<unknown, void, string, IQueueBackend>;

/** What BullMQ tells of queues and workers, for traces. */
export type QueueTelemetry = NonNullable<QueueOptions['telemetry']>;

/** What is left of a job that was taken out. */
interface TakenOut {
  readonly data: unknown;
  /** How often a worker has begun it. */
  readonly attemptsStarted: number;
  readonly progress: unknown;
}

/** A place that keeps BullMQ's jobs. The rest of the program does not know which. */
export interface Backend {
  readonly kind: 'embedded' | 'redis' | 'postgres';
  /** Whether other processes use it too. One that is not shared is a cache of this process's ledger. */
  readonly shared: boolean;
  queue(name: string, options: Omit<QueueOptions, 'connection'>): BullQueue;
  /** Queues that this process has open. */
  queues(): readonly BullQueue[];
  worker(
    name: string,
    process: Processor<unknown, void, string>,
    options: Omit<WorkerOptions, 'connection'>,
  ): BullWorker;
  /**
   * Has the queue of this name start nothing for `waitMs` (whole ms), or as long as it was told before if that is longer.
   * BullMQ's own `rateLimit` shortens; looking first and then setting would let another process come between.
   */
  lengthenWait(queue: BullQueue, waitMs: number): Promise<void>;
  /** Takes a job out that no worker has, in one step; gives it as it was last, undefined when there is none. */
  takeOut(queue: BullQueue, id: string): Promise<TakenOut | undefined>;
  /** What about the server puts jobs at risk, in words. */
  warnings(): Promise<string[]>;
  close(): Promise<void>;
}

/** A backend as the file of its kind makes it. */
export type Driver = Omit<Backend, 'queues'>;

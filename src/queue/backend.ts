import type { IQueueBackend, Processor, Queue, QueueOptions, Worker, WorkerOptions } from 'bullmq';

export type BullQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend>;
export type BullWorker = Worker<unknown, void, string, IQueueBackend>;

/** What BullMQ reports about queues and workers, for traces. */
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
  /** Settings of the server that put jobs at risk, as sentences. */
  warnings(): Promise<string[]>;
  close(): Promise<void>;
}

/** What each kind of backend implements. */
export type Driver = Omit<Backend, 'queues'>;

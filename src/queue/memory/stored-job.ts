import type { JobJson, JobProgress, JobsOptions } from 'bullmq';

/** Where a job is; `removed` when it is not in the queue any more. */
export type Place = 'wait' | 'prioritized' | 'delayed' | 'active' | 'completed' | 'failed' | 'removed';

/** Who works on a job. */
export interface Lock {
  readonly token: string;
  /** In ms since 1970. */
  readonly until: number;
  readonly holder: LockHolder;
}

/** A worker, as far as locks go. */
export interface LockHolder {
  readonly closing: Promise<void> | undefined;
}

/** A job as it is added. Data and options are JSON. */
export interface NewJob {
  readonly id: string;
  readonly name: string;
  readonly data: string;
  readonly opts: JobsOptions;
  /** When it was added, in ms since 1970. */
  readonly timestamp: number;
}

/**
 * A job as a queue keeps it. Data and options are text, as on a server: BullMQ writes and parses the data anyway, and
 * text cannot be changed by who put it there.
 */
export class StoredJob {
  readonly id: string;
  readonly name: string;
  readonly timestamp: number;
  readonly #opts: string;
  data: string;
  delay: number;
  priority: number;

  place: Place = 'removed';
  /** Position in its place: by rank (priority or time), then by order. */
  rank = 0;
  order = 0;
  /** In its heap. */
  slot = 0;
  lock: Lock | undefined;

  attemptsMade = 0;
  attemptsStarted = 0;
  stalledCounter = 0;
  /** JSON. */
  progress: string | undefined;
  processedOn: number | undefined;
  finishedOn: number | undefined;
  processedBy: string | undefined;
  failedReason: string | undefined;
  deferredFailure: string | undefined;
  /** JSON. */
  stacktrace: string | undefined;
  /** JSON. */
  returnValue: string | undefined;
  readonly logs: string[] = [];

  constructor({ id, name, data, opts, timestamp }: NewJob) {
    this.id = id;
    this.name = name;
    this.data = data;
    this.timestamp = timestamp;
    this.#opts = JSON.stringify(opts);
    this.delay = opts.delay ?? 0;
    this.priority = opts.priority ?? 0;
  }

  /** The job as BullMQ reads it. */
  json(): JobJson {
    const json: JobJson = {
      id: this.id,
      name: this.name,
      data: this.data,
      opts: JSON.parse(this.#opts) as JobsOptions,
      progress: this.progress === undefined ? 0 : (JSON.parse(this.progress) as JobProgress),
      attemptsMade: this.attemptsMade,
      attemptsStarted: this.attemptsStarted,
      stalledCounter: this.stalledCounter,
      timestamp: this.timestamp,
      delay: this.delay,
      priority: this.priority,
      failedReason: this.failedReason ?? '',
      returnvalue: this.returnValue ?? 'null',
    };
    if (this.stacktrace !== undefined) json.stacktrace = this.stacktrace;
    if (this.processedOn !== undefined) json.processedOn = this.processedOn;
    if (this.finishedOn !== undefined) json.finishedOn = this.finishedOn;
    if (this.processedBy !== undefined) json.processedBy = this.processedBy;
    if (this.deferredFailure !== undefined) json.deferredFailure = this.deferredFailure;
    return json;
  }

  isLocked(now: number): boolean {
    const { lock } = this;
    // A worker in this process cannot die alone: its lock holds while it is open, even if it could not renew it.
    return lock !== undefined && (lock.holder.closing === undefined || lock.until > now);
  }
}

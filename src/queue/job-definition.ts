import type { z } from 'zod';

/** One run of a job. */
export interface JobRun<Payload> {
  readonly id: string;
  readonly payload: Payload;
  /** Failed attempts before this one. Waiting for a rate limit is not an attempt. */
  readonly attemptsMade: number;
  /** Starts so far, including this one: more than `attemptsMade + 1` when a worker died or a rate limit sent the job back. */
  readonly starts: number;
  readonly isLastAttempt: boolean;
  /** Aborted when the process must stop at once. */
  readonly signal: AbortSignal;
  /** Replaces the payload that a later attempt will see. */
  update(payload: Payload): Promise<void>;
}

/** One kind of job: a file in `jobs/`. */
export interface JobDefinition<Payload, Ports> {
  readonly name: string;
  /** Version of the payload. A worker leaves jobs of a newer version to newer workers. */
  readonly version: number;
  readonly payload: z.ZodType<Payload>;
  readonly attempts: number;
  /** False where nothing depends on how often a job was begun: what is added need not say when. Default: true. */
  readonly countsStarts?: false;
  /** Wait before the next attempt in ms, given how many attempts have failed, and what the last one threw. */
  readonly backoffMs: (attemptsMade: number, error: Error | undefined) => number;
  /** (A method, so that a worker may hold jobs of several payloads: each is given what its own schema has parsed.) */
  process(job: JobRun<Payload>, ports: Ports): Promise<void>;
}

/** Thrown by `process`: the whole queue waits `waitMs`, the job goes back into it, and no attempt is used up. */
export class SlowDown extends Error {
  readonly waitMs: number;

  constructor(waitMs: number) {
    super(`the service asked to wait ${waitMs} ms`);
    this.name = 'SlowDown';
    this.waitMs = waitMs;
  }
}

/** The same, before anything was tried: the job counts as not begun. */
export class NotYet extends SlowDown {}

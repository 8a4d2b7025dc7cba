import type { FlowSums } from './flow.ts';

/**
 * A job to be queued. The id makes adding idempotent while the job is in the queue. It holds a hyphen and no colon: Redis
 * keeps jobs next to BullMQ's own keys, and a job with the id `delayed` would overwrite the list of that name.
 */
export interface QueuedJob<Payload> {
  readonly id: string;
  readonly payload: Payload;
  /** Name of its definition, if the queue has several. */
  readonly name?: string;
  /** The number of times that a worker has begun a withdrawn job; absent if none has. */
  readonly starts?: number;
  /** From 1, which runs first, to LAST_PRIORITY; jobs of one priority run in the order in which they came. */
  readonly priority?: number;
}

/** BullMQ's lowest priority. */
export const LAST_PRIORITY = 2 ** 21 - 1;

export interface QueueDepth {
  readonly waiting: number;
  /** Jobs that wait for their next attempt. */
  readonly delayed: number;
  readonly active: number;
  /** Jobs that could not be read. They are kept, at most MAX_SET_ASIDE of them, for a person to look at. */
  readonly setAside: number;
}

export const MAX_SET_ASIDE = 1_000;
/** Ends the key of the jobs that were set aside in a queue of Redis: by id, the reason and the fields, as JSON. */
export const SET_ASIDE = 'set-aside';

/** Facts that help a person to find out why a queue stands still. */
export interface QueueInspection {
  /** The time at which the next job was added, in ms since 1970; undefined when none waits. */
  readonly nextAddedAt: number | undefined;
  /** Jobs that run after a worker had begun and lost them: it ended or stood still. Counted among the first MAX_INSPECTED that run. */
  readonly stalled: number;
}

export const MAX_INSPECTED = 100;

/** Knowledge that the processes of a queue share about the number of jobs that run at once (flow.ts). */
export interface SharedFlow {
  /** The note; empty where it was not written. */
  readonly text: string;
  readonly sums: FlowSums;
  /** The most jobs at once of all processes that have reported of late. */
  readonly most: number;
  /** The time by the clock that they have in common, in ms. */
  readonly now: number;
}

/** A process that has reported nothing for so long runs no jobs, in ms. */
export const FLOW_SILENCE_MS = 3_000;

/** Kinds of jobs. Their payloads begin with the version. */
export type JobKinds = readonly { readonly name: string; readonly version: number }[];

/** A text that the processes of a queue share: the state of its circuit breaker (circuit.ts), or its flow (flow.ts). */
type NoteName = 'circuit' | 'flow';

/** A queue of one kind of job, or of several that share a budget. */
export interface JobQueue<Payload> {
  readonly name: string;
  add(jobs: readonly QueuedJob<Payload>[]): Promise<void>;
  /** Returns those of the jobs that are not in the queue any more as they were added, as one of these kinds. */
  lost(ids: readonly string[], kinds: JobKinds): Promise<string[]>;
  /** Adds those of the jobs that are lost; what is left of them does not stand in the way. */
  again(jobs: readonly QueuedJob<Payload>[], kinds: JobKinds): Promise<void>;
  /** Removes jobs that are not running and for which `chosen` is true; returns them with their last payload. */
  withdraw(chosen: (id: string) => boolean): Promise<QueuedJob<Payload>[]>;
  /** Starts no more jobs in any process; running ones finish, and jobs can still be added. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  isPaused(): Promise<boolean>;
  /** Sets the budget that all workers of this queue share. Without one, `slowDown` has no effect. */
  setCallsPerMinute(callsPerMinute: number): Promise<void>;
  /** Undefined when no budget is set. */
  callsPerMinute(): Promise<number | undefined>;
  /** Starts nothing for `waitMs`. A shorter wait never ends a longer one, from any process. */
  slowDown(waitMs: number): Promise<void>;
  endWait(): Promise<void>;
  /** Empty where the note was not written. */
  readNote(name: NoteName): Promise<string>;
  /** Writes `after` if the note still is `before`. Resolves with what it is now. */
  swapNote(name: NoteName, before: string, after: string): Promise<string>;
  /** Adds to the sums, and says what they are. @param by the process @param most of its jobs at once */
  shareFlow(by: string, most: number, more: FlowSums): Promise<SharedFlow>;
  /** Ms until the rate limit lets the next job start; 0 when it does now. */
  limitedForMs(): Promise<number>;
  /** Priority of the next job, or of one that runs if none waits; 0 when there is none. */
  firstPriority(): Promise<number>;
  depth(): Promise<QueueDepth>;
  /** Reads jobs: for people, not for each step of an import. */
  inspect(): Promise<QueueInspection>;
  workers(): Promise<number>;
  close(): Promise<void>;
}

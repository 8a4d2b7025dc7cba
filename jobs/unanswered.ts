import type { CallRecord } from '../src/imports/record/batch-result.ts';
import { counted, utcTime } from '../src/text/wording.ts';

/** Decides how a job continues whose call was not answered. */
interface Unanswered {
  /** The wait in ms, which uses no attempt. Absent: an attempt is used. */
  readonly waitMs?: number;
  /** The time at which another call of the region was last answered, in ms since 1970. */
  readonly answeredAt?: number | null;
}

/** Hears of every call that is to be repeated, before it is. */
export type UnansweredListener = (jobId: string, verdict: UnansweredCall, at: number) => Promise<Unanswered>;

interface UnansweredCall {
  readonly kind: string;
  readonly code: string;
  readonly message: string;
  readonly httpStatus: number | null;
}

/** Message for a batch that got no answer until its last attempt. */
export function unansweredMessage(calls: readonly CallRecord[], answeredAt: number, message: string): string {
  const unanswered = calls.filter(({ kind }) => kind === 'again');
  const since = unanswered[0]?.at ?? 0;
  const others = answeredAt >= since ? ', while other calls of the region were answered' : '';
  return `${counted(unanswered.length, 'call')} since ${utcTime(since)} got no usable answer${others}; the last one: ${message}`;
}

/** The starts that a batch's payload records. */
interface Starts {
  /** Calls whose end is known. */
  readonly calls: readonly unknown[];
  /** Starts without a call. */
  readonly handedBack: number;
}

/**
 * Returns the reason why an earlier call for a batch may have been carried out; null when none can have been.
 * @param starts of its job, without the one that runs now
 */
export function uncertaintyOf(batch: Starts & { readonly uncertainty: string | null }, starts: number): string | null {
  return batch.uncertainty ?? (unexplainedStarts(batch, starts) > 0 ? 'a worker ended in the middle of it' : null);
}

/** Returns the phrase that explains why an outcome may not be that of the last call. */
export function maybeEarlier(uncertainty: string | null): string {
  return `it may be by an earlier call: ${uncertainty}`;
}

/** After this many starts that left neither a recorded call nor a result, a batch is not tried any more. */
export const MAX_DEATHS = 10;

/** Whether it keeps ending its workers. @param starts with the one that runs now */
export function endsWorkers(batch: Starts, starts: number): boolean {
  return unexplainedStarts(batch, starts) > MAX_DEATHS;
}

/** Starts after which a worker neither finished the batch nor handed it back. */
function unexplainedStarts({ calls, handedBack }: Starts, starts: number): number {
  return starts - calls.length - handedBack;
}

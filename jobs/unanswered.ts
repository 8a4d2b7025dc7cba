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

/** A rate limit as BullMQ takes it: at most `max` job starts in `duration` ms. */
export interface LimitWindow {
  readonly max: number;
  readonly duration: number;
}

/** Length of a limiter window in ms. Short windows do not burst. Each loses about 1 ms, which is on the safe side. */
const WINDOW_MS = 48;

/**
 * The window for a budget of calls per minute. 10,000 becomes 8 calls in 48 ms, 500 becomes 1 call in 120 ms.
 * BullMQ's windows are fixed: {10000, 60000} would send a whole minute's budget in its first second.
 */
export function limitWindow(callsPerMinute: number): LimitWindow {
  const perMs = callsPerMinute / 60_000;
  const max = Math.max(1, Math.round(perMs * WINDOW_MS));
  return { max, duration: Math.max(1, Math.ceil(max / perMs)) };
}

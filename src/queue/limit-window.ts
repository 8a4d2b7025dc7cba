/** At most `max` job starts in `duration` ms. */
export type LimitWindow = ReturnType<typeof limitWindow>;

/** Length of a limiter window in ms. Short windows do not burst. Each loses about 1 ms, which is on the safe side. */
const WINDOW_MS = 48;

/**
 * 10,000 calls per minute become 8 calls in 48 ms, 500 become 1 call in 120 ms.
 * BullMQ's windows are fixed: {10000, 60000} would send a whole minute's budget in its first second.
 */
export function limitWindow(callsPerMinute: number) {
  const perMs = callsPerMinute / 60_000;
  const max = Math.max(1, Math.round(perMs * WINDOW_MS));
  return { max, duration: Math.max(1, Math.ceil(max / perMs)) };
}

/**
 * Gap between two windows, as part of a window. On average a queue stays that much below its limit, so that no minute of
 * the service, which begins at another time than ours, holds more than the budget.
 */
const RESERVE = 0.01;

/**
 * Maximum delay of a window that still counts from the time at which it could have opened, in ms: now and then a
 * process is busy for longer than a window. Less than the reserve of a minute, so that catching up stays within the
 * budget.
 */
const CATCH_UP_MS = 400;

/**
 * The rate limit of the embedded queue: so many job starts in each window. In Redis a window begins with its first job, and
 * the time by which a worker comes late is lost. Here that time is made up. Times are in ms by a clock that is never set back.
 */
export class RateLimit {
  #starts = 0;
  #until = Number.NEGATIVE_INFINITY;

  /** Returns the earliest start of a job: in the past if fewer than `max` have started in this window. */
  opensAt(max: number): number {
    return this.#starts >= max ? this.#until : Number.NEGATIVE_INFINITY;
  }

  /** Counts a start. The first one opens a window of `duration` ms, in which `max` may follow. */
  count(now: number, duration: number, max: number): void {
    const late = now - this.#until;
    if (late >= CATCH_UP_MS || (late >= 0 && this.#starts >= max)) {
      const earliest = this.#until + duration * RESERVE;
      this.#until = (now - earliest < CATCH_UP_MS ? earliest : now) + duration;
      this.#starts = 0;
    }
    this.#starts += 1;
  }

  /** Lets nothing start before this time, or before the window ends if that is later. */
  hold(until: number): void {
    this.#starts = Number.MAX_SAFE_INTEGER;
    this.#until = Math.max(this.#until, until);
  }

  lift(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }
}

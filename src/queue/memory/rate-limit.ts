/**
 * Part of a window that passes between two of them. On average a queue stays that much below its limit, so that a minute
 * of ours, which begins elsewhere than a minute of the service, never holds more than the budget.
 */
const RESERVE = 0.01;

/**
 * The rate limit of a queue, in BullMQ's windows: so many job starts in each. In Redis a window begins with its first job,
 * and what a worker comes late is lost. Here one that opens late, by less than its length, counts from when it could have
 * opened: workers of a busy process come late often. Times in ms since 1970.
 */
export class RateLimit {
  #starts = 0;
  #until = 0;

  /** Ms until a job may start: 0 when fewer than `max` have in this window. */
  reached(max: number, now: number): number {
    return this.#starts >= max ? this.leftMs(now) : 0;
  }

  /** Counts a start; the first one opens a window of `duration` ms. */
  count(now: number, duration: number): void {
    if (this.leftMs(now) === 0) {
      const length = Math.floor(Math.abs(duration));
      const earliest = this.#until + length * RESERVE;
      this.#until = (now - earliest < length ? earliest : now) + length;
      this.#starts = 0;
    }
    this.#starts += 1;
  }

  /** Whole ms until the window ends; 0 when there is none. */
  leftMs(now: number): number {
    return Math.max(0, Math.ceil(this.#until - now));
  }

  /** Lets nothing start for `ms` from now, however long the window was. */
  hold(ms: number, now: number): void {
    this.#starts = Number.MAX_SAFE_INTEGER;
    this.#until = now + ms;
  }

  /** Ends the window. @returns whether there was one */
  lift(now: number): boolean {
    const held = this.leftMs(now) > 0;
    this.#until = 0;
    return held;
  }
}

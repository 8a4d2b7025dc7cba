/**
 * Gap between two windows, as part of a window. On average a queue stays that much below its limit, so that no minute of
 * the service, which begins at another time than ours, holds more than the budget.
 */
const RESERVE = 0.01;

/**
 * How late a window may open, in ms, and still count from when it could have opened: now and then a process is busy for
 * longer than a window. Less than the reserve of a minute, so that catching up stays within the budget.
 */
const CATCH_UP_MS = 400;

/**
 * The rate limit of a queue, in BullMQ's windows: so many job starts in each. In Redis a window begins with its first job,
 * and the time by which a worker comes late is lost. Here that time is made up. Times in ms since 1970.
 */
export class RateLimit {
  #starts = 0;
  #until = 0;
  #seen = 0;

  /** Ms until a job may start: 0 when fewer than `max` have in this window. */
  reached(max: number, now: number): number {
    return this.#starts >= max ? this.leftMs(now) : 0;
  }

  /** Counts a start. The first one opens a window of `duration` ms, in which `max` may follow. */
  count(now: number, duration: number, max: number): void {
    this.#follow(now);
    const late = now - this.#until;
    if (late >= CATCH_UP_MS || (late >= 0 && this.#starts >= max)) {
      const length = Math.floor(Math.abs(duration));
      const earliest = this.#until + length * RESERVE;
      this.#until = (now - earliest < CATCH_UP_MS ? earliest : now) + length;
      this.#starts = 0;
    }
    this.#starts += 1;
  }

  /** Whole ms until the window ends; 0 when there is none. */
  leftMs(now: number): number {
    this.#follow(now);
    return Math.max(0, Math.ceil(this.#until - now));
  }

  /** Lets nothing start for `ms` from now, however long the window was. */
  hold(ms: number, now: number): void {
    this.#follow(now);
    this.#starts = Number.MAX_SAFE_INTEGER;
    this.#until = now + ms;
  }

  /** Ends the window. @returns whether there was one */
  lift(now: number): boolean {
    const held = this.leftMs(now) > 0;
    this.#until = 0;
    return held;
  }

  /** Where the clock of the machine was set back, the window ends that much earlier: nothing waits until the clock has caught up. */
  #follow(now: number): void {
    if (now < this.#seen) this.#until -= this.#seen - now;
    this.#seen = now;
  }
}

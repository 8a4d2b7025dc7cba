/** The rate limit of a queue: job starts in the current window, which begins with its first. Times in ms since 1970. */
export class RateLimit {
  #starts = 0;
  #until = 0;

  /** Ms until a job may start: 0 when fewer than `max` have in this window. */
  reached(max: number, now: number): number {
    const left = this.leftMs(now);
    return left > 0 && this.#starts >= max ? left : 0;
  }

  /** Counts a start; the first one opens a window of `duration` ms. */
  count(now: number, duration: number): void {
    if (this.leftMs(now) === 0) {
      this.#starts = 0;
      this.#until = now + Math.floor(Math.abs(duration));
    }
    this.#starts += 1;
  }

  /** Ms until the window ends; 0 when there is none. */
  leftMs(now: number): number {
    return Math.max(0, this.#until - now);
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

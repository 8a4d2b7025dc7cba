import type { Behaviour } from './behaviour.ts';

/** Calls that an app may make in each window; windows are fixed and start at multiples of their length. */
export interface RateLimit {
  readonly calls: number;
  readonly perMs: number;
}

/** Documented for the kind of operation that add members is, per app. */
export const DEFAULT_RATE_LIMIT: RateLimit = { calls: 10_000, perMs: 60_000 };

export type Headers = Readonly<Record<string, string | number>>;

/** Counts the calls of one app in the present window. */
export class RateWindow {
  readonly #limit: RateLimit;
  readonly #spelling: Behaviour['rateHeaders'];
  #window = -1;
  #used = 0;

  constructor(limit: RateLimit, spelling: Behaviour['rateHeaders']) {
    this.#limit = limit;
    this.#spelling = spelling;
  }

  /** Takes one call of the window at `now` (ms since 1970), if one is left. The headers belong on the reply either way. */
  take(now: number): { limited: boolean; headers: Headers } {
    const { calls, perMs } = this.#limit;
    const window = Math.floor(now / perMs);
    if (window !== this.#window) {
      this.#window = window;
      this.#used = 0;
    }
    const limited = this.#used >= calls;
    if (!limited) this.#used += 1;
    const headers = this.#headers(calls, calls - this.#used);
    return limited
      ? { limited, headers: { ...headers, ...this.refusal((window + 1) * perMs, now) } }
      : { limited, headers };
  }

  /**
   * Returns the additional headers of a 429: the time from which calls are taken again (ms since 1970), rounded up to
   * whole seconds.
   */
  refusal(resetAt: number, now: number): Headers {
    const reset = Math.ceil(resetAt / 1000);
    const name = this.#spelling === 'X-Rate-Limit' ? 'X-Rate-Limit-Reset' : 'X-RateLimit-Reset';
    return { 'Retry-After': Math.max(1, Math.ceil((resetAt - now) / 1000)), [name]: reset };
  }

  #headers(limit: number, remaining: number): Headers {
    return this.#spelling === 'X-Rate-Limit'
      ? { 'X-Rate-Limit': limit, 'X-Rate-Limit-Remaining': remaining }
      : { 'X-RateLimit-Limit': limit, 'X-RateLimit-Remaining': remaining };
  }
}

/** Waits after a 429 that does not say how long, in ms: the first one, and the longest. */
const FIRST_MS = 1_000;
const MAX_MS = 60_000;

/** The waits of one region after such replies: each is twice as long as the one before, until a call is answered. */
export interface UntoldWaits {
  /** Returns the wait in ms. Calls that were in flight together get the same one. */
  next(): number;
  /** A call that began at `at` (ms since 1970) was answered. */
  answered(at: number): void;
}

export function untoldWaits(now: () => number = Date.now): UntoldWaits {
  let lastMs = 0;
  let until = 0;
  return {
    next: () => {
      const left = until - now();
      // A clock that was set back makes nothing wait longer.
      if (left > 0 && left <= lastMs) return left;
      lastMs = Math.min(MAX_MS, Math.max(FIRST_MS, lastMs * 2));
      until = now() + lastMs;
      return lastMs;
    },
    answered: (at) => {
      if (at >= until) lastMs = 0;
    },
  };
}

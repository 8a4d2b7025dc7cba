/**
 * Counts of the requests for one region since the start: requests = the sum of byStatus + unanswered + those still
 * open.
 */
export interface Traffic {
  readonly requests: number;
  /** Answers by status; one that a fault cut off or changed counts with its status. */
  readonly byStatus: Readonly<Record<number, number>>;
  /** Calls over the rate limit, among those with 429; the 429 of a fault does not count. */
  readonly rateLimited: number;
  /** Calls whose connection ended without an answer. */
  readonly unanswered: number;
  /** Most calls that were open at one moment; without latency this is hardly ever more than 1. */
  readonly maxConcurrent: number;
}

/** Counts the calls of one region; is itself the live Traffic. */
export class TrafficCounter implements Traffic {
  requests = 0;
  byStatus: Record<number, number> = {};
  rateLimited = 0;
  unanswered = 0;
  maxConcurrent = 0;
  #open = 0;

  arrived(): void {
    this.requests += 1;
    this.#open += 1;
    this.maxConcurrent = Math.max(this.maxConcurrent, this.#open);
  }

  /** @param status undefined for a call that got no answer */
  ended(status: number | undefined): void {
    this.#open -= 1;
    if (status === undefined) this.unanswered += 1;
    else this.byStatus[status] = (this.byStatus[status] ?? 0) + 1;
  }
}

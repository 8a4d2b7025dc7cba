import type { BatchPayload } from '../../../jobs/send-batch.ts';
import type { Rate } from '../../chat/rate-headers.ts';
import type { JobQueue } from '../../queue/job-queue.ts';

/** Another process may have changed the budget (a restarted coordinator): it is compared again after this time, in ms. */
const COMPARE_MS = 2_000;
/** Wait when other programs have used up the share that is left to them, in ms; replies do not say when the minute ends. */
const ROOM_MS = 1_000;
/** A budget is cut into short windows, which rounds it: differences up to this share do not count. */
const ROUNDING = 0.02;
/** The weight of one call in what is known of the last ones: some hundred. */
const CALL_WEIGHT = 0.02;
/** Operations whose calls are so few are forgotten. */
const MIN_WEIGHT = CALL_WEIGHT / 10;
/** A budget that gets fewer of the calls counts as if it got this share: who stops reading may send at once. */
const MIN_PART = 0.5;
/** Differences up to this share of the calls are not news. */
const NEWS = 0.05;

type Budget = Pick<JobQueue<BatchPayload>, 'callsPerMinute' | 'setCallsPerMinute' | 'slowDown'>;

/**
 * Returns the function that divides all calls among budgets of single operations (docs/chat-service.md, 39): the
 * replies of reading have another limit than those of sending. As the queue gives calls out in turns, each budget is
 * used by its part of the calls. Operations with the same limit share one budget.
 */
function separateBudgets(): (operation: string, limit: number, allowedOf: (limit: number) => number) => number {
  const operations = new Map<string, { limit: number; weight: number }>();
  return (operation, limit, allowedOf) => {
    for (const [name, seen] of operations) {
      seen.weight *= 1 - CALL_WEIGHT;
      if (seen.weight < MIN_WEIGHT) operations.delete(name);
    }
    operations.set(operation, { limit, weight: (operations.get(operation)?.weight ?? 0) + CALL_WEIGHT });
    const weights = new Map<number, number>();
    let all = 0;
    for (const { limit: of, weight } of operations.values()) {
      weights.set(of, (weights.get(of) ?? 0) + weight);
      all += weight;
    }
    // Calls that are not known yet may belong to any budget.
    const partOf = (weight: number) => Math.max(weight + 1 - all, MIN_PART);
    return Math.round(Math.min(...[...weights].map(([of, weight]) => allowedOf(of) / partOf(weight))));
  };
}

/**
 * Follows what replies say about the rate limit. Without a share, the budget is the configured one, and is only lowered
 * if the service allows less. With a share, it is that share of the service's limit, and the rest stays free for others:
 * if they use more than that, nothing is sent for a moment. `operation` says what was called.
 */
export function budgetWatch(
  queue: Budget,
  onError: (error: Error) => void,
): (rate: Pick<Rate, 'limit' | 'remaining'>, share: number | undefined, operation: string) => void {
  const together = separateBudgets();
  let comparedAt = Number.NEGATIVE_INFINITY;
  let last = Number.POSITIVE_INFINITY;
  let waitsUntil = 0;

  const leaveRoom = (limit: number, allowed: number, remaining: number): void => {
    const now = performance.now();
    if (remaining >= limit - allowed || now < waitsUntil) return;
    waitsUntil = now + ROOM_MS;
    queue.slowDown(ROOM_MS).catch(onError);
  };

  return ({ limit, remaining }, share, operation) => {
    if (limit === undefined || limit < 1) return;
    const allowedOf = (of: number) => (share === undefined ? of : Math.max(1, Math.floor((of * share) / 100)));
    if (share !== undefined && remaining !== undefined) leaveRoom(limit, allowedOf(limit), remaining);
    const allowed = together(operation, limit, allowedOf);
    const now = performance.now();
    const isNews = share === undefined ? allowed < last * (1 - NEWS) : !(Math.abs(allowed - last) <= last * NEWS);
    if (!isNews && now - comparedAt < COMPARE_MS) return;
    comparedAt = now;
    last = allowed;
    queue
      .callsPerMinute()
      .then(async (set) => {
        const tooMuch = set === undefined || set > allowed;
        const differs = set !== undefined && Math.abs(set - allowed) > allowed * ROUNDING;
        if (share === undefined ? tooMuch : set === undefined || differs) await queue.setCallsPerMinute(allowed);
      })
      .catch(onError);
  };
}

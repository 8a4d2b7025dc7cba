import type { BatchPayload } from '../../../jobs/send-batch.ts';
import type { Rate } from '../../chat/rate-headers.ts';
import type { JobQueue } from '../../queue/job-queue.ts';

/** Another process may have changed the budget (a restarted coordinator): it is compared again after this time, in ms. */
const COMPARE_MS = 2_000;
/** Wait when other programs have used up the share that is left to them, in ms; replies do not say when the minute ends. */
const ROOM_MS = 1_000;
/** A budget is cut into short windows, which rounds it: differences up to this share do not count. */
const ROUNDING = 0.02;

type Budget = Pick<JobQueue<BatchPayload>, 'callsPerMinute' | 'setCallsPerMinute' | 'slowDown'>;

/**
 * Follows what replies say about the rate limit. Without a share, the budget is the configured one, and is only lowered
 * if the service allows less. With a share, it is that share of the service's limit, and the rest stays free for others:
 * if they use more than that, nothing is sent for a moment.
 */
export function budgetWatch(
  queue: Budget,
  onError: (error: Error) => void,
): (rate: Pick<Rate, 'limit' | 'remaining'>, share: number | undefined) => void {
  let comparedAt = Number.NEGATIVE_INFINITY;
  let last = Number.POSITIVE_INFINITY;
  let waitsUntil = 0;

  const leaveRoom = (limit: number, allowed: number, remaining: number): void => {
    const now = performance.now();
    if (remaining >= limit - allowed || now < waitsUntil) return;
    waitsUntil = now + ROOM_MS;
    queue.slowDown(ROOM_MS).catch(onError);
  };

  return ({ limit, remaining }, share) => {
    if (limit === undefined || limit < 1) return;
    const allowed = share === undefined ? limit : Math.max(1, Math.floor((limit * share) / 100));
    if (share !== undefined && remaining !== undefined) leaveRoom(limit, allowed, remaining);
    const now = performance.now();
    const isNews = share === undefined ? allowed < last : allowed !== last;
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

import { MAX_BACKOFF_MS } from '../../chat/error-policy.ts';
import type { Region } from '../../membership/membership.ts';
import { type Repeated, repeatedly } from '../../platform/repeatedly.ts';
import type { JobQueue, QueueDepth } from '../../queue/job-queue.ts';
import { WORKER_DEATH_NOTICED_MS } from '../../queue/job-worker.ts';
import type { RunningImport } from './dispatcher.ts';
import { depthOf } from './lists-queue.ts';
import type { OpenRegion } from './region.ts';

interface LossWatchOptions {
  /** Queues that bring results and answers: what is in them is not lost. */
  readonly results: readonly Pick<JobQueue<unknown>, 'depth'>[];
  readonly regions: () => Promise<readonly OpenRegion[]>;
  /** Everything that may have jobs in flight. */
  readonly imports: () => readonly Pick<RunningImport, 'inFlightIn' | 'isWithdrawing' | 'resend'>[];
  readonly onError: (error: Error) => void;
}

const CHECK_MS = 2_000;
/** The slowest living job, in ms: three times, its worker dies, that is noticed, and the longest backoff passes. */
const UNANSWERED_MS = 3 * (WORKER_DEATH_NOTICED_MS + MAX_BACKOFF_MS);
/** Longest call, in ms: connecting, headers and body each have their limit (chat/connection.ts). */
const MAX_CALL_MS = 60_000;
/**
 * A paused import withdraws its batches again and again, so that only started calls stay in flight. After this time, in ms,
 * their workers are dead, whatever the server says: a machine that lost power keeps its connection for minutes.
 */
export const LEFT_MS = MAX_CALL_MS + WORKER_DEATH_NOTICED_MS;

/**
 * A shared queue can lose jobs: it is wiped, it restarts without its file, or a job stalls too often. The ledger knows which
 * batches are in flight, so they are queued again: at once when the queue is empty, otherwise after a time in which every
 * living job has had a result.
 */
export function watchForLosses({ results, regions, imports, onError }: LossWatchOptions): Repeated {
  /** Regions whose queue was empty at the last check although batches were in flight. */
  const suspicious = new Set<string>();
  /** Regions that imports want to leave and that have no worker, and since when, in ms. */
  const deserted = new Map<Region, number>();
  /** Imports that want to leave a region, and since when, in ms. */
  const leaving = new Map<string, WeakMap<object, number>>();

  const withdrawingSince = (one: Pick<RunningImport, 'isWithdrawing'>, region: Region): number => {
    const since = leaving.get(region) ?? new WeakMap<object, number>();
    leaving.set(region, since);
    if (!one.isWithdrawing(region)) since.delete(one);
    else if (!since.has(one)) since.set(one, Date.now());
    return since.get(one) ?? Number.POSITIVE_INFINITY;
  };

  /** Whether a region has had no worker for so long that no call can be in flight any more. */
  const isDeserted = async ({ region, queue }: OpenRegion, leaving: boolean): Promise<boolean> => {
    if (!leaving || (await queue.workers()) > 0) deserted.delete(region);
    else if (!deserted.has(region)) deserted.set(region, Date.now());
    return Date.now() - (deserted.get(region) ?? Date.now()) >= WORKER_DEATH_NOTICED_MS;
  };

  const check = async (): Promise<void> => {
    const returning = jobsIn(await Promise.all(results.map((queue) => queue.depth())));
    for (const opened of await regions()) {
      const { region, keepBudget } = opened;
      await keepBudget();
      const out = imports().filter((one) => one.inFlightIn(region) > 0);
      if (out.length === 0) continue;
      const empty = returning + jobsIn([await depthOf(opened)]) === 0;
      // Once may be the moment between a result and its recording; twice in a row means that jobs are lost.
      const lost = empty && suspicious.has(region);
      if (empty && !lost) suspicious.add(region);
      else suspicious.delete(region);
      const abandoned = await isDeserted(
        opened,
        out.some((one) => one.isWithdrawing(region)),
      );
      for (const one of out) {
        const left = Date.now() - withdrawingSince(one, region) >= LEFT_MS;
        const before =
          lost || left || (abandoned && one.isWithdrawing(region))
            ? Number.POSITIVE_INFINITY
            : Date.now() - UNANSWERED_MS;
        await one.resend(region, before, 'it was queued, but no result arrived');
      }
    }
  };

  // A program that waits for its imports must not end because nothing else is open at the moment.
  return repeatedly(CHECK_MS, onError, check, true);
}

function jobsIn(depths: readonly QueueDepth[]): number {
  return depths.reduce((sum, { waiting, active, delayed }) => sum + waiting + active + delayed, 0);
}

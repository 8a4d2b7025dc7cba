import { askService } from '../../../jobs/ask-service.ts';
import type { Region } from '../../membership/membership.ts';
import { type Repeated, repeatedly } from '../../platform/repeatedly.ts';
import type { JobQueue } from '../../queue/job-queue.ts';
import { WORKER_DEATH_NOTICED_MS } from '../../queue/job-worker.ts';
import { BATCH_JOBS } from './batch-jobs.ts';
import type { RunningImport } from './dispatcher.ts';
import type { OpenRegion } from './region.ts';
import { jobsIn } from './region-queues.ts';

type Watched = Pick<RunningImport, 'jobsIn' | 'isWithdrawing' | 'resend'>;

interface LossWatchOptions {
  /** Queues that bring results and answers: what is in them is not lost. */
  readonly results: readonly Pick<JobQueue<unknown>, 'depth'>[];
  readonly regions: () => Promise<readonly OpenRegion[]>;
  /** Everything that may have jobs in flight: the questions too. */
  readonly imports: () => readonly Watched[];
  readonly onError: (error: Error) => void;
}

const CHECK_MS = 2_000;
/** A job that is gone for so long, in ms, has no result that is on its way. */
const GONE_MS = 20_000;
/** Longest call, in ms: connecting, headers and body each have their limit (chat/connection.ts). */
const MAX_CALL_MS = 60_000;
/**
 * A paused import withdraws its batches again and again, so that only started calls stay in flight. After this time, in ms,
 * their workers are dead, whatever the server says: a machine that lost power keeps its connection for minutes.
 */
export const LEFT_MS = MAX_CALL_MS + WORKER_DEATH_NOTICED_MS;

const KINDS = [...BATCH_JOBS, askService];

/**
 * A shared queue can lose jobs, or what they hold: it is wiped, it restarts without its file, memory is short, a job stalls
 * too often, another program writes there. The process that waits for jobs knows them, so it looks for them, and queues them again where
 * they are gone. A job that has run is gone too, while its result is on its way: it is looked for twice, and no result may wait.
 */
export function watchForLosses({ results, regions, imports, onError }: LossWatchOptions): Repeated {
  /** Jobs that were gone at the last check, and since when, in ms. */
  let gone = new Map<string, number>();
  /** Regions whose queue stands still. */
  const still = stopwatch();
  /** Regions that imports want to leave and that have no worker: after a while, no call can be in flight any more. */
  const deserted = stopwatch();
  /** Imports that want to leave a region. */
  const leaving = new WeakMap<Watched, ReturnType<typeof stopwatch>>();

  const check = async (): Promise<void> => {
    const areOnTheirWay = jobsIn(await Promise.all(results.map((queue) => queue.depth()))) > 0;
    const before = gone;
    gone = new Map();
    for (const { region, keepBudget, queue, lists, silent } of await regions()) {
      await keepBudget();
      const out = imports().filter((one) => one.jobsIn(region).length > 0);
      if (out.length === 0) continue;
      const isLeft = out.some((one) => one.isWithdrawing(region));
      // A queue that goes back in time may be stopped once more, for a reason that is over: the next call says whether it is.
      if (still(region, !isLeft && (await queue.isPaused())) >= GONE_MS) await queue.resume();
      const isDeserted = deserted(region, isLeft && (await queue.workers()) === 0) >= WORKER_DEATH_NOTICED_MS;
      for (const one of out) {
        const nowhere = await lists.lost(await queue.lost(one.jobsIn(region), KINDS), KINDS);
        const missing = nowhere.length === 0 ? nowhere : await silent.lost(nowhere, KINDS);
        // Asked only now: the import may have been resumed meanwhile.
        const isWithdrawing = one.isWithdrawing(region);
        const leavingFor = leaving.get(one) ?? stopwatch();
        leaving.set(one, leavingFor);
        const all = leavingFor(region, isWithdrawing) >= LEFT_MS || (isDeserted && isWithdrawing);
        const lost = new Set<string>();
        for (const id of missing) {
          const since = before.get(id);
          gone.set(id, since ?? Date.now());
          if (since !== undefined && (!areOnTheirWay || Date.now() - since >= GONE_MS)) lost.add(id);
        }
        if (all || lost.size > 0) await one.resend(region, all ? 'all' : lost, 'it was queued, but no result arrived');
      }
    }
  };

  // A program that waits for its imports must not end because nothing else is open at the moment.
  return repeatedly(CHECK_MS, onError, check, true);
}

/** Returns a function that says how long something has been so in a region, in ms since it was first told so. */
function stopwatch() {
  const since = new Map<Region, number>();
  return (region: Region, isSo: boolean): number => {
    const at = since.get(region) ?? Date.now();
    if (isSo) since.set(region, at);
    else since.delete(region);
    return isSo ? Date.now() - at : 0;
  };
}

import { askService } from '../../../jobs/ask-service.ts';
import type { Region } from '../../membership/membership.ts';
import { type Repeated, repeatedly } from '../../platform/repeatedly.ts';
import type { JobQueue, QueueDepth } from '../../queue/job-queue.ts';
import { WORKER_DEATH_NOTICED_MS } from '../../queue/job-worker.ts';
import { sumOf } from '../../text/wording.ts';
import { BATCH_JOBS } from './batch-jobs.ts';
import type { RunningImport } from './dispatcher.ts';
import type { OpenRegion } from './region.ts';

/** A party that has jobs in flight. */
type Watched = Pick<RunningImport, 'jobsIn' | 'isWithdrawing' | 'resend'>;

interface LossWatchOptions {
  /** Queues that bring results and answers: what is in them is not lost. */
  readonly results: readonly Pick<JobQueue<unknown>, 'depth'>[];
  readonly regions: () => Promise<readonly OpenRegion[]>;
  /** Everything that may have jobs in flight. */
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
  /** Regions whose queue stands still, and since when, in ms. */
  const still = new Map<Region, number>();
  /** Regions that imports want to leave and that have no worker, and since when, in ms. */
  const deserted = new Map<Region, number>();
  /** Imports that want to leave a region, and since when, in ms. */
  const leaving = new Map<string, WeakMap<object, number>>();

  const withdrawingSince = (one: Watched, region: Region): number => {
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
    return lastsFor(deserted.get(region), WORKER_DEATH_NOTICED_MS);
  };

  /** A queue that goes back in time may be stopped once more, for a reason that is over: the next call says whether it is. */
  const keepGoing = async ({ region, queue }: OpenRegion, isLeft: boolean): Promise<void> => {
    if (isLeft || !(await queue.isPaused())) still.delete(region);
    else if (!still.has(region)) still.set(region, Date.now());
    else if (lastsFor(still.get(region), GONE_MS)) await queue.resume();
  };

  const check = async (): Promise<void> => {
    const areOnTheirWay = jobsIn(await Promise.all(results.map((queue) => queue.depth()))) > 0;
    const before = gone;
    gone = new Map();
    for (const opened of await regions()) {
      const { region, keepBudget, queue, lists, silent } = opened;
      await keepBudget();
      const out = imports().filter((one) => one.jobsIn(region).length > 0);
      if (out.length === 0) continue;
      const isLeft = out.some((one) => one.isWithdrawing(region));
      await keepGoing(opened, isLeft);
      const abandoned = await isDeserted(opened, isLeft);
      for (const one of out) {
        const left = Date.now() - withdrawingSince(one, region) >= LEFT_MS;
        const nowhere = await lists.lost(await queue.lost(one.jobsIn(region), KINDS), KINDS);
        const missing = nowhere.length === 0 ? nowhere : await silent.lost(nowhere, KINDS);
        for (const id of missing) gone.set(id, before.get(id) ?? Date.now());
        const isLost = (id: string) => before.has(id) && (!areOnTheirWay || lastsFor(before.get(id), GONE_MS));
        const lost = left || (abandoned && one.isWithdrawing(region)) ? 'all' : new Set(missing.filter(isLost));
        if (lost === 'all' || lost.size > 0) await one.resend(region, lost, 'it was queued, but no result arrived');
      }
    }
  };

  // A program that waits for its imports must not end because nothing else is open at the moment.
  return repeatedly(CHECK_MS, onError, check, true);
}

/** @param since in ms since 1970; undefined: it is not so */
function lastsFor(since: number | undefined, ms: number): boolean {
  return since !== undefined && Date.now() - since >= ms;
}

function jobsIn(depths: readonly QueueDepth[]): number {
  return sumOf(depths.map(({ waiting, active, delayed }) => waiting + active + delayed));
}

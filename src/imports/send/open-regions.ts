import type { CircuitStatus } from '../../api/region-status.ts';
import type { Region } from '../../membership/membership.ts';
import { type Repeated, repeatedly } from '../../platform/repeatedly.ts';
import type { QueueInspection } from '../../queue/job-queue.ts';
import { closeWithin } from '../../queue/job-worker.ts';
import { AHEAD, BACKLOG, createFairQueue, type FairQueue } from './fair-queue.ts';
import type { OpenRegion } from './region.ts';

/**
 * The regions that imports have used so far, each opened once; one that could not be opened is tried again.
 * @param count regions that share the backlog
 * @param workersEnd whether workers end with this process
 * @param perGroup most batches in flight that change one group
 */
export function createOpenRegions(
  openRegion: (region: Region) => Promise<OpenRegion>,
  count: number,
  workersEnd: boolean,
  perGroup: number,
) {
  const regions = new Map<Region, Promise<OpenRegion>>();
  const fairQueues = new Map<OpenRegion['queue'], FairQueue>();
  const open = (region: Region): Promise<OpenRegion> => {
    const known = regions.get(region);
    if (known !== undefined) return known;
    const opening = openRegion(region);
    regions.set(region, opening);
    // The next import may find what was missing, and the other regions are not affected.
    opening.catch(() => regions.delete(region));
    return opening;
  };
  /** Rejects if one of them cannot be opened. */
  const all = () => Promise.all(regions.values());
  const working = async (): Promise<OpenRegion[]> =>
    (await Promise.allSettled(regions.values())).flatMap((opened) =>
      opened.status === 'fulfilled' ? [opened.value] : [],
    );
  return {
    open,
    /** The fair queue of a region's queue, which has a fixed part of the backlog. */
    fairQueueOf: (queue: OpenRegion['queue']) => {
      const ahead = workersEnd ? AHEAD : Number.POSITIVE_INFINITY;
      const known = fairQueues.get(queue) ?? createFairQueue(queue, Math.floor(BACKLOG / count), ahead, perGroup);
      fairQueues.set(queue, known);
      return known;
    },
    all,
    /** Lets a region send again, with the key that the settings say now. */
    resume: async (region: Region) => {
      const { queue, worker } = await open(region);
      worker?.renewKey();
      if (await queue.isPaused()) await queue.resume();
    },
    status: async () => Promise.all((await all()).map((one) => one.status(fairQueues.get(one.queue)?.groups.full()))),
    inspect: async (): Promise<ReadonlyMap<Region, QueueInspection>> => {
      const inspected = (await all()).map(async ({ region, queue }) => [region, await queue.inspect()] as const);
      return new Map(await Promise.all(inspected));
    },
    /** Whether the service takes a call of the region with its key, where this process makes them. */
    takesCalls: async (region: Region) => (await (await open(region)).worker?.takesCalls()) ?? false,
    /** Reads keys from the settings again; returns the regions whose key has changed. */
    renewKeys: async (wanted: ReadonlySet<Region>) =>
      (await all()).flatMap(({ region, worker }) => (wanted.has(region) && worker?.renewKey() ? region : [])),
    /** Those that could be opened begin no more calls; calls in flight are given up after `deadlineMs`. */
    stopWorking: async (deadlineMs: number) =>
      closeWithin(
        deadlineMs,
        (await working()).flatMap(({ worker }) => worker ?? []),
      ),
    close: async () => {
      await Promise.all((await working()).map((one) => one.close()));
    },
  };
}

/** Interval between two readings of the circuits, in ms: one short read of the queue for each region. */
const READ_MS = 1_000;

/** Tells when the circuit of a region opens or closes, in this process or another. Half-open counts as open. */
export function watchCircuits(
  regions: () => Promise<readonly Pick<OpenRegion, 'region' | 'circuit'>[]>,
  on: {
    /** With each reading. */
    readonly seen: (region: Region, status: CircuitStatus, now: number) => void;
    readonly changed: (region: Region, status: CircuitStatus) => void;
  },
  onError: (error: Error) => void,
  everyMs = READ_MS,
): Repeated {
  const open = new Set<Region>();
  return repeatedly(everyMs, onError, async () => {
    for (const { region, circuit } of await regions()) {
      const status = await circuit();
      on.seen(region, status, Date.now());
      const isOpen = status.state !== 'closed';
      if (isOpen === open.has(region)) continue;
      if (isOpen) open.add(region);
      else open.delete(region);
      on.changed(region, status);
    }
  });
}

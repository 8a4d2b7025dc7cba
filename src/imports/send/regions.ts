import type { RegionStatus } from '../../api/regions.ts';
import type { Region } from '../../membership/membership.ts';
import { BACKLOG, createFairQueue, type FairQueue } from './fair-queue.ts';
import type { RegionLine } from './region.ts';

/** The regions that imports have used so far, each opened once. */
export interface RegionLines {
  open(region: Region): Promise<RegionLine>;
  /** The fair queue of a region, which has a fixed part of the backlog. */
  fairQueueOf(line: RegionLine): FairQueue;
  /** Rejects when one could not be opened. */
  all(): Promise<RegionLine[]>;
  /** Lets a region send again, with the key that the settings say now. */
  resume(region: Region): Promise<void>;
  status(): Promise<RegionStatus[]>;
  /** Reads keys from the settings again; returns the regions whose key has changed. */
  renewKeys(wanted: ReadonlySet<Region>): Promise<Region[]>;
  /** Those that could be opened begin no more calls; calls in flight are given up after `deadlineMs`. */
  stopWorking(deadlineMs: number): Promise<void>;
  close(): Promise<void>;
}

/** @param count regions that share the backlog */
export function createRegionLines(openLine: (region: Region) => Promise<RegionLine>, count: number): RegionLines {
  const lines = new Map<Region, Promise<RegionLine>>();
  const fairQueues = new Map<Region, FairQueue>();
  const open = (region: Region): Promise<RegionLine> => {
    const line = lines.get(region) ?? openLine(region);
    lines.set(region, line);
    return line;
  };
  const all = () => Promise.all(lines.values());
  const working = async (): Promise<RegionLine[]> =>
    (await Promise.allSettled(lines.values())).flatMap((line) => (line.status === 'fulfilled' ? [line.value] : []));
  return {
    open,
    fairQueueOf: ({ region, queue }) => {
      const known = fairQueues.get(region) ?? createFairQueue(queue, Math.floor(BACKLOG / count));
      fairQueues.set(region, known);
      return known;
    },
    all,
    resume: async (region) => {
      const { queue, renewKey } = await open(region);
      renewKey();
      if (await queue.isPaused()) await queue.resume();
    },
    status: async () => Promise.all((await all()).map((line) => line.status())),
    renewKeys: async (wanted) =>
      (await all()).filter(({ region, renewKey }) => wanted.has(region) && renewKey()).map(({ region }) => region),
    stopWorking: async (deadlineMs) => {
      const stopping = await working();
      const timer = setTimeout(() => {
        for (const line of stopping) line.abort();
      }, deadlineMs);
      await Promise.all(stopping.map((line) => line.stopWorking()));
      clearTimeout(timer);
    },
    close: async () => {
      await Promise.all((await working()).map((line) => line.close()));
    },
  };
}

import type { Region } from '../../membership/membership.ts';
import type { RegionLine } from './region.ts';
import { BACKLOG, createRounds, type Rounds } from './rounds.ts';

/** The regions that imports have used so far, each opened once. */
export interface RegionLines {
  open(region: Region): Promise<RegionLine>;
  /** The rounds of a region, which has a fixed part of the backlog. */
  roundsOf(line: RegionLine): Rounds;
  /** Rejects when one could not be opened. */
  all(): Promise<RegionLine[]>;
  /** The ones that could be opened. */
  working(): Promise<RegionLine[]>;
}

/** @param count regions that share the backlog */
export function createRegionLines(openLine: (region: Region) => Promise<RegionLine>, count: number): RegionLines {
  const lines = new Map<Region, Promise<RegionLine>>();
  const rounds = new Map<Region, Rounds>();
  return {
    open: (region) => {
      const line = lines.get(region) ?? openLine(region);
      lines.set(region, line);
      return line;
    },
    roundsOf: ({ region, queue }) => {
      const known = rounds.get(region) ?? createRounds(queue, Math.floor(BACKLOG / count));
      rounds.set(region, known);
      return known;
    },
    all: () => Promise.all(lines.values()),
    working: async () =>
      (await Promise.allSettled(lines.values())).flatMap((line) => (line.status === 'fulfilled' ? [line.value] : [])),
  };
}

import type { CircuitStatus } from '../../api/regions.ts';
import { asError } from '../../errors/message-of.ts';
import type { Region } from '../../membership/membership.ts';
import type { OpenRegion } from './region.ts';

/** Interval between two readings of the circuits, in ms: one short read of the queue for each region. */
const LOOK_MS = 1_000;

/** Tells when the circuit of a region opens or closes, in this process or another. Half-open counts as open. */
export function watchCircuits(
  regions: () => Promise<readonly Pick<OpenRegion, 'region' | 'circuit'>[]>,
  on: {
    /** With each look. */
    readonly seen: (region: Region, status: CircuitStatus, now: number) => void;
    readonly changed: (region: Region, status: CircuitStatus) => void;
  },
  onError: (error: Error) => void,
  everyMs = LOOK_MS,
): { stop(): void } {
  const open = new Set<Region>();
  let looking = false;
  let stopped = false;
  const look = async (): Promise<void> => {
    for (const { region, circuit } of await regions()) {
      const status = await circuit();
      on.seen(region, status, Date.now());
      const isOpen = status.state !== 'closed';
      if (isOpen === open.has(region)) continue;
      if (isOpen) open.add(region);
      else open.delete(region);
      on.changed(region, status);
    }
  };
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch((error: unknown) => {
        // The queue closes under a look that is under way.
        if (!stopped) onError(asError(error));
      })
      .finally(() => {
        looking = false;
      });
  }, everyMs).unref();
  return {
    stop: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}

import { setImmediate } from 'node:timers/promises';
import type { BatchPayload } from '../../../jobs/send-batch.ts';
import { type JobQueue, LAST_PRIORITY } from '../../queue/job-queue.ts';

/**
 * Fair queueing: imports that send to one region share its budget of calls. The queue serves round after round, and in each
 * round every import has up to PER_ROUND batches. A new import joins the round that is being served, ahead of everything
 * that others have queued for later rounds. No import is displaced, and an idle one saves nothing up. (This is start-time
 * fair queueing; the priority of a job is the number of its round.)
 */
export interface FairQueue {
  readonly queue: JobQueue<BatchPayload>;
  /** Counts the batches that this import has in flight from now on. */
  join(source: BatchSource): void;
  leave(source: BatchSource): void;
  /** The import may have batches to send, or fewer are in flight: imports with batches send them as far as there is room. */
  changed(source: BatchSource): void;
  /** A batch of this priority has its result. */
  served(priority: number): void;
  /** The priority of the round that is being served. */
  current(): number;
}

/** What one import sends to the region. */
export interface BatchSource {
  /** Batches in flight (dispatched, not recorded), with their priorities. */
  readonly inFlight: ReadonlyMap<number, number>;
  /** Dispatches up to `most` batches, the nth (from 0) with priority `priorityOf(n)`; says how many there were. Never rejects. */
  dispatch(most: number, priorityOf: (nth: number) => number): Promise<number>;
}

/** Most batches in flight over all imports and regions: a bound on the queue's memory. */
export const BACKLOG = 2_000;
/** Small, because imports alternate in pieces of this size: at 600 calls a minute, every second. */
export const PER_ROUND = 10;
/**
 * Batches that one round trip dispatches when no other import waits. Reading them from the ledger holds up the whole
 * process: 50 take some 15 ms.
 */
const CHUNK = 50;

/** @param bound most batches in flight in this region */
export function createFairQueue(queue: JobQueue<BatchPayload>, bound: number): FairQueue {
  /** Every source, with the place after its last batch; a round has PER_ROUND places. */
  const sources = new Map<BatchSource, number>();
  /** Sources that may have batches to send. */
  const ready = new Set<BatchSource>();
  let current = 1;
  let filling = false;

  const inFlightCount = () => [...sources.keys()].reduce((sum, { inFlight }) => sum + inFlight.size, 0);

  /** Dispatches whole pieces, to save round trips; but a source with nothing in flight does not wait for a whole piece. */
  const mayFill = (): boolean => {
    const room = bound - inFlightCount();
    const piece = Math.min(bound, ready.size > 1 ? PER_ROUND : CHUNK);
    return room >= piece || (room > 0 && [...ready].some(({ inFlight }) => inFlight.size === 0));
  };

  const fill = async (): Promise<void> => {
    // Others may share the queue, and jobs of an earlier process may be in it: their priorities are the clock.
    // A queue that is away says so when it is dispatched to.
    if (inFlightCount() === 0 || current === 1) current = Math.max(1, await queue.firstPriority().catch(() => 1));
    for (;;) {
      const room = bound - inFlightCount();
      const [source] = [...ready].sort((one, other) => one.inFlight.size - other.inFlight.size);
      // At the last round the clock starts again, once nothing is in flight that would come first then.
      if (source === undefined || room <= 0 || (current >= LAST_PRIORITY && room < bound)) return;
      const most = Math.min(room, ready.size > 1 ? PER_ROUND : CHUNK);
      ready.delete(source);
      const highest = [...source.inFlight.values()].reduce((high, priority) => Math.max(high, priority), current);
      // Reclaimed batches were not served: stay at most a round ahead of what is in flight.
      const place = Math.max(current * PER_ROUND, Math.min(sources.get(source) ?? 0, (highest + 1) * PER_ROUND));
      const sent = await source.dispatch(most, (nth) => Math.min(LAST_PRIORITY, Math.floor((place + nth) / PER_ROUND)));
      // Results and requests have their turn before the next piece is read: a queue in this process does not wait for anything.
      await setImmediate();
      if (!sources.has(source)) continue;
      sources.set(source, place + sent);
      if (sent === most) ready.add(source);
    }
  };

  const look = (): void => {
    if (filling || !mayFill()) return;
    filling = true;
    void fill().finally(() => {
      filling = false;
    });
  };

  return {
    queue,
    join: (source) => void sources.set(source, 0),
    leave: (source) => {
      sources.delete(source);
      ready.delete(source);
      look();
    },
    changed: (source) => {
      if (sources.has(source)) ready.add(source);
      look();
    },
    served: (priority) => {
      current = Math.max(current, priority);
    },
    current: () => current,
  };
}

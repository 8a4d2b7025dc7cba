import { setImmediate } from 'node:timers/promises';
import type { BatchPayload } from '../../../jobs/send-batch.ts';
import { type JobQueue, LAST_PRIORITY } from '../../queue/job-queue.ts';

/**
 * Fair queueing: imports that send to one region share its budget of calls. The queue serves round after round, and in each
 * round every import has up to PER_ROUND batches. A new import joins the round that is being served, ahead of everything
 * that others have queued for later rounds. No import is displaced, and an idle one saves nothing up. (This is start-time
 * fair queueing; the priority of a job is the number of its round.) Those who ask questions have places in the rounds too.
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
  /** The priority of this asker's next question: it has up to PER_ROUND questions in each round. */
  ask(asker: Asker): Promise<number>;
  /** A question of this priority has its answer, or needs none any more. */
  answered(priority: number): void;
  /** The priority of the round that is being served. */
  current(): number;
}

/** A party that asks one question after the other: a check, an export, a plan, an import that asks who is banned. */
type Asker = object;

/** The batches that one import sends to the region. */
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
  /** The same of those who ask. */
  let askers = new WeakMap<Asker, number>();
  let questions = 0;
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

  /**
   * Others may share the queue, and jobs of an earlier process may be in it: their priorities are the clock. A queue that is
   * away says so when it is added to.
   */
  const setClock = async (): Promise<void> => {
    const isIdle = () => questions === 0 && inFlightCount() === 0;
    if (!isIdle() && current > 1) return;
    const first = await queue.firstPriority().catch(() => 1);
    if (!isIdle() && current > 1) return;
    current = Math.max(1, first);
    if (isIdle()) askers = new WeakMap();
  };

  const fill = async (): Promise<void> => {
    await setClock();
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

  const served = (priority: number): void => {
    current = Math.max(current, priority);
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
    served,
    ask: async (asker) => {
      await setClock();
      const place = Math.max(current * PER_ROUND, askers.get(asker) ?? 0);
      askers.set(asker, place + 1);
      questions += 1;
      return Math.min(LAST_PRIORITY, Math.floor(place / PER_ROUND));
    },
    answered: (priority) => {
      questions -= 1;
      served(priority);
    },
    current: () => current,
  };
}

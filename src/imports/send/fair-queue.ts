import { setImmediate } from 'node:timers/promises';
import type { BatchPayload } from '../../../jobs/batch-payload.ts';
import { foldId } from '../../membership/membership.ts';
import { type JobQueue, LAST_PRIORITY } from '../../queue/job-queue.ts';
import { sumOf } from '../../text/wording.ts';

/** A party that asks one question after the other: a check, an export, a plan, an import that asks who is banned. */
type Asker = object;

/** The batches that one import sends to the region. */
export interface BatchSource {
  /** Batches in flight (dispatched, not recorded), with their priorities. */
  readonly inFlight: ReadonlyMap<number, { readonly priority: number }>;
  /** Dispatches up to `most` batches, the nth (from 0) with priority `priorityOf(n)`; says how many there were. Never rejects. */
  dispatch(most: number, priorityOf: (nth: number) => number): Promise<number>;
}

/** Most batches in flight over all imports and regions: a bound on the queue's memory. */
export const BACKLOG = 2_000;
/** Small, because imports alternate in pieces of this size: at 600 calls a minute, every second. */
export const PER_ROUND = 10;
/**
 * Batches that are marked and dispatched at once when no other import waits: the mark of each such piece is brought to the
 * disk. Reading them from the ledger holds up the whole process: 100 take some 30 ms.
 */
const CHUNK = 100;
/**
 * Most jobs that wait in the queue of a region whose workers end with this process. All of them may have been sent, as far as
 * the ledger tells after a crash, and their groups are asked.
 */
export const AHEAD = 2 * CHUNK;

export type FairQueue = ReturnType<typeof createFairQueue>;

/**
 * Fair queueing: imports that send to one region share its budget of calls. The queue serves round after round, and in each
 * round every import has up to PER_ROUND batches. A new import joins the round that is being served, ahead of everything
 * that others have queued for later rounds. No import is displaced, and an idle one saves nothing up. (This is start-time
 * fair queueing; the priority of a job is the number of its round.) Those who ask questions have places in the rounds too.
 * @param bound most batches in flight in this region
 * @param ahead most jobs that wait in its queue, but for an import that has nothing in flight
 * @param perGroup most batches in flight that change one group
 */
export function createFairQueue(
  queue: JobQueue<BatchPayload>,
  bound: number,
  ahead = Number.POSITIVE_INFINITY,
  perGroup = Number.POSITIVE_INFINITY,
) {
  /** Every source, with the place after its last batch; a round has PER_ROUND places. */
  const sources = new Map<BatchSource, number>();
  /** Sources that may have batches to send. */
  const ready = new Set<BatchSource>();
  const groups = createGroupSlots(perGroup);
  const inFlightCount = () => sumOf(sources.keys().map(({ inFlight }) => inFlight.size));
  const { setClock, ...rounds } = createRounds(queue, inFlightCount);
  let isFilling = false;

  const isTooFarAhead = async (more: number): Promise<boolean> =>
    ahead < Number.POSITIVE_INFINITY && (await queue.depth()).waiting + more > ahead;

  /** Dispatches whole pieces, to save round trips; but a source with nothing in flight does not wait for a whole piece. */
  const mayFill = (): boolean => {
    const room = bound - inFlightCount();
    const piece = Math.min(bound, ready.size > 1 ? PER_ROUND : CHUNK);
    return room >= piece || (room > 0 && [...ready].some(({ inFlight }) => inFlight.size === 0));
  };

  const fill = async (): Promise<void> => {
    await setClock();
    for (;;) {
      const room = bound - inFlightCount();
      const [source] = [...ready].sort((one, other) => one.inFlight.size - other.inFlight.size);
      // At the last round the clock starts again, once nothing is in flight that would come first then.
      if (source === undefined || room <= 0 || (rounds.current() >= LAST_PRIORITY && room < bound)) return;
      const most = Math.min(room, ready.size > 1 ? PER_ROUND : CHUNK);
      if (source.inFlight.size > 0 && (await isTooFarAhead(most))) return;
      ready.delete(source);
      const current = rounds.current();
      const highest = [...source.inFlight.values()].reduce((high, { priority }) => Math.max(high, priority), current);
      // Reclaimed batches were not served: stay at most a round ahead of what is in flight.
      const last = Math.min(sources.get(source) ?? 0, (highest + 1) * PER_ROUND);
      const place = Math.max(current * PER_ROUND, last);
      const sent = await source.dispatch(most, (nth) => roundOf(place + nth));
      // Results and requests have their turn before the next piece is read: a queue in this process does not wait for anything.
      await setImmediate();
      if (!sources.has(source)) continue;
      sources.set(source, place + sent);
      if (sent === most) ready.add(source);
    }
  };

  const look = (): void => {
    if (isFilling || !mayFill()) return;
    isFilling = true;
    void fill().finally(() => {
      isFilling = false;
    });
  };

  return {
    queue,
    groups,
    ...rounds,
    /** Counts the batches that this import has in flight from now on. */
    join: (source: BatchSource): void => void sources.set(source, 0),
    leave: (source: BatchSource): void => {
      sources.delete(source);
      ready.delete(source);
      look();
    },
    /** The import may have batches to send, or fewer are in flight: imports with batches send them as far as there is room. */
    changed: (source: BatchSource): void => {
      if (sources.has(source)) ready.add(source);
      look();
    },
    /** A batch that changes this group is in flight no more: an import that waits for the group may go on. */
    freed: (guid: string): void => {
      if (!groups.free(guid)) return;
      for (const source of sources.keys()) ready.add(source);
      look();
    },
  };
}

/** The priority of a place. */
function roundOf(place: number): number {
  return Math.min(LAST_PRIORITY, Math.floor(place / PER_ROUND));
}

/** The clock of the rounds, and the places that those who ask have in them. */
function createRounds(queue: Pick<JobQueue<BatchPayload>, 'firstPriority'>, inFlightCount: () => number) {
  let current = 1;
  let questions = 0;
  /** By asker, the place after its last question. */
  let askers = new WeakMap<Asker, number>();
  const isIdle = () => questions === 0 && inFlightCount() === 0;
  /** A batch of this priority has its result. */
  const served = (priority: number): void => {
    current = Math.max(current, priority);
  };
  /**
   * Other processes may use this queue, and jobs of an earlier one may be in it: the clock follows their priorities. If the
   * queue cannot be reached, adding to it reports that.
   */
  const setClock = async (): Promise<void> => {
    if (!isIdle() && current > 1) return;
    const first = await queue.firstPriority().catch(() => 1);
    if (!isIdle() && current > 1) return;
    current = Math.max(1, first);
    if (isIdle()) askers = new WeakMap();
  };
  return {
    setClock,
    /** The priority of the round that is being served. */
    current: () => current,
    served,
    /** The priority of this asker's next question: it has up to PER_ROUND questions in each round. */
    ask: async (asker: Asker): Promise<number> => {
      await setClock();
      const place = Math.max(current * PER_ROUND, askers.get(asker) ?? 0);
      askers.set(asker, place + 1);
      questions += 1;
      return roundOf(place);
    },
    /** A question of this priority has its answer, or needs none any more. */
    answered: (priority: number): void => {
      questions -= 1;
      served(priority);
    },
  };
}

export type GroupSlots = ReturnType<typeof createGroupSlots>;

/**
 * Counts the calls in flight that change one group, over all imports that this process sends to a region. The service adds
 * members one after another, so that many calls to one group wait for each other there.
 * @param most calls to one group
 */
function createGroupSlots(most: number) {
  /** Places that must be free before a group gets more: marking a batch as dispatched waits for the disk. */
  const piece = Math.ceil(most / 8);
  const takenBy = new Map<string, number>();
  return {
    /** The number of further calls that the group may have. */
    room: (guid: string): number => {
      const room = most - (takenBy.get(foldId(guid)) ?? 0);
      return room < piece ? 0 : room;
    },
    /** A group that has as many calls as it may. */
    full: (): string | undefined => {
      for (const [guid, taken] of takenBy) if (most - taken < piece) return guid;
      return undefined;
    },
    take: (guid: string): void => {
      const key = foldId(guid);
      takenBy.set(key, (takenBy.get(key) ?? 0) + 1);
    },
    /** Returns whether the group had as many as it may. */
    free: (guid: string): boolean => {
      const key = foldId(guid);
      const taken = takenBy.get(key) ?? 0;
      if (taken > 1) takenBy.set(key, taken - 1);
      else takenBy.delete(key);
      return taken >= most;
    },
  };
}

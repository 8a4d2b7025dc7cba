import type { BatchPayload } from '../../../jobs/send-batch.ts';
import { type JobQueue, LAST_ROUND } from '../../queue/job-queue.ts';

/**
 * Imports that send to one region share its budget of calls: the queue serves round after round, and in each round every
 * import has up to PER_ROUND batches. One that begins joins the round that is being served, in front of everything that
 * others have put into the queue for later rounds; nobody is displaced, and who was idle has saved nothing up. (This is
 * start-time fair queueing, with the jobs' priority as its clock.)
 */
export interface Rounds {
  readonly queue: JobQueue<BatchPayload>;
  /** Batches that this import has out count from now on. */
  join(feed: Feed): void;
  leave(feed: Feed): void;
  /** The import may have batches to send, or fewer are out: whoever has some sends them as far as there is room. */
  changed(feed: Feed): void;
  /** A batch of this round has its result. */
  served(round: number): void;
  /** The round that is being served. */
  current(): number;
}

/** What one import sends to the region. */
export interface Feed {
  /** Batches that are out, dispatched and not recorded, with their rounds. */
  readonly out: ReadonlyMap<number, number>;
  /** Dispatches up to `most` batches, the nth (from 0) in `roundOf(n)`; resolves with how many there were. Never rejects. */
  dispatch(most: number, roundOf: (nth: number) => number): Promise<number>;
}

/** Batches that are out, at most, over all imports and regions: a bound on the queue's memory. */
export const BACKLOG = 2_000;
/** Small, because imports alternate in pieces of it: at 600 calls a minute every second. */
export const PER_ROUND = 10;
/** Batches that one round trip dispatches, where no other import waits. */
const CHUNK = 200;

/** @param bound batches that are out in this region, at most */
export function createRounds(queue: JobQueue<BatchPayload>, bound: number): Rounds {
  /** Who takes part, with the place after its last batch, in places: PER_ROUND to a round. */
  const feeds = new Map<Feed, number>();
  /** Those that may have batches to send. */
  const hungry = new Set<Feed>();
  let current = 1;
  let filling = false;

  const outCount = () => [...feeds.keys()].reduce((sum, { out }) => sum + out.size, 0);

  /** Round trips are for pieces; but who has nothing out does not wait for a piece to become free. */
  const mayFill = (): boolean => {
    const room = bound - outCount();
    const piece = Math.min(bound, hungry.size > 1 ? PER_ROUND : CHUNK);
    return room >= piece || (room > 0 && [...hungry].some(({ out }) => out.size === 0));
  };

  const fill = async (): Promise<void> => {
    // Others may share the queue, and jobs of an earlier process may be in it: their rounds are the clock.
    // A queue that is away says so when it is dispatched to.
    if (outCount() === 0 || current === 1) current = Math.max(1, await queue.firstRound().catch(() => 1));
    for (;;) {
      const room = bound - outCount();
      const [feed] = [...hungry].sort((one, other) => one.out.size - other.out.size);
      // At the end of the scale the clock is set back, when nothing is out that would be in front then.
      if (feed === undefined || room <= 0 || (current >= LAST_ROUND && room < bound)) return;
      const most = Math.min(room, hungry.size > 1 ? PER_ROUND : CHUNK);
      hungry.delete(feed);
      const highest = [...feed.out.values()].reduce((high, round) => Math.max(high, round), current);
      // Batches that were taken back have not been served: at most a round ahead of what is out.
      const place = Math.max(current * PER_ROUND, Math.min(feeds.get(feed) ?? 0, (highest + 1) * PER_ROUND));
      const sent = await feed.dispatch(most, (nth) => Math.min(LAST_ROUND, Math.floor((place + nth) / PER_ROUND)));
      if (!feeds.has(feed)) continue;
      feeds.set(feed, place + sent);
      if (sent === most) hungry.add(feed);
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
    join: (feed) => void feeds.set(feed, 0),
    leave: (feed) => {
      feeds.delete(feed);
      hungry.delete(feed);
      look();
    },
    changed: (feed) => {
      if (feeds.has(feed)) hungry.add(feed);
      look();
    },
    served: (round) => {
      current = Math.max(current, round);
    },
    current: () => current,
  };
}

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
  readonly inFlight: ReadonlyMap<number, number>;
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

/**
 * Fair queueing: imports that send to one region share its budget of calls. The queue serves round after round, and in each
 * round every import has up to PER_ROUND batches. A new import joins the round that is being served, ahead of everything
 * that others have queued for later rounds. No import is displaced, and an idle one saves nothing up. (This is start-time
 * fair queueing; the priority of a job is the number of its round.) Those who ask questions have places in the rounds too.
 */
export class FairQueue {
  readonly queue: JobQueue<BatchPayload>;
  readonly groups: GroupSlots;
  readonly #bound: number;
  readonly #ahead: number;
  /** Every source, with the place after its last batch; a round has PER_ROUND places. */
  readonly #sources = new Map<BatchSource, number>();
  /** The same of those who ask. */
  #askers = new WeakMap<Asker, number>();
  #questions = 0;
  /** Sources that may have batches to send. */
  readonly #ready = new Set<BatchSource>();
  #current = 1;
  #filling = false;

  /**
   * @param bound most batches in flight in this region
   * @param ahead most jobs that wait in its queue, but for an import that has nothing in flight
   * @param perGroup most batches in flight that change one group
   */
  constructor(
    queue: JobQueue<BatchPayload>,
    bound: number,
    ahead = Number.POSITIVE_INFINITY,
    perGroup = Number.POSITIVE_INFINITY,
  ) {
    this.queue = queue;
    this.groups = new GroupSlots(perGroup);
    this.#bound = bound;
    this.#ahead = ahead;
  }

  /** Counts the batches that this import has in flight from now on. */
  join(source: BatchSource): void {
    this.#sources.set(source, 0);
  }

  leave(source: BatchSource): void {
    this.#sources.delete(source);
    this.#ready.delete(source);
    this.#look();
  }

  /** The import may have batches to send, or fewer are in flight: imports with batches send them as far as there is room. */
  changed(source: BatchSource): void {
    if (this.#sources.has(source)) this.#ready.add(source);
    this.#look();
  }

  /** A batch that changes this group is in flight no more: an import that waits for the group may go on. */
  freed(guid: string): void {
    if (!this.groups.free(guid)) return;
    for (const source of this.#sources.keys()) this.#ready.add(source);
    this.#look();
  }

  /** A batch of this priority has its result. */
  served(priority: number): void {
    this.#current = Math.max(this.#current, priority);
  }

  /** The priority of this asker's next question: it has up to PER_ROUND questions in each round. */
  async ask(asker: Asker): Promise<number> {
    await this.#setClock();
    const place = Math.max(this.#current * PER_ROUND, this.#askers.get(asker) ?? 0);
    this.#askers.set(asker, place + 1);
    this.#questions += 1;
    return Math.min(LAST_PRIORITY, Math.floor(place / PER_ROUND));
  }

  /** A question of this priority has its answer, or needs none any more. */
  answered(priority: number): void {
    this.#questions -= 1;
    this.served(priority);
  }

  /** The priority of the round that is being served. */
  current(): number {
    return this.#current;
  }

  #inFlightCount(): number {
    return sumOf(this.#sources.keys().map(({ inFlight }) => inFlight.size));
  }

  async #waiting(): Promise<number> {
    return this.#ahead === Number.POSITIVE_INFINITY ? 0 : (await this.queue.depth()).waiting;
  }

  #isIdle(): boolean {
    return this.#questions === 0 && this.#inFlightCount() === 0;
  }

  #look(): void {
    if (this.#filling || !this.#mayFill()) return;
    this.#filling = true;
    void this.#fill().finally(() => {
      this.#filling = false;
    });
  }

  /** Dispatches whole pieces, to save round trips; but a source with nothing in flight does not wait for a whole piece. */
  #mayFill(): boolean {
    const room = this.#bound - this.#inFlightCount();
    const piece = Math.min(this.#bound, this.#ready.size > 1 ? PER_ROUND : CHUNK);
    return room >= piece || (room > 0 && [...this.#ready].some(({ inFlight }) => inFlight.size === 0));
  }

  async #fill(): Promise<void> {
    const ready = this.#ready;
    await this.#setClock();
    for (;;) {
      const room = this.#bound - this.#inFlightCount();
      const [source] = [...ready].sort((one, other) => one.inFlight.size - other.inFlight.size);
      // At the last round the clock starts again, once nothing is in flight that would come first then.
      if (source === undefined || room <= 0 || (this.#current >= LAST_PRIORITY && room < this.#bound)) return;
      const most = Math.min(room, ready.size > 1 ? PER_ROUND : CHUNK);
      if (source.inFlight.size > 0 && (await this.#waiting()) + most > this.#ahead) return;
      ready.delete(source);
      const highest = [...source.inFlight.values()].reduce((high, priority) => Math.max(high, priority), this.#current);
      // Reclaimed batches were not served: stay at most a round ahead of what is in flight.
      const last = Math.min(this.#sources.get(source) ?? 0, (highest + 1) * PER_ROUND);
      const place = Math.max(this.#current * PER_ROUND, last);
      const sent = await source.dispatch(most, (nth) => Math.min(LAST_PRIORITY, Math.floor((place + nth) / PER_ROUND)));
      // Results and requests have their turn before the next piece is read: a queue in this process does not wait for anything.
      await setImmediate();
      if (!this.#sources.has(source)) continue;
      this.#sources.set(source, place + sent);
      if (sent === most) ready.add(source);
    }
  }

  /**
   * Other processes may use this queue, and jobs of an earlier one may be in it: the clock follows their priorities. If the
   * queue cannot be reached, adding to it reports that.
   */
  async #setClock(): Promise<void> {
    if (!this.#isIdle() && this.#current > 1) return;
    const first = await this.queue.firstPriority().catch(() => 1);
    if (!this.#isIdle() && this.#current > 1) return;
    this.#current = Math.max(1, first);
    if (this.#isIdle()) this.#askers = new WeakMap();
  }
}

/**
 * Counts the calls in flight that change one group, over all imports that this process sends to a region. The service adds
 * members one after another, so that many calls to one group wait for each other there.
 */
export class GroupSlots {
  readonly #most: number;
  /** Places that must be free before a group gets more: marking a batch as dispatched waits for the disk. */
  readonly #piece: number;
  readonly #taken = new Map<string, number>();

  /** @param most calls to one group */
  constructor(most: number) {
    this.#most = most;
    this.#piece = Math.ceil(most / 8);
  }

  /** Returns how many more calls the group may have. */
  room(guid: string): number {
    const room = this.#most - (this.#taken.get(foldId(guid)) ?? 0);
    return room < this.#piece ? 0 : room;
  }

  /** Returns a group that has as many calls as it may. */
  full(): string | undefined {
    for (const [guid, taken] of this.#taken) if (this.#most - taken < this.#piece) return guid;
    return undefined;
  }

  take(guid: string): void {
    const key = foldId(guid);
    this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1);
  }

  /** Returns whether the group had as many as it may. */
  free(guid: string): boolean {
    const key = foldId(guid);
    const taken = this.#taken.get(key) ?? 0;
    if (taken > 1) this.#taken.set(key, taken - 1);
    else this.#taken.delete(key);
    return taken >= this.#most;
  }
}

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
    const room = this.#most - (this.#taken.get(keyOf(guid)) ?? 0);
    return room < this.#piece ? 0 : room;
  }

  /** Returns a group that has as many calls as it may. */
  full(): string | undefined {
    for (const [guid, taken] of this.#taken) if (this.#most - taken < this.#piece) return guid;
    return undefined;
  }

  take(guid: string): void {
    const key = keyOf(guid);
    this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1);
  }

  /** Returns whether the group had as many as it may. */
  free(guid: string): boolean {
    const key = keyOf(guid);
    const taken = this.#taken.get(key) ?? 0;
    if (taken > 1) this.#taken.set(key, taken - 1);
    else this.#taken.delete(key);
    return taken >= this.#most;
  }
}

/** The service does not tell apart GUIDs that differ in the case of their letters. */
const keyOf = (guid: string): string => guid.toLowerCase();

/** Events, in order. A test waits for its n-th entry instead of sleeping. */
export class Journal<Entry> {
  readonly entries: Entry[] = [];
  #watchers: (() => void)[] = [];

  note(entry: Entry): void {
    this.entries.push(entry);
    for (const watcher of this.#watchers.splice(0)) watcher();
  }

  /** Resolves when there are this many entries, with all of them. */
  async until(count: number): Promise<readonly Entry[]> {
    while (this.entries.length < count) await new Promise<void>((resolve) => this.#watchers.push(resolve));
    return this.entries;
  }
}

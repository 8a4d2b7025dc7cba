import type { ImportRecord } from '../../imports/catalog.ts';
import { IMPORT_STATES, isFinal } from '../../membership/import-state.ts';
import { type Channel, type EventSources, eventText, openChannel, TICK_MS, type Watcher, write } from './channel.ts';

const UNFINISHED = IMPORT_STATES.filter((state) => !isFinal(state));
/** Most unfinished imports that are looked at. */
const MAX_LISTED = 200;

/** The channel of the list: imports that changed, at most once a second. It does nothing while no one watches. */
export class ListChannel implements Channel {
  readonly #sources: EventSources;
  readonly #channel: Channel;
  /** The view that was sent last, as JSON, by import: for those that are not over. Another map for the next watchers. */
  #sent = new Map<string, string>();
  readonly #moved = new Set<string>();
  #ticker: NodeJS.Timeout | undefined;
  /** Those who have not got the unfinished imports yet. */
  readonly #new = new Set<Watcher>();
  /** The look that is under way: each asks about every import, so those who come in the same second share one. */
  #looking: Promise<void> | undefined;
  #lookedAt = 0;

  constructor(sources: EventSources) {
    this.#sources = sources;
    this.#channel = openChannel(() => this.rest());
  }

  get watchers(): Set<Watcher> {
    return this.#channel.watchers;
  }

  send(text: string): void {
    this.#channel.send(text);
  }

  close(): void {
    this.#channel.close();
  }

  /** The last watcher has left. */
  rest(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    this.#moved.clear();
    this.#sent = new Map();
    this.#looking = undefined;
    this.#lookedAt = 0;
  }

  /** An import is in another state now. */
  moved(id: string): void {
    if (this.#ticker !== undefined) this.#moved.add(id);
  }

  /** Whether someone watches while imports are sent: then what the regions do is in the events. */
  isSending(): boolean {
    return this.watchers.size > 0 && (this.#sources.reading.counts().get('running') ?? 0) > 0;
  }

  /** An import was removed. */
  removed(id: string): void {
    this.#moved.delete(id);
    this.#sent.delete(id);
    this.send(eventText('removed', { id }));
  }

  /** Sends one watcher the unfinished imports, as all others know them then. */
  async welcome(watcher: Watcher): Promise<void> {
    this.#ticker ??= setInterval(() => void this.#tick(), TICK_MS);
    this.#new.add(watcher);
    try {
      if (Date.now() - this.#lookedAt >= TICK_MS) await this.#look();
    } finally {
      this.#new.delete(watcher);
    }
    write(watcher, listText([...this.#sent.values()]));
  }

  async #viewOf(record: ImportRecord): Promise<string> {
    const { views, running, regions } = this.#sources;
    return JSON.stringify(await (record.state === 'running' ? running.of(record, regions()) : views.of(record)));
  }

  #look(): Promise<void> {
    if (this.#looking !== undefined) return this.#looking;
    const looking = this.#sendChanged(this.#sent).finally(() => {
      if (this.#looking === looking) this.#looking = undefined;
    });
    this.#looking = looking;
    return looking;
  }

  /** Sends the views that differ from what was sent. */
  async #sendChanged(sent: Map<string, string>): Promise<void> {
    const { coordinator, reading } = this.#sources;
    const looked = [...this.#moved];
    this.#moved.clear();
    const changed = new Map<string, string>();
    try {
      const unfinished = reading.page({ state: UNFINISHED, limit: MAX_LISTED }).imports;
      for (const id of new Set([...looked, ...unfinished.map(({ id }) => id)])) {
        const record = coordinator.lookUp(id);
        const text = record && (await this.#viewOf(record));
        if (text !== undefined && sent.get(id) !== text) changed.set(id, text);
      }
    } catch (error) {
      // Nothing of it was sent: the next look takes them again.
      for (const id of looked) this.#moved.add(id);
      throw error;
    }
    for (const [id, text] of changed) {
      // One that was removed or ended meanwhile is not among the unfinished ones.
      if (isFinal(coordinator.lookUp(id)?.state ?? 'completed')) sent.delete(id);
      else sent.set(id, text);
    }
    if (sent === this.#sent) this.#lookedAt = Date.now();
    if (changed.size === 0) return;
    const text = listText([...changed.values()]);
    for (const watcher of this.watchers) if (!this.#new.has(watcher)) write(watcher, text);
  }

  async #tick(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      this.#sources.log.warn({ err: error }, 'the list cannot be sent');
    }
  }
}

function listText(views: readonly string[]): string {
  return `event: imports\ndata: {"imports":[${views.join(',')}]}\n\n`;
}

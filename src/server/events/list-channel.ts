import type { ImportRecord } from '../../imports/catalog.ts';
import { IMPORT_STATES, isFinal } from '../../membership/import-state.ts';
import { type Channel, type EventSources, eventText, openChannel, TICK_MS, type Watcher, write } from './channel.ts';

const UNFINISHED = IMPORT_STATES.filter((state) => !isFinal(state));
/** Most unfinished imports that are looked at. */
const MAX_LISTED = 200;

/** An import as a watcher is told of it. */
interface Listed {
  readonly id: string;
  /** Its view, as JSON. */
  readonly text: string;
}

/** The channel of the list: imports that changed, at most once a second. It does nothing while no one watches. */
export class ListChannel implements Channel {
  readonly #sources: EventSources;
  readonly #channel: Channel;
  /** The view that was sent last, as JSON, by import. */
  readonly #sent = new Map<string, string>();
  readonly #moved = new Set<string>();
  /** The present list, made once for all watchers that come in the same second: each would ask about every import. */
  #present: { readonly at: number; readonly views: Promise<readonly Listed[]> } | undefined;
  #ticker: NodeJS.Timeout | undefined;
  #looking = false;
  /** The number of changes that were sent. */
  #changes = 0;

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
    this.#sent.clear();
    this.#present = undefined;
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

  /** Sends one watcher the unfinished imports. */
  async welcome(watcher: Watcher): Promise<void> {
    const isFirst = this.#ticker === undefined;
    this.#ticker ??= setInterval(() => void this.#tick(), TICK_MS);
    for (let tried = 1; ; tried += 1) {
      const before = this.#changes;
      const views = await this.#presentViews();
      // Changes that were sent meanwhile are newer, and an older list must not follow them.
      if (this.#changes !== before && tried < 3) continue;
      write(watcher, listText(views));
      // No other watcher has to hear of these.
      if (isFirst) for (const { id, text } of views) if (!this.#sent.has(id)) this.#sent.set(id, text);
      return;
    }
  }

  async #viewOf(record: ImportRecord): Promise<string> {
    const { views, running, regions } = this.#sources;
    return JSON.stringify(await (record.state === 'running' ? running.of(record, regions()) : views.of(record)));
  }

  #unfinished(): readonly ImportRecord[] {
    return this.#sources.reading.page({ state: UNFINISHED, limit: MAX_LISTED }).imports;
  }

  /** Views of these imports that differ from what was sent. */
  async #changedOf(ids: ReadonlySet<string>) {
    const changed: (Listed & { readonly isOver: boolean })[] = [];
    for (const id of ids) {
      const record = this.#sources.coordinator.lookUp(id);
      if (record === undefined) continue;
      const text = await this.#viewOf(record);
      if (this.#sent.get(id) !== text) changed.push({ id, text, isOver: isFinal(record.state) });
    }
    return changed;
  }

  async #look(): Promise<readonly Listed[]> {
    const imports = this.#unfinished();
    const looked = [...this.#moved];
    this.#moved.clear();
    try {
      const changed = await this.#changedOf(new Set([...looked, ...imports.map(({ id }) => id)]));
      for (const { id, text, isOver } of changed) {
        if (isOver) this.#sent.delete(id);
        else this.#sent.set(id, text);
      }
      return changed;
    } catch (error) {
      // Nothing of it was sent: the next look takes them again.
      for (const id of looked) this.#moved.add(id);
      throw error;
    }
  }

  async #tick(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const changed = await this.#look();
      if (changed.length === 0) return;
      this.#changes += 1;
      this.#present = undefined;
      this.send(listText(changed));
    } catch (error) {
      this.#sources.log.warn({ err: error }, 'the list cannot be sent');
    } finally {
      this.#looking = false;
    }
  }

  #presentViews(): Promise<readonly Listed[]> {
    if (this.#present !== undefined && Date.now() - this.#present.at < TICK_MS) return this.#present.views;
    const views = Promise.all(
      this.#unfinished().map(async (record) => ({ id: record.id, text: await this.#viewOf(record) })),
    );
    const made = { at: Date.now(), views };
    this.#present = made;
    // Those that cannot be made are tried again for the next viewer.
    views.catch(() => {
      if (this.#present === made) this.#present = undefined;
    });
    return views;
  }
}

function listText(views: readonly Listed[]): string {
  return `event: imports\ndata: {"imports":[${views.map(({ text }) => text).join(',')}]}\n\n`;
}

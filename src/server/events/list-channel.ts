import type { ServerResponse } from 'node:http';
import type { RegionStatus } from '../../api/region-status.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { IMPORT_STATES, isFinal } from '../../membership/import-state.ts';
import type { Logger } from '../../platform/log.ts';
import type { DataReader } from '../data-reader.ts';
import type { ImportViews } from '../import-views.ts';
import type { RunningImports } from '../running-imports.ts';

/** One browser or program that follows events. */
export interface Watcher {
  readonly response: ServerResponse;
  /** Whether its token is still valid; asked at each heartbeat. */
  readonly isStillAllowed: () => boolean;
}

/** The parts from which events are made. */
export interface EventSources {
  readonly coordinator: Coordinator;
  readonly reading: DataReader;
  readonly views: ImportViews;
  readonly running: RunningImports;
  /** Returns the status of the regions, at most a second old. */
  readonly regions: () => readonly RegionStatus[];
  readonly log: Logger;
}

export const TICK_MS = 1_000;
/** A watcher with this many unsent bytes is disconnected: it reconnects and gets the state at that time. */
const MAX_UNSENT = 1024 * 1024;

const UNFINISHED = IMPORT_STATES.filter((state) => !isFinal(state));
/** Most unfinished imports that are looked at. */
const MAX_LISTED = 200;

/** The channel of the list: imports that changed, at most once a second. It does nothing while no one watches. */
export class ListChannel {
  readonly watchers = new Set<Watcher>();
  readonly #sources: EventSources;
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
  }

  /** The text of an event is made once; each watcher costs one write. */
  tell(name: string, data: unknown): void {
    for (const watcher of this.watchers) write(watcher, `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  close(): void {
    for (const { response } of this.watchers) response.end();
    this.watchers.clear();
    this.rest();
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
    this.tell('removed', { id });
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
      const state = coordinator.lookUp(id)?.state;
      // Removed meanwhile, and its watchers know it.
      if (state === undefined) changed.delete(id);
      else if (isFinal(state)) sent.delete(id);
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

/** Writes to one watcher, or disconnects it when it does not read what it was sent. */
export function write({ response }: Watcher, text: string): void {
  if (response.writableLength > MAX_UNSENT) response.destroy();
  else response.write(text);
}

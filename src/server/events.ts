import { PassThrough, type Writable } from 'node:stream';
import type { eventOperations, ListEvents } from '../api/events.ts';
import type { HandlersOf } from '../api/operation.ts';
import type { RegionStatus } from '../api/region-status.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { isFinal } from '../membership/import-state.ts';
import type { Logger } from '../platform/log.ts';
import { answersSoon, QUEUE_SILENT } from './http-answers.ts';

export type Events = ReturnType<typeof openEvents>;

const HEARTBEAT_MS = 15_000;

interface HubSources extends Omit<EventSources, 'view' | 'everyMs'> {
  readonly coordinator: Pick<Coordinator, 'events' | 'lookUp' | 'regions'>;
  /** @param regions their status, as old as an event at most */
  readonly view: (record: ImportRecord, regions: readonly RegionStatus[]) => Promise<object>;
  /** Whether imports are sent and their views show the regions. Default: they do not. */
  readonly isSending?: () => boolean;
  /** Time from one event about imports to the next, in ms. Default: a second. */
  readonly everyMs?: number | undefined;
}

/** Server-sent events of a process that runs imports: what changes in the lists, and what moves. */
export function openEvents({ isSending = () => false, everyMs = 1_000, ...sources }: HubSources) {
  const { coordinator, log } = sources;
  let regions: readonly RegionStatus[] = [];
  let asking = false;
  let answered = true;
  const list = new ListChannel({ ...sources, everyMs, view: (record) => sources.view(record, regions) });

  /** A queue that does not answer delays no event. */
  const ask = async () => {
    if (asking || list.watchers.size === 0 || !isSending()) return;
    asking = true;
    try {
      regions = await answersSoon(coordinator.regions.status());
      answered = true;
    } catch (error) {
      if (answered) log.warn({ err: error }, QUEUE_SILENT);
      answered = false;
    } finally {
      asking = false;
    }
  };
  const onRemoved = (id: string) => list.removed(id);
  coordinator.events.on('removed', onRemoved);
  const onChanged = ({ id }: ImportRecord) => list.moved(id);
  coordinator.events.on('changed', onChanged);
  const onMoved = ({ id }: ImportRecord) => {
    list.moved(id);
    list.tell('import', { id });
  };
  coordinator.events.on('state', onMoved);
  const asker = setInterval(ask, everyMs);
  const heart = setInterval(() => {
    for (const watcher of list.watchers) {
      if (watcher.isStillAllowed()) write(watcher, ': still here\n\n');
      else watcher.response.end();
    }
  }, HEARTBEAT_MS);

  return {
    /** The events from now on. @param about the id of the import, sync or export that they are about; undefined: all */
    watch: async (about: string | undefined, isStillAllowed: Watcher['isStillAllowed'] = () => true) => {
      const response = new PassThrough();
      const watcher = { response, about, isStillAllowed };
      list.watchers.add(watcher);
      response.once('close', () => {
        list.watchers.delete(watcher);
        if (list.watchers.size === 0) list.rest();
      });
      await ask();
      await list.welcome(watcher);
      return response;
    },
    /** Tells those who watch. */
    tell: <Name extends keyof ListEvents>(name: Name, data: ListEvents[Name]) => list.tell(name, data),
    /** Tells those who watch soon that something has come further, once for all that it has by then. */
    progressed: (name: Progressing) => (id: string) => list.progressed(name, id),
    /** Returns the number of viewers. */
    watchers: () => list.watchers.size,
    /** Ends all streams; browsers come back by themselves. */
    close: () => {
      clearInterval(asker);
      clearInterval(heart);
      coordinator.events.off('removed', onRemoved);
      coordinator.events.off('state', onMoved);
      coordinator.events.off('changed', onChanged);
      list.close();
    },
  };
}

/** Events, in any process that runs imports. */
export function eventHandlers(events: Pick<Events, 'watch'>): HandlersOf<typeof eventOperations> {
  return { lists: async ({ id }) => events.watch(id) };
}

/** One browser or program that follows events. */
export interface Watcher {
  readonly response: Writable;
  /** The id of the only thing that it follows; undefined: all. */
  readonly about: string | undefined;
  /** Whether its token is still valid; asked at each heartbeat. */
  readonly isStillAllowed: () => boolean;
}

/** The parts from which events are made. */
export interface EventSources {
  readonly coordinator: Pick<Coordinator, 'lookUp'>;
  /** Imports that are not over, those that are looked at. */
  readonly unfinished: () => readonly ImportRecord[];
  readonly view: (record: ImportRecord) => Promise<object>;
  readonly log: Pick<Logger, 'warn'>;
  /** Time from one look to the next, in ms. */
  readonly everyMs: number;
}

/** Events of what comes further. */
export type Progressing = Extract<keyof ListEvents, 'check' | 'export' | 'planning'>;

/** A watcher with this many unsent bytes is disconnected: it reconnects and gets the state at that time. */
const MAX_UNSENT = 1024 * 1024;

/** The channel of the list: imports that changed, at most once in `everyMs`. It does nothing while no one watches. */
export class ListChannel {
  readonly watchers = new Set<Watcher>();
  readonly #sources: EventSources;
  /** The view that was sent last, as JSON, by import: for those that are not over. Another map for the next watchers. */
  #sent = new Map<string, string>();
  readonly #moved = new Set<string>();
  /** Since the last tick, by id. */
  readonly #progressed = new Map<string, Progressing>();
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
  tell(name: string, data: object): void {
    const { id } = data as { readonly id?: string };
    const text = `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const watcher of this.watchers) if ((watcher.about ?? id) === id) write(watcher, text);
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
    this.#progressed.clear();
    this.#sent = new Map();
    this.#looking = undefined;
    this.#lookedAt = 0;
  }

  /** An import is in another state now. */
  moved(id: string): void {
    if (this.#ticker !== undefined) this.#moved.add(id);
  }

  progressed(name: Progressing, id: string): void {
    if (this.#ticker !== undefined) this.#progressed.set(id, name);
  }

  /** An import was removed. */
  removed(id: string): void {
    this.#moved.delete(id);
    this.#sent.delete(id);
    this.tell('removed', { id });
  }

  /** Sends one watcher the unfinished imports, as all others know them then. One that follows a single thing looks at it by itself. */
  async welcome(watcher: Watcher): Promise<void> {
    this.#ticker ??= setInterval(() => void this.#tick(), this.#sources.everyMs);
    if (watcher.about !== undefined) return write(watcher, listText([]));
    this.#new.add(watcher);
    try {
      if (Date.now() - this.#lookedAt >= this.#sources.everyMs) await this.#look();
    } finally {
      this.#new.delete(watcher);
    }
    write(watcher, listText([...this.#sent.values()]));
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
    const { coordinator, view } = this.#sources;
    const looked = [...this.#moved];
    this.#moved.clear();
    const changed = new Map<string, string>();
    try {
      for (const id of new Set([...looked, ...this.#unfinished()])) {
        const record = coordinator.lookUp(id);
        const text = record && JSON.stringify(await view(record));
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
    for (const watcher of this.watchers) {
      const { about } = watcher;
      const own = about === undefined ? text : changed.has(about) && listText([changed.get(about) ?? '']);
      if (own && !this.#new.has(watcher)) write(watcher, own);
    }
  }

  /** Ids of the imports that someone watches. */
  #unfinished(): string[] {
    const { coordinator, unfinished } = this.#sources;
    const abouts = [...this.watchers].map(({ about }) => about);
    if (abouts.includes(undefined)) return unfinished().map(({ id }) => id);
    return abouts.filter(
      (id) => id !== undefined && !isFinal(coordinator.lookUp(id)?.state ?? 'completed'),
    ) as string[];
  }

  async #tick(): Promise<void> {
    for (const [id, name] of this.#progressed) this.tell(name, { id });
    this.#progressed.clear();
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
function write({ response }: Watcher, text: string): void {
  if (response.writableLength > MAX_UNSENT) response.destroy();
  else response.write(text);
}

import { PassThrough } from 'node:stream';
import type { HandlersOf } from '../api/operation.ts';
import type { eventOperations, Telling } from '../api/service.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { isFinal } from '../membership/import-state.ts';
import type { Logger } from '../platform/log.ts';

export type Events = ReturnType<typeof openEvents>;

const HEARTBEAT_MS = 15_000;
/** A watcher with this many unsent bytes is disconnected: it reconnects and gets the state at that time. */
const MAX_UNSENT = 1024 * 1024;

interface EventSources {
  readonly coordinator: Pick<Coordinator, 'events' | 'lookUp'>;
  /** Imports that are not over, those that are looked at. */
  readonly unfinished: () => readonly ImportRecord[];
  readonly view: (record: ImportRecord) => Promise<object>;
  readonly log: Pick<Logger, 'warn'>;
  /** Asks for the regions that views show. Default: they show none. */
  readonly askRegions?: () => Promise<unknown>;
  /** Time from one event about imports to the next, in ms. Default: a second. */
  readonly everyMs?: number | undefined;
}

/** One browser or program that follows events. */
interface Watcher {
  readonly response: PassThrough;
  /** The id of the only thing that it follows; undefined: all. */
  readonly about: string | undefined;
  /** Whether its token is still valid; asked at each heartbeat. */
  readonly isStillAllowed: () => boolean;
  /** It has not got the unfinished imports yet. */
  isNew: boolean;
}

/** Server-sent events of a process that runs imports: what changes in the lists, at most once in `everyMs`, and what moves. It does nothing while no one watches. */
export function openEvents({ coordinator, unfinished, view, log, askRegions, everyMs = 1_000 }: EventSources) {
  const watchers = new Set<Watcher>();
  let following: ReturnType<typeof follow> | undefined;

  /** The text of an event is made once; each watcher costs one write. */
  const tell: Telling['tell'] = (name, data) => {
    const { id } = data as { readonly id?: string };
    const text = `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const { about, response } of watchers) if ((about ?? id) === id) write(response, text);
  };

  const follow = () => {
    const views = watchedViews(watchers, { coordinator, unfinished, view });
    /** Since the last tick, by id. */
    const further = new Map<string, Parameters<Telling['progressed']>[0]>();
    const ticker = setInterval(() => {
      void askRegions?.();
      for (const [id, name] of further) tell(name, { id });
      further.clear();
      views.look().catch((error: unknown) => log.warn({ err: error }, 'the list cannot be sent'));
    }, everyMs);
    return { ...views, further, ticker };
  };
  const progressed: Telling['progressed'] = (name) => (id) => void following?.further.set(id, name);
  const rest = () => {
    clearInterval(following?.ticker);
    following = undefined;
  };
  const onRemoved = (id: string) => {
    following?.remove(id);
    tell('removed', { id });
  };
  const onChanged = ({ id }: ImportRecord) => void following?.moved.add(id);
  const onMoved = (record: ImportRecord) => {
    onChanged(record);
    tell('import', { id: record.id });
  };
  coordinator.events.on('removed', onRemoved).on('changed', onChanged).on('state', onMoved);
  const heart = setInterval(() => {
    for (const { isStillAllowed, response } of watchers) {
      if (isStillAllowed()) write(response, ': still here\n\n');
      else response.end();
    }
  }, HEARTBEAT_MS);

  return {
    /**
     * The events from now on, and first the unfinished imports, as all others know them. Who follows a single thing looks at it by itself.
     * @param about the id of the import, sync or export that they are about; undefined: all
     */
    watch: async (about: string | undefined, isStillAllowed: Watcher['isStillAllowed'] = () => true) => {
      const response = new PassThrough();
      const isKnown = [...watchers].some((one) => one.about === undefined && !one.isNew);
      const watcher = { response, about, isStillAllowed, isNew: about === undefined };
      watchers.add(watcher);
      response.once('close', () => {
        watchers.delete(watcher);
        if (watchers.size === 0) rest();
      });
      // Before anything is waited for: the events may be closed meanwhile, which ends it.
      following ??= follow();
      const { look, all } = following;
      try {
        // All of them were looked at in the last tick, where someone else follows all.
        if (!isKnown) await askRegions?.();
        if (watcher.isNew && !isKnown) await look();
        write(response, listText(about === undefined ? all() : []));
      } catch (error) {
        response.destroy();
        throw error;
      } finally {
        watcher.isNew = false;
      }
      return response;
    },
    tell,
    progressed,
    watchers: () => watchers.size,
    /** Ends all streams; browsers come back by themselves. */
    close: () => {
      clearInterval(heart);
      coordinator.events.off('removed', onRemoved).off('changed', onChanged).off('state', onMoved);
      for (const { response } of watchers) response.end();
      watchers.clear();
      rest();
    },
  };
}

function watchedViews(
  watchers: ReadonlySet<Watcher>,
  { coordinator, unfinished, view }: Pick<EventSources, 'coordinator' | 'unfinished' | 'view'>,
) {
  /** The view that was sent last, as JSON, by import: for those that are not over. */
  const sent = new Map<string, string>();
  const moved = new Set<string>();
  /** The look that is under way: each asks about every import, so those who come meanwhile share it. */
  let looking: Promise<void> | undefined;

  const watched = () => {
    const abouts = [...watchers].map(({ about }) => about);
    if (abouts.includes(undefined)) return unfinished().map(({ id }) => id);
    return abouts.filter(
      (id) => id !== undefined && !isFinal(coordinator.lookUp(id)?.state ?? 'completed'),
    ) as string[];
  };

  const sendChanged = async () => {
    const looked = [...moved];
    moved.clear();
    const changed = new Map<string, string>();
    try {
      for (const id of new Set([...looked, ...watched()])) {
        const record = coordinator.lookUp(id);
        const text = record && JSON.stringify(await view(record));
        if (text !== undefined && sent.get(id) !== text) changed.set(id, text);
      }
    } catch (error) {
      // Nothing of it was sent: the next look takes them again.
      for (const id of looked) moved.add(id);
      throw error;
    }
    for (const [id, text] of changed) {
      const state = coordinator.lookUp(id)?.state;
      // Removed meanwhile, and its watchers know it.
      if (state === undefined) changed.delete(id);
      else if (isFinal(state)) sent.delete(id);
      else sent.set(id, text);
    }
    if (changed.size === 0) return;
    const text = listText([...changed.values()]);
    for (const { about, isNew, response } of watchers) {
      const own = about === undefined ? text : changed.has(about) && listText([changed.get(about) ?? '']);
      if (own && !isNew) write(response, own);
    }
  };
  return {
    /** Imports that are looked at next, in addition to those that are not over. */
    moved,
    look: () => {
      looking ??= sendChanged().finally(() => {
        looking = undefined;
      });
      return looking;
    },
    /** Those that are not over, as they were sent last. */
    all: () => unfinished().flatMap(({ id }) => sent.get(id) ?? []),
    remove: (id: string) => {
      moved.delete(id);
      sent.delete(id);
    },
  };
}

export function eventHandlers(events: Pick<Events, 'watch'>): HandlersOf<typeof eventOperations> {
  return { lists: async ({ id }) => events.watch(id) };
}

function listText(views: readonly string[]) {
  return `event: imports\ndata: {"imports":[${views.join(',')}]}\n\n`;
}

/** Writes to one watcher, or disconnects it when it does not read what it was sent. One that was ended gets nothing more. */
function write(response: PassThrough, text: string) {
  if (response.writableLength > MAX_UNSENT) response.destroy();
  else if (!response.writableEnded) response.write(text);
}

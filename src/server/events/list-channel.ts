import type { ImportRecord } from '../../imports/catalog.ts';
import { UnknownImport } from '../../imports/import-errors.ts';
import { IMPORT_STATES, isFinal } from '../../membership/import-state.ts';
import { type Channel, type EventSources, eventText, openChannel, TICK_MS, type Watcher, write } from './channel.ts';

/** The channel of the list: imports that changed, at most once a second. It is asleep while nobody watches. */
export interface ListChannel extends Channel {
  /** An import is in another state now. */
  moved(id: string): void;
  /** An import is gone. */
  removed(id: string): void;
  /** Tells one watcher of the imports that are not over. */
  welcome(watcher: Watcher): Promise<void>;
  /** Nobody watches any more. */
  rest(): void;
}

const NOT_OVER = IMPORT_STATES.filter((state) => !isFinal(state));
/** Imports that are not over and looked at, at most. */
const MOST = 200;

export function listChannel(sources: Omit<EventSources, 'regions'>): ListChannel {
  const { coordinator, reading, views, log } = sources;
  /** What was told last, by import. */
  const told = new Map<string, string>();
  const moved = new Set<string>();
  let ticker: NodeJS.Timeout | undefined;
  let looking = false;
  /** How often changes were told. */
  let changes = 0;

  /** Undefined when it has been removed meanwhile. */
  const found = (id: string): ImportRecord | undefined => {
    try {
      return coordinator.find(id);
    } catch (error) {
      if (error instanceof UnknownImport) return undefined;
      throw error;
    }
  };
  const look = async () => {
    const { imports } = reading.page({ states: NOT_OVER, limit: MOST });
    const ids = new Set([...moved, ...imports.map(({ id }) => id)]);
    moved.clear();
    const changed: string[] = [];
    for (const id of ids) {
      const record = found(id);
      if (record === undefined) continue;
      const text = JSON.stringify(await views.of(record));
      if (told.get(id) === text) continue;
      told.set(id, text);
      if (isFinal(record.state)) told.delete(id);
      changed.push(text);
    }
    return changed;
  };
  const tick = async () => {
    if (looking) return;
    looking = true;
    try {
      const changed = await look();
      if (changed.length === 0) return;
      changes += 1;
      present = undefined;
      channel.tell(listText(changed));
    } catch (error) {
      log.warn({ err: error }, 'the list cannot be told');
    } finally {
      looking = false;
    }
  };
  const rest = () => {
    clearInterval(ticker);
    ticker = undefined;
    moved.clear();
    told.clear();
  };
  const channel = openChannel(rest);
  /** What is so now, made once for all who come in the same second: each of them would ask about every import. */
  let present: { readonly at: number; readonly text: Promise<string> } | undefined;
  const presentText = (): Promise<string> => {
    if (present !== undefined && Date.now() - present.at < TICK_MS) return present.text;
    const { imports } = reading.page({ states: NOT_OVER, limit: MOST });
    const text = Promise.all(imports.map(async (record) => JSON.stringify(await views.of(record)))).then(listText);
    const made = { at: Date.now(), text };
    present = made;
    // What cannot be made is tried again for the next viewer.
    text.catch(() => {
      if (present === made) present = undefined;
    });
    return text;
  };

  return {
    ...channel,
    rest,
    moved: (id) => {
      if (ticker !== undefined) moved.add(id);
    },
    removed: (id) => {
      moved.delete(id);
      told.delete(id);
      channel.tell(eventText('removed', { id }));
    },
    welcome: async (watcher) => {
      ticker ??= setInterval(tick, TICK_MS);
      for (let tried = 1; ; tried += 1) {
        const before = changes;
        const text = await presentText();
        // What was told meanwhile is newer; it must not be followed by what is older.
        if (changes !== before && tried < 3) continue;
        write(watcher, text);
        return;
      }
    },
  };
}

function listText(views: readonly string[]): string {
  return `event: imports\ndata: {"imports":[${views.join(',')}]}\n\n`;
}

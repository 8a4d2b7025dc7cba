import type { ImportRecord } from '../../imports/catalog.ts';
import { UnknownImport } from '../../imports/import-errors.ts';
import { IMPORT_STATES, isFinal } from '../../membership/import-state.ts';
import { type Channel, type EventSources, eventText, openChannel, TICK_MS, type Watcher, write } from './channel.ts';

/** The channel of the list: imports that changed, at most once a second. It does nothing while no one watches. */
export interface ListChannel extends Channel {
  /** An import is in another state now. */
  moved(id: string): void;
  /** An import was removed. */
  removed(id: string): void;
  /** Sends one watcher the unfinished imports. */
  welcome(watcher: Watcher): Promise<void>;
  /** Whether someone watches while imports are sent: then what the regions do is in the events. */
  isSending(): boolean;
  /** The last watcher has left. */
  rest(): void;
}

const UNFINISHED = IMPORT_STATES.filter((state) => !isFinal(state));
/** Most unfinished imports that are looked at. */
const MAX_LISTED = 200;

export function listChannel(sources: EventSources): ListChannel {
  const { coordinator, reading, views, running, regions, log } = sources;
  const viewOf = (record: ImportRecord) =>
    record.state === 'running' ? running.of(record, regions()) : views.of(record);
  /** The view that was sent last, as JSON, by import. */
  const sent = new Map<string, string>();
  const moved = new Set<string>();
  let ticker: NodeJS.Timeout | undefined;
  let looking = false;
  /** The number of changes that were sent. */
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
  /** Views of these imports that differ from what was sent. */
  const changedOf = async (ids: ReadonlySet<string>) => {
    const changed: { readonly id: string; readonly text: string; readonly isOver: boolean }[] = [];
    for (const id of ids) {
      const record = found(id);
      if (record === undefined) continue;
      const text = JSON.stringify(await viewOf(record));
      if (sent.get(id) !== text) changed.push({ id, text, isOver: isFinal(record.state) });
    }
    return changed;
  };
  const look = async () => {
    const { imports } = reading.page({ states: UNFINISHED, limit: MAX_LISTED });
    const looked = [...moved];
    moved.clear();
    try {
      const changed = await changedOf(new Set([...looked, ...imports.map(({ id }) => id)]));
      for (const { id, text, isOver } of changed) {
        if (isOver) sent.delete(id);
        else sent.set(id, text);
      }
      return changed.map(({ text }) => text);
    } catch (error) {
      // Nothing of it was sent: the next look takes them again.
      for (const id of looked) moved.add(id);
      throw error;
    }
  };
  const tick = async () => {
    if (looking) return;
    looking = true;
    try {
      const changed = await look();
      if (changed.length === 0) return;
      changes += 1;
      present = undefined;
      channel.send(listText(changed));
    } catch (error) {
      log.warn({ err: error }, 'the list cannot be sent');
    } finally {
      looking = false;
    }
  };
  const rest = () => {
    clearInterval(ticker);
    ticker = undefined;
    moved.clear();
    sent.clear();
  };
  const channel = openChannel(rest);
  /** The present list, made once for all watchers that come in the same second: each would ask about every import. */
  let present: { readonly at: number; readonly text: Promise<string> } | undefined;
  const presentText = (): Promise<string> => {
    if (present !== undefined && Date.now() - present.at < TICK_MS) return present.text;
    const { imports } = reading.page({ states: UNFINISHED, limit: MAX_LISTED });
    const text = Promise.all(imports.map(async (record) => JSON.stringify(await viewOf(record)))).then(listText);
    const made = { at: Date.now(), text };
    present = made;
    // A text that cannot be made is tried again for the next viewer.
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
    isSending: () => channel.watchers.size > 0 && (reading.counts().get('running') ?? 0) > 0,
    removed: (id) => {
      moved.delete(id);
      sent.delete(id);
      channel.send(eventText('removed', { id }));
    },
    welcome: async (watcher) => {
      ticker ??= setInterval(tick, TICK_MS);
      for (let tried = 1; ; tried += 1) {
        const before = changes;
        const text = await presentText();
        // Changes that were sent meanwhile are newer, and an older list must not follow them.
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

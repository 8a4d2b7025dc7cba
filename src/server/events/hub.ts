import type { ListEvents } from '../../api/events.ts';
import type { RegionStatus } from '../../api/region-status.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import { answersSoon, QUEUE_SILENT } from '../http-answers.ts';
import { type Channel, type EventSources, eventText, TICK_MS, type Watcher, write } from './channel.ts';
import { type ImportChannel, importChannel } from './import-channel.ts';
import { ListChannel } from './list-channel.ts';

/** Server-sent events: one channel for each import that is watched, and one for the list. */
export interface Events {
  /** Writes moves after `since` (ms since 1970), the present state, and everything from then on. */
  watchImport(record: ImportRecord, since: number | undefined, watcher: Watcher): Promise<void>;
  watchList(watcher: Watcher): Promise<void>;
  /** Tells those who watch the list. */
  tell<Name extends keyof ListEvents>(name: Name, data: ListEvents[Name]): void;
  /** Returns the number of viewers. */
  watchers(): number;
  /** Ends all streams; browsers come back by themselves. */
  close(): void;
}

const HEARTBEAT_MS = 15_000;

export function openEvents(sources: Omit<EventSources, 'regions'>): Events {
  const { coordinator, log } = sources;
  const imports = new Map<string, ImportChannel>();
  let regions: readonly RegionStatus[] = [];
  let asking = false;
  let answered = true;
  const list = new ListChannel({ ...sources, regions: () => regions });

  /** Regions are asked once for all channels; a queue that does not answer delays no event. */
  const ask = async () => {
    if (asking || (imports.size === 0 && !list.isSending())) return;
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
  const onRemoved = (id: string) => {
    list.removed(id);
    imports.get(id)?.close();
  };
  coordinator.events.on('removed', onRemoved);
  const onState = (record: ImportRecord) => {
    list.moved(record.id);
    imports.get(record.id)?.moved(record);
  };
  coordinator.events.on('state', onState);
  const onChanged = (record: ImportRecord) => list.moved(record.id);
  coordinator.events.on('changed', onChanged);
  const asker = setInterval(ask, TICK_MS);
  const channels = () => [list, ...imports.values()];
  const heart = setInterval(() => {
    for (const { watchers } of channels()) {
      for (const watcher of watchers) {
        if (watcher.isStillAllowed()) write(watcher, ': still here\n\n');
        else watcher.response.end();
      }
    }
  }, HEARTBEAT_MS);

  const open = (id: string): ImportChannel => {
    const channel = importChannel(id, { ...sources, regions: () => regions }, () => {
      if (imports.get(id) === channel) imports.delete(id);
    });
    imports.set(id, channel);
    return channel;
  };

  return {
    watchImport: async (record, since, watcher) => {
      const { id } = record;
      const channel = imports.get(id) ?? open(id);
      join(channel, watcher, () => channel.close());
      await ask();
      await channel.welcome(since, watcher);
    },
    watchList: async (watcher) => {
      join(list, watcher, () => list.rest());
      await ask();
      await list.welcome(watcher);
    },
    tell: (name, data) => list.send(eventText(name, data)),
    watchers: () => channels().reduce((sum, { watchers }) => sum + watchers.size, 0),
    close: () => {
      clearInterval(asker);
      clearInterval(heart);
      coordinator.events.off('removed', onRemoved);
      coordinator.events.off('state', onState);
      coordinator.events.off('changed', onChanged);
      for (const channel of channels()) channel.close();
    },
  };
}

function join(channel: Channel, watcher: Watcher, onLeft: () => void): void {
  channel.watchers.add(watcher);
  watcher.response.on('close', () => {
    channel.watchers.delete(watcher);
    if (channel.watchers.size === 0) onLeft();
  });
}

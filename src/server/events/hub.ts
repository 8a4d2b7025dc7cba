import type { ListEvents } from '../../api/events.ts';
import type { RegionStatus } from '../../api/region-status.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import { answersSoon, QUEUE_SILENT } from '../http-answers.ts';
import { type EventSources, ListChannel, TICK_MS, type Watcher, write } from './list-channel.ts';

export type Events = ReturnType<typeof openEvents>;

const HEARTBEAT_MS = 15_000;

/** Server-sent events: what changes in the lists. */
export function openEvents(sources: Omit<EventSources, 'regions'>) {
  const { coordinator, log } = sources;
  let regions: readonly RegionStatus[] = [];
  let asking = false;
  let answered = true;
  const list = new ListChannel({ ...sources, regions: () => regions });

  /** A queue that does not answer delays no event. */
  const ask = async () => {
    if (asking || !list.isSending()) return;
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
  const onMoved = ({ id }: ImportRecord) => list.moved(id);
  coordinator.events.on('state', onMoved);
  coordinator.events.on('changed', onMoved);
  const asker = setInterval(ask, TICK_MS);
  const heart = setInterval(() => {
    for (const watcher of list.watchers) {
      if (watcher.isStillAllowed()) write(watcher, ': still here\n\n');
      else watcher.response.end();
    }
  }, HEARTBEAT_MS);

  return {
    watchList: async (watcher: Watcher) => {
      list.watchers.add(watcher);
      watcher.response.on('close', () => {
        list.watchers.delete(watcher);
        if (list.watchers.size === 0) list.rest();
      });
      await ask();
      await list.welcome(watcher);
    },
    /** Tells those who watch the list. */
    tell: <Name extends keyof ListEvents>(name: Name, data: ListEvents[Name]) => list.tell(name, data),
    /** Returns the number of viewers. */
    watchers: () => list.watchers.size,
    /** Ends all streams; browsers come back by themselves. */
    close: () => {
      clearInterval(asker);
      clearInterval(heart);
      coordinator.events.off('removed', onRemoved);
      coordinator.events.off('state', onMoved);
      coordinator.events.off('changed', onMoved);
      list.close();
    },
  };
}

import { PassThrough } from 'node:stream';
import type { eventOperations, ListEvents } from '../../api/events.ts';
import type { HandlersOf } from '../../api/operation.ts';
import type { RegionStatus } from '../../api/region-status.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { answersSoon, QUEUE_SILENT } from '../http-answers.ts';
import { type EventSources, ListChannel, type Progressing, type Watcher, write } from './list-channel.ts';

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

import type { ImportRecord } from '../../imports/catalog.ts';
import type { ImportProgress } from '../../imports/report/import-reader.ts';
import { isFinal } from '../../membership/import-state.ts';
import { type Channel, type EventSources, eventText, openChannel, TICK_MS, type Watcher, write } from './channel.ts';
import { paceOf } from './import-pace.ts';

/** The channel of one import: its moves as they happen, its progress once a second while something changes. */
export interface ImportChannel extends Channel {
  /** The import is in another state now. */
  moved(record: ImportRecord): void;
  /** Sends one watcher what it missed since `since` (ms since 1970), and the present state. */
  welcome(since: number | undefined, watcher: Watcher): Promise<void>;
}

const NOTHING_DONE: ImportProgress = {
  at: 0,
  counters: new Map(),
  callsLeft: new Map(),
};

export function importChannel(id: string, sources: EventSources, onClosed: () => void): ImportChannel {
  const { coordinator, reading, views, regions, callsPerMinute, log } = sources;
  const pace = paceOf(callsPerMinute);
  /** The progress that was sent last, without its time. */
  let lastSent = '';
  /** Events are made one after the other, so that they are sent in the order in which things happened. */
  let work: Promise<void> = Promise.resolve();
  const inOrder = (task: () => Promise<void>): Promise<void> => {
    work = work.then(task).catch((error: unknown) => log.warn({ err: error, import: id }, 'an event cannot be made'));
    return work;
  };

  const progress = async () => {
    const isSending = coordinator.find(id).state === 'running';
    const done = reading.hasRows(id) ? await reading.rowsOf(id).progress() : NOTHING_DONE;
    return pace({ ...done, staging: views.staging(id), regions: regions(), isSending, now: Date.now() });
  };
  const sendProgress = async () => {
    const { at, ...now } = await progress();
    const text = JSON.stringify(now);
    if (text === lastSent) return;
    lastSent = text;
    channel.send(eventText('progress', { at, ...now }));
  };
  const sendState = async (record: ImportRecord, at: number) => {
    channel.send(eventText('state', await views.of(record), at));
    if (!isFinal(record.state)) return;
    await sendProgress();
    channel.send(eventText('end', {}));
    channel.close();
  };

  let ticking = false;
  const ticker = setInterval(() => {
    // A tick may take longer than a second; ticks do not overlap.
    if (ticking) return;
    ticking = true;
    void inOrder(sendProgress).finally(() => {
      ticking = false;
    });
  }, TICK_MS);
  const channel = openChannel(() => {
    clearInterval(ticker);
    onClosed();
  });

  return {
    ...channel,
    moved: (record) => {
      const at = Date.now();
      void inOrder(() => sendState(record, at));
    },
    welcome: (since, watcher) =>
      inOrder(async () => {
        const record = coordinator.find(id);
        const view = await views.of(record);
        const moves = reading.transitions(id);
        // Always the present state: what a watcher knows may be older than its last event.
        const missed = moves.filter(
          ({ at }, index) => index === moves.length - 1 || (since !== undefined && at > since),
        );
        for (const move of missed) {
          const { at, state, reason } = move;
          write(watcher, eventText('state', move === moves.at(-1) ? view : { ...view, state, reason }, at));
        }
        write(watcher, eventText('progress', await progress()));
        if (!isFinal(record.state)) return;
        write(watcher, eventText('end', {}));
        watcher.response.end();
      }),
  };
}

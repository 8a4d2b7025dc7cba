import { setTimeout as sleep } from 'node:timers/promises';
import { type NotifyPayload, notify } from '../../../jobs/notify.ts';
import { UnknownImport } from '../../imports/import-errors.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Logger } from '../../platform/log.ts';
import type { JobQueue } from '../../queue/job-queue.ts';
import type { JobWorker } from '../../queue/job-worker.ts';
import type { ServerContext } from '../../server/context.ts';
import type { ImportViews } from '../../server/import-views.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import { UnknownSync } from '../sync/sync-errors.ts';
import { type Deliveries, type Delivery, openDeliveries } from './deliveries.ts';
import { noteText } from './note.ts';
import { type Outages, watchOutages } from './outages.ts';
import type { Receiver } from './receiver.ts';

/** The events that are told, and the receiver. */
export interface NotifierOptions {
  readonly coordinator: Coordinator;
  readonly syncs: SyncRunner;
  readonly dir: DataDir;
  readonly views: ImportViews;
  readonly syncViews: ServerContext['syncViews'];
  readonly receiver: Receiver;
  readonly log: Logger;
  /** Minimum outage of the service before anyone is notified, in ms. Default: a minute. */
  readonly outageMs?: number | undefined;
  /** Called with the result of each attempt. */
  readonly attempted?: ((result: NotificationResult) => void) | undefined;
}

export type NotificationResult = 'delivered' | 'failed' | 'given-up';

/** Notes that are sent at the same time. */
const AT_ONCE = 4;
/** Interval in which notes that a wiped queue has lost are queued again, in ms. */
const KEEP_MS = 30_000;
/** Notes older than this are given up, in ms. */
const TOO_OLD_MS = 86_400_000;
/** Time that queueing gets when the server stops, in ms. */
const LEAVE_MS = 1_000;

export async function openNotifier(options: NotifierOptions): Promise<Notifier> {
  const { coordinator, dir, log } = options;
  const deliveries = openDeliveries(dir.catalog);
  deliveries.begin();
  const onError = (error: unknown) => log.warn({ err: error }, 'a notification cannot be sent now');
  const queue = coordinator.backend.openQueue<NotifyPayload>(`notify-${deliveries.owner}`, notify, onError);
  // Left by an earlier process: what is still to be sent is in the catalog.
  await queue.clear();
  const notifier = new Notifier(options, { deliveries, queue, onError });
  await notifier.begin();
  return notifier;
}

interface Parts {
  readonly deliveries: Deliveries;
  readonly queue: JobQueue<NotifyPayload>;
  readonly onError: (error: unknown) => void;
}

export class Notifier {
  /** Counts the undelivered notes. */
  readonly count: Deliveries['count'];
  readonly #options: NotifierOptions;
  readonly #parts: Parts;
  readonly #worker: JobWorker;
  readonly #outages: Outages;
  readonly #keeper: NodeJS.Timeout;
  readonly #onState = () => void this.#queueWaiting('unmade');
  /** Notes are written down and queued one after another. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: NotifierOptions, parts: Parts) {
    const { coordinator, syncs, outageMs } = options;
    const { deliveries, queue, onError } = parts;
    this.#options = options;
    this.#parts = parts;
    this.count = deliveries.count;
    this.#worker = coordinator.backend.startWorker({
      queue,
      definitions: [notify],
      ports: {
        deliver: (delivery, signal) => this.#deliver(delivery, signal),
        giveUp: (delivery, error) => this.#giveUp(delivery, error),
      },
      concurrency: AT_ONCE,
      onError,
    });
    this.#outages = watchOutages((note) => {
      deliveries.add(note);
      void this.#queueWaiting('all');
    }, outageMs);
    coordinator.events.on('circuit', this.#outages.changed);
    coordinator.events.on('state', this.#onState);
    syncs.events.on('state', this.#onState);
    this.#keeper = setInterval(() => void this.#queueWaiting('all'), KEEP_MS);
  }

  /** Queues what an earlier process has left. */
  begin(): Promise<void> {
    return this.#queueWaiting('all');
  }

  /** Stops; notes that are not delivered by then are delivered after the next start. */
  async close(): Promise<void> {
    const { coordinator, syncs, receiver } = this.#options;
    clearInterval(this.#keeper);
    coordinator.events.off('circuit', this.#outages.changed);
    this.#outages.close();
    coordinator.events.off('state', this.#onState);
    syncs.events.off('state', this.#onState);
    // A queue that is down does not answer; stored notes are queued at the next start.
    await Promise.race([this.#work, sleep(LEAVE_MS, undefined, { ref: false })]);
    const closed = this.#worker.close();
    // Do not wait for a receiver that does not answer: the note is sent again at the next start.
    this.#worker.abort();
    await receiver.close();
    await closed;
    await this.#parts.queue.close();
    this.#parts.deliveries.close();
  }

  #queueWaiting(which: 'all' | 'unmade'): Promise<void> {
    const { deliveries, onError } = this.#parts;
    this.#work = this.#work.then(() => this.#queueNotes(deliveries.waiting(which))).catch(onError);
    return this.#work;
  }

  async #queueNotes(notes: readonly Delivery[]): Promise<void> {
    const { deliveries, queue, onError } = this.#parts;
    const jobs: { id: string; payload: NotifyPayload }[] = [];
    for (const note of notes) {
      const { id, at, body } = note;
      if (at < Date.now() - TOO_OLD_MS) {
        this.#giveUp(id, new Error('it is older than a day'));
        continue;
      }
      if (body === null) {
        // One that cannot be made now is tried again later, and keeps no other waiting.
        const made = await bodyOf(this.#options, note).catch(onError);
        if (made === undefined) continue;
        // Its import or sync was removed.
        if (made === REMOVED) {
          deliveries.remove(id);
          continue;
        }
        deliveries.write(id, made.text);
      }
      // The same id for the same note: what is queued already is not queued twice.
      jobs.push({ id: `notify-${id}`, payload: { version: 1, delivery: id } });
    }
    if (jobs.length > 0) await queue.add(jobs);
  }

  async #deliver(delivery: string, signal: AbortSignal): Promise<void> {
    const { receiver, log, attempted } = this.#options;
    const { deliveries } = this.#parts;
    const note = deliveries.find(delivery);
    if (note === undefined || note.body === null) return;
    try {
      await receiver.send({ id: note.id, body: note.body }, signal);
    } catch (error) {
      log.warn({ err: error, delivery, about: note.subject }, 'a notification did not arrive');
      attempted?.('failed');
      throw error;
    }
    deliveries.remove(delivery);
    attempted?.('delivered');
  }

  #giveUp(delivery: string, error: unknown): void {
    const { log, attempted } = this.#options;
    const { deliveries } = this.#parts;
    const note = deliveries.find(delivery);
    log.error({ err: error, delivery, about: note?.subject, state: note?.state }, 'a notification is given up');
    deliveries.remove(delivery);
    attempted?.('given-up');
  }
}

/** Drops the notifications that are waiting, where no receiver is set any more. */
export function dropNotifications(dir: DataDir): void {
  const deliveries = openDeliveries(dir.catalog);
  deliveries.end();
  deliveries.close();
}

/** There is nothing to say any more. */
const REMOVED = 'removed';

/** The note as JSON. */
async function bodyOf(options: NotifierOptions, note: Delivery): Promise<{ readonly text: string } | typeof REMOVED> {
  const { kind, state, reason, at } = note;
  try {
    const view = await viewOf(options, note);
    return { text: noteText(`${kind}.${state}`, at, { ...view, state, reason }) };
  } catch (error) {
    if (error instanceof UnknownImport || error instanceof UnknownSync) return REMOVED;
    throw error;
  }
}

async function viewOf({ coordinator, syncs, views, syncViews }: NotifierOptions, { kind, subject }: Delivery) {
  return kind === 'import' ? views.of(coordinator.find(subject)) : syncViews.whole(syncs.find(subject));
}

import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { ImportView } from '../../api/imports.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import { UnknownImport } from '../../imports/import-errors.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Logger } from '../../platform/log.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import { UnknownSync } from '../sync/sync-errors.ts';
import type { SyncViews } from '../sync/sync-views.ts';
import { type Count, type Delivery, openDeliveries } from './deliveries.ts';
import { noteText } from './note.ts';
import { watchOutages } from './outages.ts';
import type { Receiver } from './receiver.ts';

/** The parts of a server that have something to tell. */
export interface Told {
  readonly coordinator: Coordinator;
  readonly syncs: SyncRunner;
  readonly dir: DataDir;
  readonly views: { of(record: ImportRecord): Promise<ImportView> };
  readonly syncViews: Pick<SyncViews, 'whole'>;
  readonly log: Logger;
}
/** The results of an attempt. */
export const RESULTS = ['delivered', 'failed', 'given-up'] as const;
type Result = (typeof RESULTS)[number];

/** Notes that are sent at the same time. */
const AT_ONCE = 4;
/** Times in ms: of the waits between two attempts, which double; of the age at which a note is given up. */
const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 3_600_000;
const TOO_OLD_MS = 86_400_000;
/** Time that an attempt gets when the server stops, in ms. */
const LEAVE_MS = 1_000;

/**
 * Sends the notes of the catalog, each until it arrives or is a day old. The catalog writes a note with the move that it is
 * about, so that none is lost with this process.
 */
export class Outbox {
  readonly #told: Told;
  readonly #attempted: (result: Result) => void;
  readonly #deliveries: ReturnType<typeof openDeliveries>;
  /** By the id of the note. */
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #making = pLimit(1);
  readonly #sending = pLimit(AT_ONCE);
  #receiver: Receiver | undefined;
  #stop = new AbortController();

  /** @param outageMs minimum outage of the service before anyone is notified; default: a minute */
  constructor(told: Told, attempted: (result: Result) => void, outageMs?: number) {
    this.#told = told;
    this.#attempted = attempted;
    this.#deliveries = openDeliveries(told.dir.catalog);
    const outages = watchOutages((note) => {
      if (this.#receiver !== undefined) this.#deliveries.add(note);
      this.#sendWaiting();
    }, outageMs);
    // Without a receiver, and after `close`, these do nothing.
    told.coordinator.events.on('circuit', outages);
    told.coordinator.events.on('state', this.#sendWaiting);
    told.syncs.events.on('state', this.#sendWaiting);
  }

  /** The receiver of all notes from now on, of those that wait too. Undefined: they are dropped, and none is written. */
  async use(receiver: Receiver | undefined): Promise<void> {
    await this.#leave();
    await Promise.all(this.#underWay.values());
    if (receiver === undefined) this.#deliveries.end();
    else this.#deliveries.begin();
    this.#receiver = receiver;
    this.#stop = new AbortController();
    this.#sendWaiting();
  }

  /** Counts the undelivered notes. */
  count(): Count {
    return this.#deliveries.count();
  }

  /** Stops; notes that are not delivered by then are delivered after the next start. */
  async close(): Promise<void> {
    await this.#leave();
    // A mail server that does not answer is not waited for.
    await Promise.race([Promise.all(this.#underWay.values()), sleep(LEAVE_MS, undefined, { ref: false })]);
    this.#deliveries.close();
  }

  async #leave(): Promise<void> {
    const before = this.#receiver;
    this.#receiver = undefined;
    this.#stop.abort();
    await before?.close();
  }

  readonly #sendWaiting = () => {
    const receiver = this.#receiver;
    if (receiver === undefined) return;
    const failed = (error: unknown) => this.#told.log.warn({ err: error }, 'a notification cannot be sent now');
    try {
      for (const note of this.#deliveries.waiting()) {
        if (this.#underWay.has(note.id)) continue;
        const sent = this.#send(note, receiver, this.#stop.signal).catch(failed);
        this.#underWay.set(
          note.id,
          sent.finally(() => this.#underWay.delete(note.id)),
        );
      }
    } catch (error) {
      failed(error);
    }
  };

  async #send(note: Delivery, receiver: Receiver, signal: AbortSignal): Promise<void> {
    const { id } = note;
    const about = { delivery: id, about: note.subject, state: note.state };
    let { body } = note;
    for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)) {
      if (note.at < Date.now() - TOO_OLD_MS) {
        this.#told.log.error(about, 'a notification is given up: it is older than a day');
        this.#deliveries.remove(id);
        return this.#attempted('given-up');
      }
      try {
        const made = body ?? (await this.#making(() => this.#make(note)));
        body = made;
        await this.#sending(() => receiver.send({ id, body: made }, signal));
        this.#deliveries.remove(id);
        return this.#attempted('delivered');
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof UnknownImport || error instanceof UnknownSync) return this.#deliveries.remove(id);
        this.#told.log.warn({ err: error, ...about }, 'a notification did not arrive');
        this.#attempted('failed');
      }
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** The body of a note about an import or a sync, which is kept. @throws UnknownImport, UnknownSync once it was removed */
  async #make({ id, kind, subject, state, reason, at }: Delivery): Promise<string> {
    const { coordinator, syncs, views, syncViews } = this.#told;
    const view =
      kind === 'import' ? await views.of(coordinator.find(subject)) : await syncViews.whole(syncs.find(subject));
    const body = noteText(`${kind}.${state}`, at, { ...view, state, reason });
    this.#deliveries.write(id, body);
    return body;
  }
}

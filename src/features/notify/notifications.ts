import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { Counter, type Registry } from 'prom-client';
import { readGauge } from '../../app/call-metrics.ts';
import { isError } from '../../errors/rollcall-error.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { CATALOG_SCHEMA } from '../../imports/schemas.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Logger } from '../../platform/log.ts';
import { openForWriting, type Statements, statementsOf } from '../../platform/sqlite.ts';
import { Works } from '../../platform/works.ts';
import { asSentence } from '../../text/wording.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import { type Delivery, noteText, watchOutages } from './note.ts';
import { isSigned, openReceiver } from './open-receiver.ts';
import type { KeptReceiver, NotificationsView } from './operations.ts';
import type { Receiver } from './receiver.ts';

/** The parts of a server that have something to tell, and the receiver that it was started with or that an admin has set. */
export interface NotificationParts {
  readonly coordinator: Pick<Coordinator, 'events'>;
  readonly syncs: Pick<SyncRunner, 'events'>;
  /** An import or sync as the API shows it. @throws UNKNOWN_IMPORT, UNKNOWN_SYNC */
  readonly view: (kind: Delivery['kind'], id: string) => Promise<object>;
  readonly dir: DataDir;
  readonly log: Logger;
  readonly registry: Registry;
  readonly access: {
    receiver(): KeptReceiver | undefined;
    keepReceiver(receiver: KeptReceiver): void;
    forgetReceiver(): void;
  };
  /** Set when the server was started: no other is used. */
  readonly receiver?: Receiver | undefined;
  readonly notifyPrivate?: boolean;
  /** Minimum outage of the service before anyone is notified, in ms. Default: a minute. */
  readonly outageMs?: number | undefined;
}

/** Notes that are sent at the same time. */
const AT_ONCE = 4;
/** Times in ms: of the waits between two attempts, which double; of the age at which a note is given up. */
const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 3_600_000;
const TOO_OLD_MS = 86_400_000;
/** Time that an attempt gets when the server stops, in ms. */
const LEAVE_MS = 1_000;

/**
 * Sends the notes of the catalog to the receiver, each until it arrives or is a day old. The catalog writes a note with the move
 * that it is about, so that none is lost with this process.
 */
export async function openNotifications(parts: NotificationParts) {
  const { coordinator, syncs, dir, log, access, notifyPrivate } = parts;
  /** The catalog, which the coordinator also has open. */
  const database = openForWriting(dir.catalog, CATALOG_SCHEMA);
  const sql = statementsOf(database, new URL('deliveries.sql', import.meta.url));
  const send = sender(parts, sql);
  /** By the id of the note. */
  const works = new Works<never>(() => {});
  /** One change after another: each closes what the one before has opened. */
  const changing = pLimit(1);
  let receiver: Receiver | undefined;
  let problem: string | null = null;

  const sendWaiting = () => {
    const current = receiver;
    if (current === undefined) return;
    const failed = (error: unknown) => log.warn({ err: error }, 'a notification cannot be sent now');
    try {
      for (const note of sql<Delivery>('waiting_notes').all()) {
        if (works.isUnderWay(note.id)) continue;
        works.begin(note.id, (signal) => send(note, current, signal)).catch(failed);
      }
    } catch (error) {
      failed(error);
    }
  };
  const leave = async () => {
    const before = receiver;
    receiver = undefined;
    await Promise.all([works.stop(), before?.close()]);
  };
  /** The receiver of all notes from now on, of those that wait too. Undefined: they are dropped, and none is written. */
  const use = async (next: Receiver | undefined) => {
    await leave();
    if (next === undefined) {
      sql('end_notes').run();
      sql('clear_notes').run();
    } else sql('begin_notes').run({ at: Date.now() });
    receiver = next;
    problem = null;
    sendWaiting();
  };

  const outages = watchOutages((note) => {
    if (receiver !== undefined) sql('add_note').run({ ...note });
    sendWaiting();
  }, parts.outageMs);
  // Without a receiver, and after `close`, these do nothing.
  coordinator.events.on('circuit', outages).on('state', sendWaiting);
  syncs.events.on('state', sendWaiting);
  const kept = parts.receiver === undefined ? access.receiver() : undefined;
  try {
    await use(kept === undefined ? parts.receiver : await openReceiver(kept, notifyPrivate));
  } catch (error) {
    const isAddress = isError(error, 'BAD_RECEIVER');
    if (!(isAddress || isError(error, 'PACKAGE_MISSING'))) throw error;
    log.error({ err: error }, 'the receiver of notifications that was set is not used');
    await use(undefined);
    problem = isAddress ? `The address ${error.message}` : asSentence(error.message);
  }

  return {
    view: (): NotificationsView => ({ host: receiver?.host ?? null, fixed: parts.receiver !== undefined, problem }),
    receiver: () => receiver,
    /** @returns the secret that was made, where notifications to it are signed @throws BAD_RECEIVER */
    set: (address: string) =>
      changing(async () => {
        const taken = { address, secret: isSigned(address) ? `whsec_${randomBytes(32).toString('base64')}` : null };
        const next = await openReceiver(taken, notifyPrivate);
        access.keepReceiver(taken);
        await use(next);
        return taken.secret;
      }),
    /** No one is notified from now on. */
    clear: () =>
      changing(() => {
        access.forgetReceiver();
        return use(undefined);
      }),
    /** Stops; notes that are not delivered by then are delivered after the next start. */
    close: () =>
      changing(async () => {
        // A mail server that does not answer is not waited for.
        await Promise.race([leave(), sleep(LEAVE_MS, undefined, { ref: false })]);
        database.close();
      }),
  };
}

/** Sends a note until it arrives, is too old, or the signal comes. */
function sender({ view, log, registry }: NotificationParts, sql: Statements) {
  const attempted = measured(registry, sql);
  const sending = pLimit(AT_ONCE);
  /** The body of a note about an import or a sync, which is kept. @throws UNKNOWN_IMPORT, UNKNOWN_SYNC once it was removed */
  const make = async ({ id, kind, subject, state, reason, at }: Delivery) => {
    const body = noteText(`${kind}.${state}`, at, { ...(await view(kind, subject)), state, reason });
    sql('write_note').run({ id, body });
    return body;
  };
  return async (note: Delivery, receiver: Receiver, signal: AbortSignal) => {
    const { id } = note;
    const about = { delivery: id, about: note.subject, state: note.state };
    const remove = () => void sql('remove_note').run({ id });
    let { body } = note;
    for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)) {
      if (note.at < Date.now() - TOO_OLD_MS) {
        log.error(about, 'a notification is given up: it is older than a day');
        remove();
        return attempted('given-up');
      }
      try {
        await sending(async () => {
          body ??= await make(note);
          await receiver.send({ id, body }, signal);
        });
        remove();
        return attempted('delivered');
      } catch (error) {
        signal.throwIfAborted();
        if (isError(error, 'UNKNOWN_IMPORT', 'UNKNOWN_SYNC')) return remove();
        log.warn({ err: error, ...about }, 'a notification did not arrive');
        attempted('failed');
      }
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
    }
  };
}

function measured(registry: Registry, sql: Statements) {
  const waiting = () => sql<{ waiting: number; since: number | null }>('count_notes').get();
  const results = ['delivered', 'failed', 'given-up'] as const;
  const attempts = new Counter({
    name: 'rollcall_notifications_total',
    help: 'Attempts to deliver a notification, by result; one that is given up is lost',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of results) attempts.inc({ result }, 0);
  readGauge(registry, 'rollcall_notifications_waiting', 'Notifications that are not delivered yet', [], () => [
    [{}, waiting()?.waiting ?? 0],
  ]);
  readGauge(
    registry,
    'rollcall_notifications_oldest_seconds',
    'Age of the oldest notification that is not delivered yet; 0 when there is none',
    [],
    () => {
      const now = Date.now();
      return [[{}, Math.max(0, now - (waiting()?.since ?? now)) / 1000]];
    },
  );
  return (result: (typeof results)[number]) => attempts.inc({ result });
}

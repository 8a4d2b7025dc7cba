import { randomBytes } from 'node:crypto';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { AccessStore, KeptReceiver } from '../../server/access/access-store.ts';
import { isSigned, openAnyReceiver } from './any-receiver.ts';
import type { NotificationsView } from './api.ts';
import {
  dropNotifications,
  type NotificationResult,
  type Notifier,
  type NotifierOptions,
  openNotifier,
} from './notifier.ts';
import { BadReceiver, type Receiver, signingKey } from './receiver.ts';

interface NotificationsOptions {
  /** The events that are told, whoever the receiver is. */
  readonly told: Omit<NotifierOptions, 'receiver' | 'attempted'>;
  readonly access: AccessStore;
  readonly registry: Registry;
  /** Set when the server was started: no other is used. */
  readonly fixed: Receiver | undefined;
  /** Whether the receiver may have a private address. */
  readonly allowPrivate: boolean;
}

/** The receiver of notifications: the one that the server was started with, else the one that an admin has set. */
export interface Notifications {
  view(): NotificationsView;
  /** The one in use. */
  receiver(): Receiver | undefined;
  /**
   * Takes another receiver, at once and for good.
   * @param secret a signing secret; undefined: one is made, where one is needed
   * @returns the secret that was made
   * @throws BadReceiver
   */
  set(address: string, secret: string | undefined): Promise<string | null>;
  /** No one is notified from now on. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openNotifications(options: NotificationsOptions): Promise<Notifications> {
  const { told, access, fixed, registry, allowPrivate } = options;
  const { dir, log } = told;
  let receiver: Receiver | undefined;
  let notifier: Notifier | undefined;
  let problem: string | null = null;
  let metrics: ReturnType<typeof notificationMetrics> | undefined;
  const watched = () => {
    const made = notificationMetrics(registry);
    made.watch({ count: () => notifier?.count() ?? { waiting: 0, since: null } });
    return made;
  };
  const use = async (next: Receiver | undefined) => {
    const before = notifier;
    notifier = undefined;
    receiver = next;
    problem = null;
    await before?.close();
    if (next === undefined) return dropNotifications(dir);
    metrics ??= watched();
    notifier = await openNotifier({ ...told, receiver: next, attempted: metrics.attempted });
  };
  const open = ({ address, secret }: KeptReceiver) =>
    openAnyReceiver({ url: address, key: signingKey(secret ?? ''), allowPrivate });
  /** One change after another: each closes what the one before has opened. */
  let changes: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(change: () => Promise<Result>): Promise<Result> => {
    const done = changes.then(change);
    changes = done.catch(() => {});
    return done;
  };

  const kept = fixed === undefined ? access.receiver() : undefined;
  let first = fixed;
  let refused: string | null = null;
  if (kept !== undefined) {
    try {
      first = await open(kept);
    } catch (error) {
      if (!(error instanceof BadReceiver)) throw error;
      refused = `The address ${error.message}`;
      log.error({ err: error }, 'the receiver of notifications that was set is not used');
    }
  }
  await use(first);
  problem = refused;

  return {
    view: () => ({ host: receiver?.host ?? null, fixed: fixed !== undefined, problem }),
    receiver: () => receiver,
    set: (address, given) =>
      inTurn(async () => {
        const made = given === undefined && isSigned(address) ? newSecret() : null;
        const secret = isSigned(address) ? (given ?? made) : null;
        const next = await open({ address, secret });
        access.keepReceiver({ address, secret });
        await use(next);
        return made;
      }),
    clear: () =>
      inTurn(async () => {
        access.forgetReceiver();
        await use(undefined);
      }),
    close: () => inTurn(async () => notifier?.close()),
  };
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Metrics of notifications, if the server sends any. */
interface NotificationMetrics {
  attempted(result: NotificationResult): void;
  watch(notifier: Pick<Notifier, 'count'>): void;
}

function notificationMetrics(registry: Registry): NotificationMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'rollcall_notifications_total',
    help: 'Attempts to deliver a notification, by result; one that is given up is lost',
    labelNames: ['result'],
    registers,
  });
  for (const result of ['delivered', 'failed', 'given-up']) attempts.inc({ result }, 0);
  return {
    attempted: (result) => attempts.inc({ result }),
    watch: (notifier) => {
      new Gauge({
        name: 'rollcall_notifications_waiting',
        help: 'Notifications that are not delivered yet',
        registers,
        collect() {
          this.set(notifier.count().waiting);
        },
      });
      new Gauge({
        name: 'rollcall_notifications_oldest_seconds',
        help: 'Age of the oldest notification that is not delivered yet; 0 when there is none',
        registers,
        collect() {
          const { since } = notifier.count();
          this.set(since === null ? 0 : Math.max(0, Date.now() - since) / 1000);
        },
      });
    },
  };
}

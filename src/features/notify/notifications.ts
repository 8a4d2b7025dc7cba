import { randomBytes } from 'node:crypto';
import pLimit from 'p-limit';
import { Counter, Gauge, type Registry } from 'prom-client';
import { PackageMissing } from '../../platform/optional-packages.ts';
import { asSentence } from '../../text/wording.ts';
import { isSigned, openReceiver } from './open-receiver.ts';
import type { NotificationsView } from './operations.ts';
import { Outbox, RESULTS, type Told } from './outbox.ts';
import { BadReceiver, type Receiver, signingKey } from './receiver.ts';

/** The receiver that an admin has set, in the access file. */
interface KeptReceiver {
  readonly address: string;
  readonly secret: string | null;
}

interface Choice {
  readonly access: {
    receiver(): KeptReceiver | undefined;
    keepReceiver(receiver: KeptReceiver): void;
    forgetReceiver(): void;
  };
  readonly registry: Registry;
  /** Set when the server was started: no other is used. */
  readonly fixed: Receiver | undefined;
  /** Whether the receiver may have a private address. */
  readonly allowPrivate: boolean;
  /** The minimum outage that is told, in ms. */
  readonly outageMs: number | undefined;
}

/** The receiver of notifications: the one that the server was started with, else the one that an admin has set. */
export type Notifications = Awaited<ReturnType<typeof openNotifications>>;

export async function openNotifications(told: Told, { access, registry, fixed, allowPrivate, outageMs }: Choice) {
  const { log } = told;
  const attempts = new Counter({
    name: 'rollcall_notifications_total',
    help: 'Attempts to deliver a notification, by result; one that is given up is lost',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of RESULTS) attempts.inc({ result }, 0);
  const outbox = new Outbox(told, (result) => attempts.inc({ result }), outageMs);
  measure(outbox, registry);
  let receiver: Receiver | undefined;
  let problem: string | null = null;
  const use = async (next: Receiver | undefined) => {
    receiver = next;
    problem = null;
    await outbox.use(next);
  };
  const open = (address: string, secret: string | null) =>
    openReceiver(address, { key: signingKey(secret ?? ''), allowPrivate });
  /** One change after another: each closes what the one before has opened. */
  const inTurn = pLimit(1);

  const kept = fixed === undefined ? access.receiver() : undefined;
  try {
    await use(kept === undefined ? fixed : await open(kept.address, kept.secret));
  } catch (error) {
    if (!(error instanceof BadReceiver || error instanceof PackageMissing)) throw error;
    log.error({ err: error }, 'the receiver of notifications that was set is not used');
    await use(undefined);
    problem = error instanceof BadReceiver ? `The address ${error.message}` : asSentence(error.message);
  }

  return {
    view: (): NotificationsView => ({ host: receiver?.host ?? null, fixed: fixed !== undefined, problem }),
    /** The one in use. */
    receiver: () => receiver,
    /**
     * Takes another receiver, at once and for good.
     * @returns the secret that was made, where notifications to it are signed
     * @throws BadReceiver
     */
    set: (address: string): Promise<string | null> =>
      inTurn(async () => {
        const secret = isSigned(address) ? `whsec_${randomBytes(32).toString('base64')}` : null;
        const next = await open(address, secret);
        access.keepReceiver({ address, secret });
        await use(next);
        return secret;
      }),
    /** No one is notified from now on. */
    clear: () =>
      inTurn(async () => {
        access.forgetReceiver();
        await use(undefined);
      }),
    close: () => inTurn(() => outbox.close()),
  };
}

function measure(outbox: Outbox, registry: Registry): void {
  new Gauge({
    name: 'rollcall_notifications_waiting',
    help: 'Notifications that are not delivered yet',
    registers: [registry],
    collect() {
      this.set(outbox.count().waiting);
    },
  });
  new Gauge({
    name: 'rollcall_notifications_oldest_seconds',
    help: 'Age of the oldest notification that is not delivered yet; 0 when there is none',
    registers: [registry],
    collect() {
      const { since } = outbox.count();
      this.set(since === null ? 0 : Math.max(0, Date.now() - since) / 1000);
    },
  });
}

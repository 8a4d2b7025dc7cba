import type { Api, ServerContext, ServerFeature } from '../../server/context.ts';
import { Problem } from '../../server/problem.ts';
import { serve } from '../../server/serve.ts';
import { type Notifications, openNotifications } from './notifications.ts';
import { type NotifyFlags, notifyTarget, tryReceiver } from './open-receiver.ts';
import { notificationOperations } from './operations.ts';
import { BadReceiver, type Receiver } from './receiver.ts';

declare module '../../server/context.ts' {
  interface ServerOptions {
    /** Notified of finished imports; not given: who an admin has set. Closed with the server. */
    readonly receiver?: Receiver | undefined;
    /** Whether a receiver that an admin sets may be on this machine or a private network. Default: no. */
    readonly notifyPrivate?: boolean;
    /** The notifier's minimum outage, in ms. */
    readonly outageMs?: number;
  }
  interface ServerContext {
    readonly notifications: Notifications;
  }
}

/** Notifications of what a server does. */
export const notifying: ServerFeature = {
  ready: async (config, flags: NotifyFlags) => ({
    receiver: await notifyTarget(config, flags),
    notifyPrivate: flags.notifyPrivate === true,
  }),
  open: async (context, { receiver: fixed, notifyPrivate = false, outageMs }, app) => {
    const notifications = await openNotifications(context, { fixed, allowPrivate: notifyPrivate, outageMs });
    app.addHook('onClose', () => notifications.close());
    return { notifications };
  },
  routes: notificationRoutes,
  settings: ({ notifications }) => ({ notifyHost: notifications.view().host }),
};

/** Routes for the receiver of notifications, which admins set and try. */
function notificationRoutes(app: Api, { notifications }: ServerContext): void {
  serve(app, notificationOperations.view, async () => notifications.view());

  serve(app, notificationOperations.set, async (request, reply, audited) => {
    refuseFixed();
    try {
      const secret = await notifications.set(request.body.address);
      const view = notifications.view();
      audited('', view.host ?? '');
      reply.header('cache-control', 'no-store');
      return { ...view, secret };
    } catch (error) {
      if (!(error instanceof BadReceiver)) throw error;
      throw new Problem('BAD_OPTION', `The address ${error.message}.`, { field: 'address' });
    }
  });

  serve(app, notificationOperations.clear, async (_request, _reply, audited) => {
    refuseFixed();
    const { host } = notifications.view();
    await notifications.clear();
    audited('', host ?? '');
  });

  serve(app, notificationOperations.test, async (_request, _reply, audited) => {
    const receiver = notifications.receiver();
    if (receiver === undefined) throw new Problem('NO_RECEIVER', 'No receiver of notifications is set.');
    const tried = await tryReceiver(receiver);
    audited(tried.arrived ? 'arrived' : 'did not arrive', tried.host);
    return tried;
  });

  function refuseFixed(): void {
    const { fixed, host } = notifications.view();
    if (fixed) throw new Problem('NOTIFY_FIXED', `The server was started with ${host} as the receiver.`);
  }
}

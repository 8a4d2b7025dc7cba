import { notificationOperations } from '../../api/operations/service.ts';
import { noting } from '../../server/access/noting.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import { Problem } from '../../server/problem.ts';
import { serve } from '../../server/serve.ts';
import type { Notifications } from './notifications.ts';
import { BadReceiver, SIGNING_SECRET, signingKey } from './receiver.ts';
import { tryReceiver } from './try-receiver.ts';

/** Who is notified of imports and syncs: set and tried by admins. */
export function notificationRoutes(app: Api, { access }: ServerContext, notifications: Notifications): void {
  const note = noting(access);

  serve(app, notificationOperations.view, async () => notifications.view());

  serve(app, notificationOperations.set, async (request, reply) => {
    refuseFixed();
    const { address, secret } = request.body;
    if (secret !== undefined && signingKey(secret) === undefined) {
      throw new Problem('BAD_OPTION', `The secret is not valid; allowed is ${SIGNING_SECRET}.`, { field: 'secret' });
    }
    try {
      const made = await notifications.set(address, secret);
      const view = notifications.view();
      note(request, 'notify.set', view.host ?? '');
      reply.header('cache-control', 'no-store');
      return { ...view, secret: made };
    } catch (error) {
      if (!(error instanceof BadReceiver)) throw error;
      throw new Problem('BAD_OPTION', `The address ${error.message}.`, { field: 'address' });
    }
  });

  serve(app, notificationOperations.clear, async (request) => {
    refuseFixed();
    const { host } = notifications.view();
    await notifications.clear();
    note(request, 'notify.clear', host ?? '');
  });

  serve(app, notificationOperations.test, async (request) => {
    const receiver = notifications.receiver();
    if (receiver === undefined) throw new Problem('NO_RECEIVER', 'No receiver of notifications is set.');
    const tried = await tryReceiver(receiver);
    note(request, 'notify.test', tried.host, tried.arrived ? 'arrived' : 'did not arrive');
    return tried;
  });

  function refuseFixed(): void {
    const { fixed, host } = notifications.view();
    if (fixed) throw new Problem('NOTIFY_FIXED', `The server was started with ${host} as the receiver.`);
  }
}

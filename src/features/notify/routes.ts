import type { Api, ServerContext } from '../../server/context.ts';
import { Problem } from '../../server/problem.ts';
import { serve } from '../../server/serve.ts';
import { tryReceiver } from './open-receiver.ts';
import { notificationOperations } from './operations.ts';
import { BadReceiver } from './receiver.ts';

/** Routes for the receiver of notifications, which admins set and try. */
export function notificationRoutes(app: Api, { notifications }: ServerContext): void {
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

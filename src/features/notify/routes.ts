import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import { serveAll } from '../../server/serve.ts';
import { tryReceiver } from './open-receiver.ts';
import { notificationOperations } from './operations.ts';

export function notificationRoutes(app: Api, { notifications }: ServerContext): void {
  /** The host that is notified now. @throws NOTIFY_FIXED */
  const changeable = () => {
    const { fixed, host } = notifications.view();
    if (fixed) throw new RollcallError('NOTIFY_FIXED', { host: host ?? '' });
    return host ?? '';
  };
  serveAll(app, notificationOperations, {
    view: async () => notifications.view(),
    set: async ({ address }, { audited }) => {
      changeable();
      const secret = await notifications.set(address).catch((error: unknown) => {
        if (!isError(error, 'BAD_RECEIVER')) throw error;
        throw new RollcallError('BAD_OPTION', { what: `the address ${error.message}`, field: 'address' });
      });
      const view = notifications.view();
      audited('', view.host ?? '');
      return { ...view, secret };
    },
    clear: async (_input, { audited }) => {
      const host = changeable();
      await notifications.clear();
      audited('', host);
    },
    test: async (_input, { audited }) => {
      const receiver = notifications.receiver();
      if (receiver === undefined) throw new RollcallError('NO_RECEIVER', {});
      const tried = await tryReceiver(receiver);
      audited(tried.arrived ? 'arrived' : 'did not arrive', tried.host);
      return tried;
    },
  });
}

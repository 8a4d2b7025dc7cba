import type { HandlersOf } from '../../api/operation.ts';
import { isError } from '../../errors/rollcall-error.ts';
import type { ServerContext } from '../../server/context.ts';
import { Problem } from '../../server/problem.ts';
import { tryReceiver } from './open-receiver.ts';
import type { notificationOperations } from './operations.ts';

/** Shows, sets and tries the receiver of notifications. */
export function notificationHandlers({ notifications }: ServerContext): HandlersOf<typeof notificationOperations> {
  const refuseFixed = () => {
    const { fixed, host } = notifications.view();
    if (fixed) throw new Problem('NOTIFY_FIXED', `The server was started with ${host} as the receiver.`);
  };
  return {
    view: async () => notifications.view(),
    set: async ({ address }, { audited }) => {
      refuseFixed();
      const secret = await notifications.set(address).catch((error: unknown) => {
        if (!isError(error, 'BAD_RECEIVER')) throw error;
        throw new Problem('BAD_OPTION', `The address ${error.message}.`, { field: 'address' });
      });
      const view = notifications.view();
      audited('', view.host ?? '');
      return { ...view, secret };
    },
    clear: async (_input, { audited }) => {
      refuseFixed();
      const { host } = notifications.view();
      await notifications.clear();
      audited('', host ?? '');
    },
    test: async (_input, { audited }) => {
      const { receiver } = notifications;
      if (receiver === undefined) throw new Problem('NO_RECEIVER', 'No receiver of notifications is set.');
      const tried = await tryReceiver(receiver);
      audited(tried.arrived ? 'arrived' : 'did not arrive', tried.host);
      return tried;
    },
  };
}

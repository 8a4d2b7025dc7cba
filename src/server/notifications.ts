import { z } from 'zod';
import { newReceiver, notificationsView, notificationTried, receiverSet } from '../api/notifications.ts';
import { noting } from './access/noting.ts';
import type { Api, ServerContext } from './context.ts';
import { Problem } from './problem.ts';
import { refusals } from './problem-schema.ts';
import type { Notifications } from './webhook/notifications.ts';
import { BadReceiver, SIGNING_SECRET, signingKey } from './webhook/receiver.ts';
import { tryReceiver } from './webhook/try-receiver.ts';

const tags = ['service'];
const config = { role: 'admin' } as const;

/** Who is notified of imports and syncs: set and tried by admins. */
export function notificationRoutes(app: Api, { access }: ServerContext, notifications: Notifications): void {
  const note = noting(access);

  app.get(
    '/v1/notifications',
    {
      config,
      schema: { tags, summary: 'Who is notified', response: { 200: notificationsView, ...refusals() } },
    },
    async () => notifications.view(),
  );

  app.put(
    '/v1/notifications',
    {
      config,
      schema: {
        tags,
        summary: 'Set who is notified, in place of another',
        description:
          'It is kept in the data directory and counts at once. The same addresses are allowed as with `--notify`: private ones only where the server was started with `--notify-private`.',
        body: newReceiver,
        response: { 200: receiverSet, ...refusals('BAD_OPTION', 'BAD_BODY', 'NOTIFY_FIXED') },
      },
    },
    async (request, reply) => {
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
    },
  );

  app.delete(
    '/v1/notifications',
    {
      config,
      schema: {
        tags,
        summary: 'Notify no one',
        description: 'What is not delivered yet is dropped.',
        response: { 204: z.void().meta({ description: 'No one is notified.' }), ...refusals('NOTIFY_FIXED') },
      },
    },
    async (request, reply) => {
      refuseFixed();
      const { host } = notifications.view();
      await notifications.clear();
      note(request, 'notify.clear', host ?? '');
      return reply.code(204).send();
    },
  );

  app.post(
    '/v1/notifications/test',
    {
      config,
      schema: {
        tags,
        summary: 'Send a test notification, and say whether it arrived',
        response: { 200: notificationTried, ...refusals('NO_RECEIVER') },
      },
    },
    async (request) => {
      const receiver = notifications.receiver();
      if (receiver === undefined) throw new Problem('NO_RECEIVER', 'No receiver of notifications is set.');
      const tried = await tryReceiver(receiver);
      note(request, 'notify.test', tried.host, tried.arrived ? 'arrived' : 'did not arrive');
      return tried;
    },
  );

  function refuseFixed(): void {
    const { fixed, host } = notifications.view();
    if (fixed) throw new Problem('NOTIFY_FIXED', `The server was started with ${host} as the receiver.`);
  }
}

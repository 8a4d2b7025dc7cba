import { nothing, operationsOf } from '../../api/operation.ts';
import { newReceiver, notificationsView, notificationTried, receiverSet } from './api.ts';

const operation = operationsOf('service');

/** Operations on the receiver of notifications, which admins set and try. */
export const notificationOperations = {
  view: operation('GET /v1/notifications', 'admin', {
    summary: 'Receiver of notifications',
    answer: notificationsView,
  }),
  set: operation('PUT /v1/notifications', 'admin', {
    audit: 'notify.set',
    summary: 'Set who is notified, in place of another',
    description:
      'It is kept in the data directory and counts at once. The same addresses are allowed as with `--notify`: private ones only where the server was started with `--notify-private`.',
    body: newReceiver,
    answer: receiverSet,
    refusals: ['NOTIFY_FIXED'],
  }),
  clear: operation('DELETE /v1/notifications', 'admin', {
    audit: 'notify.clear',
    summary: 'Notify no one',
    description: 'Notifications that are not delivered yet are dropped.',
    answer: nothing('No one is notified.'),
    refusals: ['NOTIFY_FIXED'],
  }),
  test: operation('POST /v1/notifications/test', 'admin', {
    audit: 'notify.test',
    summary: 'Send a test notification, and say whether it arrived',
    answer: notificationTried,
    refusals: ['NO_RECEIVER'],
  }),
};

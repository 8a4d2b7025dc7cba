import { z } from 'zod';
import { nothing, operationsOf } from '../../api/operation.ts';

const operation = operationsOf('service');

/** The receiver that an admin has set, as it is stored. The secret signs notifications; null: they are not signed. */
export interface KeptReceiver {
  readonly address: string;
  readonly secret: string | null;
}

/** The receiver of notifications, without address and secret. */
const notificationsView = z.strictObject({
  host: z.string().nullable().meta({ description: 'Host that is notified; null: none.' }),
  fixed: z.boolean().meta({ description: 'It was set when the server was started, and cannot be changed here.' }),
  problem: z.string().nullable().meta({
    description:
      'The reason why the receiver that was set is not used, such as a private address without --notify-private.',
  }),
});
export type NotificationsView = z.infer<typeof notificationsView>;

const receiverSet = notificationsView.extend({
  secret: z.string().nullable().meta({
    description: 'The secret `whsec_…` that signs notifications to https://…; no other answer has it. Else null.',
  }),
});
export type ReceiverSet = z.infer<typeof receiverSet>;

const notificationTried = z.strictObject({
  host: z.string(),
  arrived: z.boolean(),
  reason: z.string().nullable().meta({ description: 'The reason why it did not arrive.' }),
});
export type NotificationTried = z.infer<typeof notificationTried>;

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
    body: z.strictObject({
      address: z
        .string()
        .trim()
        .min(1)
        .max(2_000)
        .meta({
          description: 'The form of `--notify`: https://…, slack+https://… or smtp://….',
          examples: ['https://hooks.example/rollcall'],
        }),
    }),
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

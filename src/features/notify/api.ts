import { z } from 'zod';

/** `GET /v1/notifications`: who is notified. Holds no address and no secret. */
export const notificationsView = z.strictObject({
  host: z.string().nullable().meta({ description: 'Host that is notified; null: none.' }),
  fixed: z.boolean().meta({ description: 'It was set when the server was started, and cannot be changed here.' }),
  problem: z.string().nullable().meta({
    description:
      'The reason why the receiver that was set is not used, such as a private address without --notify-private.',
  }),
});
export type NotificationsView = z.infer<typeof notificationsView>;

/** `PUT /v1/notifications` */
export const newReceiver = z.strictObject({
  address: z.string().trim().min(1).max(2_000).meta({
    description: 'The form of `--notify`: https://…, slack+https://…, teams+https://… or smtp://….',
  }),
  secret: z.string().trim().max(200).optional().meta({
    description: 'Secret that signs notifications to https://…: `whsec_…`. Default: one is made, and is in the answer.',
  }),
});
export const receiverSet = notificationsView.extend({
  secret: z
    .string()
    .nullable()
    .meta({ description: 'The secret that was made; no other answer has it. null: none was.' }),
});
export type ReceiverSet = z.infer<typeof receiverSet>;

/** `POST /v1/notifications/test` */
export const notificationTried = z.strictObject({
  host: z.string(),
  arrived: z.boolean(),
  reason: z.string().nullable().meta({ description: 'The reason why it did not arrive.' }),
});
export type NotificationTried = z.infer<typeof notificationTried>;

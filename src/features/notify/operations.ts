import { z } from 'zod';
import { time } from '../../api/fields.ts';
import { nothing, operationsOf } from '../../api/operation.ts';
import { REGIONS } from '../../membership/membership.ts';

const operation = operationsOf('service');

/** Notifications by type, and what has happened to the import, sync or region that each is about (docs/webhook.md). */
export const NOTIFICATIONS = {
  'import.completed': 'An import has finished: every row has an outcome',
  'import.blocked': 'An import waits: a key or plan was refused, or it continues by itself later',
  'import.aborted': 'An import has finished: there were more errors than it may have',
  'import.cancelled': 'An import has finished: someone cancelled it',
  'import.failed': 'An import waits: an unexpected error stopped it',
  'import.rejected': 'An import has finished: the file could not be used, and nothing was sent',
  'sync.held': 'A sync waits: a guard objects to its plan',
  'sync.applied': 'A sync has finished: every change has an outcome',
  'sync.incomplete': 'A sync has finished: its import ended before every change was carried out',
  'sync.stale':
    'A sync has finished: the file or the groups have changed too much since it was planned, and nothing was sent',
  'sync.failed': 'A sync has finished: the file or the groups could not be read, and nothing was sent',
  'region.away': 'The chat service has not answered in a region for a minute',
  'region.back': 'The chat service answers in a region again',
} as const satisfies Readonly<Record<`${'import' | 'sync' | 'region'}.${string}`, string>>;

export const regionNote = z.strictObject({
  region: z.enum(REGIONS),
  state: z.enum(['away', 'back']),
  since: time.describe('Time of the first call that had no answer.'),
  reason: z.string(),
});

/** The receiver that an admin has set, as it is stored. The secret signs notifications; null: they are not signed. */
export interface KeptReceiver {
  readonly address: string;
  readonly secret: string | null;
}

const notificationsView = z.strictObject({
  host: z.string().nullable().describe('Host that is notified; null: none.'),
  fixed: z.boolean().describe('It was set when the server was started, and cannot be changed here.'),
  problem: z
    .string()
    .nullable()
    .describe(
      'The reason why the receiver that was set is not used, such as a private address without --notify-private.',
    ),
});
export type NotificationsView = z.infer<typeof notificationsView>;

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
    answer: notificationsView.extend({
      secret: z
        .string()
        .nullable()
        .describe('The secret `whsec_…` that signs notifications to https://…; no other answer has it. Else null.'),
    }),
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
    answer: z.strictObject({
      host: z.string(),
      arrived: z.boolean(),
      reason: z.string().nullable().describe('The reason why it did not arrive.'),
    }),
    refusals: ['NO_RECEIVER'],
  }),
};

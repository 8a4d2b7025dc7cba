import { z } from 'zod';
import { time } from '../../api/fields.ts';
import { REGIONS } from '../../membership/membership.ts';

/** Notifications by type, and what has happened to the import, sync or region that each is about (docs/webhook.md). */
export const NOTIFICATIONS = {
  'import.completed': 'An import has finished: every row has an outcome',
  'import.blocked': 'An import waits: a key or plan was refused, or it continues by itself later',
  'import.aborted': 'An import has finished: there were more errors than `maxErrors` allows',
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

/** The data of a notification of a region. */
export const regionNote = z.strictObject({
  region: z.enum(REGIONS),
  state: z.enum(['away', 'back']),
  since: time.meta({ description: 'Time of the first call that had no answer.' }),
  reason: z.string(),
});
export type RegionNote = z.infer<typeof regionNote>;

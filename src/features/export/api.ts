import { z } from 'zod';
import { callsByRegion, count, sentTo, stateReason, surveyProgress, time } from '../../api/fields.ts';
import { queryOf } from '../../api/query-options.ts';
import { REGIONS } from '../../membership/membership.ts';
import { filledShape } from '../../options/option.ts';
import { SURVEYING } from '../../options/sending-options.ts';

const MAX_GUIDS = 10_000;

/** `POST /v1/exports` */
export const exportBody = z.strictObject({
  groups: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(MAX_GUIDS, `allowed are ${MAX_GUIDS} groups`)
    .optional()
    .meta({ description: 'GUIDs. Default: all groups.' }),
  regions: z.array(z.enum(REGIONS)).min(1).optional().meta({ description: 'Default: all that have an app.' }),
  users: z.boolean().optional().meta({ description: 'Users with their fields too. Default: false.' }),
  groupsOnly: z
    .boolean()
    .optional()
    .meta({ description: 'Groups with their fields, without members. Default: false.' }),
  ...filledShape(SURVEYING),
});

/** `POST /v1/exports/{id}/resume` */
export const resumeQuery = z.strictObject(queryOf(SURVEYING));

const unread = z.strictObject({ region: z.enum(REGIONS), guid: z.string(), code: z.string(), message: z.string() });

/** Contents of an export. */
const exportTotals = z.strictObject({
  groups: count.meta({ description: 'Groups that were read.' }),
  pending: count.meta({ description: 'Groups that are still to be read.' }),
  members: count.meta({ description: 'Without the banned.' }),
  banned: count,
  users: count,
  unknownScopes: count.meta({ description: 'Members with a scope that no import can read.' }),
  missing: z
    .array(unread.omit({ region: true }))
    .meta({ description: 'Groups that no region has, or that were deleted meanwhile.' }),
  failed: z.array(unread).meta({ description: 'Groups that could not be read.' }),
});

export type ExportTotals = z.infer<typeof exportTotals>;

export const EXPORT_LIST_NAMES = ['members', 'groups', 'users'] as const;

/** An export as the API shows it. */
export const exportView = z
  .strictObject({
    id: z.string(),
    state: z.enum(['running', 'priced', 'completed', 'incomplete', 'stopped', 'unreadable']).meta({
      description:
        'priced: waits until its calls are allowed; incomplete: some groups could not be read; stopped: the service refuses to be read; unreadable: its own file is damaged, or was written by a newer rollcall.',
    }),
    underWay: z.boolean().meta({ description: 'False for an export that is running: it was interrupted.' }),
    reason: stateReason,
    regions: z.array(z.enum(REGIONS)),
    groups: count.nullable().meta({ description: 'Number of groups that were named; null: all.' }),
    lists: z
      .array(z.enum(EXPORT_LIST_NAMES))
      .meta({ description: 'Lists that can be downloaded when it is completed.' }),
    calls: count,
    price: callsByRegion
      .nullable()
      .meta({ description: 'Calls that are still to be made by region, at most, where that is known.' }),
    sandbox: z.boolean(),
    target: sentTo.optional().meta({ description: 'The only target that is read.' }),
    createdAt: time,
    finishedAt: time.nullable(),
    progress: surveyProgress.nullable(),
    totals: exportTotals.nullable().meta({ description: 'Null while it is under way.' }),
  })
  .meta({ id: 'Export' });
export type ExportView = z.infer<typeof exportView>;

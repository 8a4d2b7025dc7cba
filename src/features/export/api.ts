import { z } from 'zod';
import { count, time } from '../../api/fields.ts';
import { fileOf, nothing, operationsOf, XLSX } from '../../api/operation.ts';
import { REGIONS } from '../../membership/membership.ts';

const GUIDS_AT_MOST = 10_000;

/** `POST /v1/exports` */
const exportBody = z.strictObject({
  groups: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(GUIDS_AT_MOST, `allowed are ${GUIDS_AT_MOST} groups`)
    .optional()
    .meta({ description: 'GUIDs. Default: all groups.' }),
  regions: z.array(z.enum(REGIONS)).min(1).optional().meta({ description: 'Default: all that have an app.' }),
  users: z.boolean().optional().meta({ description: 'Users with their fields too. Default: false.' }),
  groupsOnly: z
    .boolean()
    .optional()
    .meta({ description: 'Groups with their fields, without members. Default: false.' }),
});

const unread = z.strictObject({ region: z.enum(REGIONS), guid: z.string(), code: z.string(), message: z.string() });

/** What an export has. */
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

const EXPORT_LIST_NAMES = ['members', 'groups', 'users'] as const;

/** An export as the API shows it. */
const exportView = z
  .strictObject({
    id: z.string(),
    state: z.enum(['running', 'completed', 'incomplete', 'stopped', 'unreadable']).meta({
      description:
        'incomplete: some groups could not be read; stopped: the service refuses to be read; unreadable: its own file is damaged, or was written by a newer rollcall.',
    }),
    underWay: z.boolean().meta({ description: 'False for an export that is running: it was interrupted.' }),
    reason: z.string().meta({ description: 'Why it is in this state, in a sentence.' }),
    regions: z.array(z.enum(REGIONS)),
    groups: count.nullable().meta({ description: 'How many groups were named; null: all.' }),
    lists: z.array(z.enum(EXPORT_LIST_NAMES)).meta({ description: 'What can be downloaded when it is completed.' }),
    calls: count,
    createdAt: time,
    finishedAt: time.nullable(),
    progress: z
      .strictObject({ step: z.enum(['groups', 'members', 'users']), done: count, of: count.nullable() })
      .nullable(),
    totals: exportTotals.nullable().meta({ description: 'Null while it is under way.' }),
  })
  .meta({ id: 'Export' });
export type ExportView = z.infer<typeof exportView>;

const operation = operationsOf('exports', z.object({ id: z.string().meta({ description: 'Id of an export.' }) }));

/** Exports: who is in which group now, read within the budgets of the regions, kept until it is deleted. */
export const exportOperations = {
  begin: operation('POST /v1/exports', 'operator', {
    summary: 'Begin to export who is in which group now',
    body: exportBody,
    status: 202,
    answer: exportView,
    refusals: ['REGION_WITHOUT_APP'],
  }),
  list: operation('GET /v1/exports', 'viewer', {
    summary: 'List exports, newest first',
    answer: z.strictObject({ exports: z.array(exportView) }),
  }),
  one: operation('GET /v1/exports/:id', 'viewer', {
    summary: 'One export',
    answer: exportView,
    refusals: ['UNKNOWN_EXPORT'],
  }),
  resume: operation('POST /v1/exports/:id/resume', 'operator', {
    summary: 'Continue an export that was interrupted or stopped',
    answer: exportView,
    refusals: ['UNKNOWN_EXPORT', 'WRONG_STATE', 'WRONG_TARGET'],
  }),
  remove: operation('DELETE /v1/exports/:id', 'operator', {
    summary: 'End an export and delete it',
    answer: nothing('Deleted.'),
    refusals: ['UNKNOWN_EXPORT'],
  }),
  download: operation('GET /v1/exports/:id/:list', 'viewer', {
    summary: 'Download a list of an export; its members are rows that imports and syncs read back',
    params: z.object({ id: z.string().meta({ description: 'Id of an export.' }), list: z.enum(EXPORT_LIST_NAMES) }),
    query: z.strictObject({
      format: z.enum(['csv', 'ndjson', 'xlsx']).optional().meta({ description: 'Default: csv.' }),
    }),
    answer: fileOf('The list, streamed.', 'text/csv', 'application/x-ndjson', XLSX),
    refusals: ['UNKNOWN_EXPORT', 'WRONG_STATE'],
  }),
};

import { z } from 'zod';
import {
  callsByRegion,
  count,
  nextSteps,
  queryOf,
  sentTo,
  stateReason,
  surveyProgress,
  time,
} from '../../api/fields.ts';
import { fileOf, nothing, operationsOf } from '../../api/operation.ts';
import { REGIONS } from '../../membership/membership.ts';
import { filledShape } from '../../options/option.ts';
import { SURVEYING } from '../../options/sending-options.ts';

/** Options of an export. Stored with it, so that it continues in the same way after an interruption. */
export const exportOptions = z.strictObject({
  groups: z.array(z.string().min(1)).min(1).optional().describe('GUIDs. Default: all groups.'),
  regions: z.array(z.enum(REGIONS)).min(1),
  users: z.boolean().default(false).describe('Users with their fields too.'),
  groupsOnly: z.boolean().default(false).describe('Groups with their fields, without members.'),
  /** Read from a sandbox: it must not continue against the service itself. */
  sandbox: z.boolean().default(false),
  target: sentTo.optional().describe('The only target that is read.'),
});
export type ExportOptions = z.infer<typeof exportOptions>;

const exportBody = exportOptions.omit({ sandbox: true, target: true }).extend({
  regions: exportOptions.shape.regions.optional().describe('Default: all that have an app.'),
  ...filledShape(SURVEYING),
});

const unread = z.strictObject({ region: z.enum(REGIONS), guid: z.string(), code: z.string(), message: z.string() });

const exportTotals = z.strictObject({
  groups: count.describe('Groups that were read.'),
  pending: count.describe('Groups that are still to be read.'),
  members: count.describe('Without the banned.'),
  banned: count,
  users: count,
  unknownScopes: count.describe('Members with a scope that no import can read.'),
  missing: z
    .array(unread.omit({ region: true }))
    .describe('Groups that no region has, or that were deleted meanwhile.'),
  failed: z.array(unread).describe('Groups that could not be read.'),
});

export type ExportTotals = z.infer<typeof exportTotals>;

/** Files of an export: members as rows that `import` and `sync` read back, groups and users with their fields. */
const EXPORT_LISTS = ['members', 'groups', 'users'] as const;
export type ExportList = (typeof EXPORT_LISTS)[number];

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const exportView = z
  .strictObject({
    id: z.string(),
    state: z
      .enum(['running', 'priced', 'completed', 'incomplete', 'stopped', 'unreadable'])
      .describe(
        'priced: waits until its calls are allowed; incomplete: some groups could not be read; stopped: the service refuses to be read; unreadable: its own file is damaged, or was written by a newer rollcall.',
      ),
    underWay: z.boolean().describe('False for an export that is running: it was interrupted.'),
    reason: stateReason,
    regions: z.array(z.enum(REGIONS)),
    groups: count.nullable().describe('Number of groups that were named; null: all.'),
    lists: z.array(z.enum(EXPORT_LISTS)).describe('Lists that can be downloaded when it is completed.'),
    calls: count,
    price: callsByRegion
      .nullable()
      .describe('Calls that are still to be made by region, at most, where that is known.'),
    sandbox: z.boolean(),
    target: exportOptions.shape.target,
    createdAt: time,
    finishedAt: time.nullable(),
    progress: surveyProgress.nullable(),
    totals: exportTotals.nullable().describe('Null while it is under way.'),
    next: nextSteps(['resume']),
  })
  .meta({ id: 'Export' });
export type ExportView = z.infer<typeof exportView>;

/** `--json` of `rollcall export` */
export const exportDocument = exportView
  .pick({ id: true, state: true, reason: true, calls: true, createdAt: true, finishedAt: true })
  .extend({
    totals: exportTotals,
    files: z.array(z.strictObject({ list: z.enum(EXPORT_LISTS), path: z.string() })),
  });
export type ExportDocument = z.infer<typeof exportDocument>;

const operation = operationsOf('exports', z.object({ id: z.string().describe('Id of an export.') }));

/** Exports: who is in which group now, read within the budgets of the regions, kept until it is deleted. */
export const exportOperations = {
  begin: operation('POST /v1/exports', 'operator', {
    audit: 'export.create',
    summary: 'Begin to export who is in which group now',
    body: exportBody,
    location: '/v1/exports/:id',
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
  }),
  resume: operation('POST /v1/exports/:id/resume', 'operator', {
    audit: 'export.resume',
    summary: 'Continue an export that was interrupted or stopped, or that waits until its calls are allowed',
    query: z.strictObject(queryOf(SURVEYING)),
    answer: exportView,
    refusals: ['WRONG_STATE', 'WRONG_TARGET'],
  }),
  remove: operation('DELETE /v1/exports/:id', 'operator', {
    audit: 'export.delete',
    summary: 'End an export and delete it',
    answer: nothing('Deleted.'),
  }),
  download: operation('GET /v1/exports/:id/:list', 'viewer', {
    summary: 'Download a list of an export; its members are rows that imports and syncs read back',
    params: z.object({ id: z.string().describe('Id of an export.'), list: z.enum(EXPORT_LISTS) }),
    query: z.strictObject({
      format: z.enum(EXPORT_FORMATS).optional().describe('Default: csv.'),
    }),
    answer: fileOf('The list, streamed.', 'text/csv', 'application/x-ndjson'),
    refusals: ['WRONG_STATE'],
  }),
};

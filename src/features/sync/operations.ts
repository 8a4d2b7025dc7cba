import { z } from 'zod';
import { anyTexts, listOption, nextCursor, pageOptions, queryOf } from '../../api/fields.ts';
import { fileOf, nothing, operationsOf } from '../../api/operation.ts';
import { syncEntry } from '../../api/sync-entry.ts';
import { PLAN_ACTIONS } from '../../membership/plan-words.ts';
import { SYNC_STATES } from '../../membership/sync-state.ts';
import { APPLYING, ENDING, PROTECTING, REMOVING_BY_NAME, UNDOING } from '../../options/deciding-options.ts';
import { LIFTING, SURVEYING } from '../../options/sending-options.ts';
import { ending, guardFinding, planAction, region, syncGroup, syncView } from './api.ts';
import { LIMIT_OPTIONS } from './guard-limits.ts';

/** The options that decide every plan. */
const EXPIRING = { ...PROTECTING, ...REMOVING_BY_NAME, ...APPLYING, ...SURVEYING, ...LIMIT_OPTIONS };
/** Those of plans that may add someone. */
export const DECIDING = { ...LIFTING, ...EXPIRING };

const undoQuery = z.strictObject(queryOf({ ...DECIDING, ...UNDOING }));

/** Options that decide a plan, as a query has them once it is checked. */
export type DecidingQuery = z.infer<typeof undoQuery>;

const operation = operationsOf('syncs', z.object({ id: z.string().describe('Id of a sync.') }));

const named = z.object({ name: z.string().describe('Name of a sync (syncName), or of a schedule.') });

const actionOption = listOption(PLAN_ACTIONS).optional();

const decided = {
  body: z.strictObject({
    reason: z
      .string()
      .trim()
      .min(1, 'allowed is a sentence that says why')
      .max(1_000, 'allowed are 1,000 characters')
      .meta({ description: 'The reason; recorded with your name.', examples: ['Confirmed by the registrar.'] }),
  }),
  answer: syncView,
  refusals: ['WRONG_STATE', 'WRONG_TARGET'],
} as const;

export const syncOperations = {
  list: operation('GET /v1/syncs', 'viewer', {
    summary: 'List syncs, newest first',
    query: z.strictObject({ state: listOption(SYNC_STATES).optional(), ...pageOptions(50, 200) }),
    answer: z.strictObject({ syncs: z.array(syncEntry), nextCursor }),
  }),
  one: operation('GET /v1/syncs/:id', 'viewer', { summary: 'One sync', answer: syncView }),
  apply: operation('POST /v1/syncs/:id/apply', 'operator', {
    audit: 'sync.apply',
    summary: 'Carry out a stored plan; if file or groups have changed too much since, it becomes `stale`',
    answer: syncView,
    refusals: ['WRONG_STATE', 'WRONG_TARGET'],
  }),
  approve: operation('POST /v1/syncs/:id/approve', 'operator', {
    audit: 'sync.approve',
    summary: 'Approve a plan that a guard holds, this once and on record, and carry it out',
    ...decided,
  }),
  reject: operation('POST /v1/syncs/:id/reject', 'operator', {
    audit: 'sync.reject',
    summary: 'Put a plan away; it will not be carried out',
    ...decided,
  }),
  undo: operation('POST /v1/imports/:id/undo', 'operator', {
    audit: 'import.undo',
    summary: 'Plan how to reverse an import, as a sync; apply=true carries it out',
    params: z.object({ id: z.string().describe('Id of a finished import.') }),
    query: undoQuery,
    answer: syncView,
    location: '/v1/syncs/:id',
    refusals: ['WRONG_STATE', 'WRONG_TARGET'],
  }),
  /** Its body is a file; the server says more about it, and checks the query. */
  create: operation('POST /v1/syncs', 'operator', {
    audit: 'sync.create',
    summary: 'Plan the changes that make groups match a file; apply=true carries them out',
    query: anyTexts,
    location: '/v1/syncs/:id',
    answer: syncView,
  }),
  members: operation('GET /v1/syncs/named/:name/members', 'viewer', {
    summary: 'Download whom syncs with this name made members, as rows that imports and syncs read',
    params: named,
    answer: fileOf('The rows, streamed.', 'text/csv'),
    refusals: ['NOT_FOUND'],
  }),
  ending: operation('GET /v1/memberships/ending', 'viewer', {
    summary: 'Memberships that end, as rows of imports and syncs have said, the first to end first',
    query: z.strictObject({ ...queryOf(ENDING), ...pageOptions(100, 1_000) }),
    answer: z.strictObject({ memberships: z.array(ending), nextCursor }),
  }),
  expire: operation('POST /v1/memberships/expire', 'operator', {
    audit: 'membership.expire',
    summary: 'Plan the removal of the members whose memberships are over, as a sync; apply=true carries it out',
    query: z.strictObject(queryOf(EXPIRING)),
    answer: syncView,
    location: '/v1/syncs/:id',
  }),
  bringBack: operation('POST /v1/syncs/named/:name/bring-back', 'operator', {
    audit: 'sync.bring-back',
    summary: 'Let users back who left after syncs with this name made them members: the next run adds them again',
    params: named,
    body: z.strictObject({
      uids: z.array(z.string()).min(1).optional().describe('Default: all of them.'),
    }),
    answer: nothing('They are let back.'),
    refusals: ['NOT_FOUND'],
  }),
  groups: operation('GET /v1/syncs/:id/groups', 'viewer', {
    summary: 'The groups that a sync concerns, in the order of its file, with what will be done in each',
    query: z.strictObject({
      action: actionOption.describe(
        `Only groups with one of these, and those that could not be listed: some of ${PLAN_ACTIONS.join(', ')}.`,
      ),
      ...pageOptions(50, 500),
    }),
    answer: z.strictObject({ groups: z.array(syncGroup), nextCursor }),
    refusals: ['NO_PLAN_YET'],
  }),
  findings: operation('GET /v1/syncs/:id/findings', 'viewer', {
    summary: 'Findings of one guard, the worst first',
    query: z.strictObject({
      guard: z.string().max(100),
      search: z.string().max(1_000).optional().describe('Part of a GUID, in any case.'),
      ...pageOptions(50, 500),
    }),
    answer: z.strictObject({ findings: z.array(guardFinding), nextCursor }),
    refusals: ['NO_PLAN_YET'],
  }),
  actions: operation('GET /v1/syncs/:id/actions', 'viewer', {
    summary: 'Actions of a plan for each member, with reasons, by group',
    query: z.strictObject({
      action: actionOption,
      region: region.optional(),
      guid: z.string().max(1_000).optional().describe('The whole GUID, in any case.'),
      ...pageOptions(100, 1_000),
    }),
    answer: z.strictObject({ actions: z.array(planAction), nextCursor }),
    refusals: ['NO_PLAN_YET'],
  }),
  plan: operation('GET /v1/syncs/:id/plan', 'viewer', {
    summary: 'Download a plan: every action with its reason, or a summary: as text, or as Markdown of at most 60 kB',
    query: z.strictObject({
      format: z.enum(['csv', 'json', 'markdown', 'text']).optional().describe('Default: csv.'),
      width: z.coerce
        .number()
        .int()
        .min(40)
        .max(1_000)
        .default(120)
        .describe('Characters in a line, for the format text.'),
      color: z.enum(['true', 'false']).optional().describe('Colours for a terminal, for the format text.'),
    }),
    answer: fileOf('The plan, streamed.', 'text/csv', 'application/json', 'text/markdown', 'text/plain'),
    refusals: ['NO_PLAN_YET'],
  }),
  before: operation('GET /v1/syncs/:id/before', 'viewer', {
    summary:
      'Download the previous members of groups from which a sync removes some, as rows that imports and syncs read',
    answer: fileOf('The rows, streamed.', 'text/csv'),
    refusals: ['NOT_FOUND'],
  }),
};

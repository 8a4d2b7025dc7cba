import { z } from 'zod';
import { REGIONS } from '../membership/membership.ts';
import { PLAN_ACTIONS } from '../membership/plan-words.ts';
import { SYNC_STATES } from '../membership/sync-state.ts';
import { MODE, NAMING, PROTECTING, REMOVING_BY_NAME, UNDOING } from '../options/deciding-options.ts';
import { descriptionOf, filledShape, keptShape } from '../options/option.ts';
import { LIFTING } from '../options/sending-options.ts';
import { count, nextSteps, possible, sentTo, stateCode, stateReason, time } from './fields.ts';

export const actionCounts = z.record(z.enum(PLAN_ACTIONS), count);

export const planTotals = z.strictObject({
  groups: count,
  unlisted: count.describe('Groups that could not be listed.'),
  members: count.describe('Members in the groups that were listed.'),
  actions: actionCounts,
  right: count.describe('Members that are as the file says.'),
  changes: count.describe('Changes that would be sent: additions, changes, removals and bans.'),
  changedGroups: count.optional().describe('Groups with such changes; plans of older versions lack it.'),
  regions: z
    .array(z.enum(REGIONS))
    .optional()
    .describe('Regions in which something would be sent; plans of older versions lack it.'),
  invalid: count.optional().describe('Rows of the file that cannot be used; absent: none.'),
  create: z
    .strictObject({
      groups: count,
      users: count.nullable().describe('Null where they are counted while the plan is carried out.'),
      reactivated: count.nullable().describe('Users who are deactivated and made active again.'),
      calls: count.describe('Calls that creating takes, in addition to the changes; users as far as counted.'),
    })
    .optional()
    .describe('Users and groups that would be created first; absent if none may be.'),
});
export type PlanTotals = z.infer<typeof planTotals>;

const SYNC_ACTIONS = ['apply', 'approve', 'reject'] as const;
export type SyncAction = (typeof SYNC_ACTIONS)[number];

const planning = z.strictObject({
  step: z
    .enum(['reading', 'members', 'owner', 'banned', 'users'])
    .describe(
      'The file is read; then the groups are asked for their members, owners, banned users; then users who may be missing.',
    ),
  rows: count.describe('Rows of the file read so far.'),
  done: count.describe('Groups that have answered this step; in the step users: users.'),
  groups: count.describe('Groups that are asked in this step; in the step users: users.'),
});
export type Planning = z.infer<typeof planning>;

const { missing, whose, left, changed, allowDemotion } = MODE;

/** The options that decide a plan. Without a choice no one loses anything. */
export const planFlags = z.strictObject({
  mode: z.enum(['add', 'mirror', 'undo', 'expiry']).default('add'),
  missing: missing.schema.default('report').describe('Counts in mode mirror only.'),
  whose: whose.schema.default('all').describe('Counts where missing is remove or ban.'),
  left: left.schema.default('re-add').describe(descriptionOf(left)),
  changed: changed.schema.default('restore').describe(descriptionOf(changed)),
  ...filledShape({ allowDemotion, ...LIFTING }),
  protect: PROTECTING.protect.schema.default([]),
  removeNamed: REMOVING_BY_NAME.removeNamed.schema.default([]),
  ...keptShape({ ...UNDOING, ...NAMING }),
});
export type PlanFlags = Readonly<z.output<typeof planFlags>>;

/** A sync in a list: what is stored of it, as far as a list shows it, and what is computed. */
export const syncEntry = z
  .strictObject({
    id: z.string(),
    state: z.enum(SYNC_STATES),
    code: stateCode,
    reason: stateReason,
    file: z.string().describe('Its input; of an undo: that of the import.'),
    undoOf: z.string().nullable().describe('The import that it reverses.'),
    importId: z.string().nullable().describe('The import that carries it out.'),
    schedule: z.string().nullable().describe('The schedule that began it.'),
    createdAt: time,
    finishedAt: time.nullable(),
    sandbox: z.boolean(),
    target: sentTo.optional().describe('The only target of planning and changes.'),
    apply: z.boolean().describe('Applied at once, unless a guard objects.'),
    ...planFlags.pick({ mode: true, missing: true }).shape,
    totals: planTotals.nullable().describe('The plan in numbers; null until it is made.'),
    approved: z
      .strictObject({ by: z.string(), at: time, reason: z.string() })
      .nullable()
      .describe('The person who let it through although a guard objects, and the reason.'),
    sentence: z.string().describe('The state and its meaning, in a sentence or two.'),
    actions: possible(SYNC_ACTIONS),
    next: nextSteps(SYNC_ACTIONS),
    planning: planning.nullable().describe('Set while the plan is made.'),
  })
  .meta({ id: 'SyncEntry' });
export type SyncEntry = z.infer<typeof syncEntry>;

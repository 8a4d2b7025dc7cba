import { z } from 'zod';
import { count, time } from '../../api/fields.ts';
import { actionCounts, planFlags, planTotals } from '../../api/sync-entry.ts';
import { REGIONS, SCOPES } from '../../membership/membership.ts';
import { PLAN_ACTIONS, PLAN_REASONS } from '../../membership/plan-words.ts';

const region = z.enum(REGIONS);
/** Empty: neither a member nor banned. */
const place = z.enum(['', ...SCOPES]);

/** The users and groups that a sync may create, with the limits as they are written: `users=100,groups=5%`. */
export const planCreate = z.strictObject({
  users: z.boolean(),
  groups: z.boolean(),
  reactivate: z.boolean(),
  maxCreate: z.string(),
});
export type PlanCreate = z.infer<typeof planCreate>;

/** An objection of a guard. */
export const finding = z.strictObject({
  guard: z.string(),
  region: region.nullable().meta({ description: 'Null if it concerns the whole run.' }),
  guid: z.string().nullable(),
  value: z.number(),
  limit: z.number().meta({ description: 'Limit of the guard.' }),
  sentence: z.string(),
});
export type Finding = z.infer<typeof finding>;

/** An objection in the list of its guard. */
export const guardFinding = finding.extend({
  members: count
    .nullable()
    .meta({ description: 'Members of the group before the sync; null: it concerns no single one.' }),
});
export type GuardFinding = z.infer<typeof guardFinding>;

/** The numbers of one guard's objections. */
export const guardObjections = z.strictObject({
  guard: z.string(),
  meaning: z.string().meta({ description: 'The danger that it guards against.' }),
  remedy: z.string(),
  count: count.meta({ description: 'Number of its objections: one for each group, or one for the whole run.' }),
  total: z.number().meta({ description: 'The sum of their values.' }),
  worst: guardFinding,
});
export type GuardObjections = z.infer<typeof guardObjections>;

const LISTINGS = ['pending', 'listed', 'not_found', 'failed'] as const;

/** A group that is not there, as it would be created. */
export const newGroup = z
  .strictObject({ name: z.string(), type: z.string(), owner: z.string().meta({ description: 'UID; empty: no one.' }) })
  .meta({ description: 'The group is not there, and is created like this; absent for any other.' });

/** A group of a plan: how it was listed, and its actions counted. */
export const planGroup = z.strictObject({
  region,
  guid: z.string(),
  listing: z.enum(LISTINGS),
  code: z.string().meta({ description: 'The reason why it could not be listed; empty if it was.' }),
  message: z.string(),
  owner: z.string().nullable().meta({ description: 'UID; empty: no one; null: not known.' }),
  wanted: count.meta({ description: 'Rows of the file that count for it.' }),
  members: count.meta({ description: 'Members that were listed, banned users not counted.' }),
  actions: actionCounts,
  right: count.meta({ description: 'Among `keep`: as the file says.' }),
  leaving: count.meta({ description: 'Members that would be removed or banned.' }),
  lowered: count.meta({ description: 'Members that would get a lower scope.' }),
  staying: count.meta({ description: 'Members that would stay anyway, not because they are protected.' }),
  rejoining: count.meta({ description: 'Users who left since this sync made them members, and would be added again.' }),
  ownerHit: z.boolean().meta({ description: 'The owner would be removed, banned or lowered.' }),
  contested: count.meta({
    description: 'Undo: members whom others have changed or asked for since, or who may have been there before.',
  }),
  creates: newGroup.optional(),
});
export type PlanGroup = z.infer<typeof planGroup>;

/** The action of a plan for one member, and its reason. */
export const planAction = z.strictObject({
  region,
  guid: z.string(),
  uid: z.string(),
  action: z.enum(PLAN_ACTIONS),
  from: place,
  to: place.meta({ description: 'The change that a `report` leaves undone.' }),
  reason: z.enum(PLAN_REASONS),
  sentence: z.string(),
  line: count.nullable().meta({ description: 'Line of the file that asks for it; null where none does.' }),
});
export type PlanAction = z.infer<typeof planAction>;

/** A plan as one JSON document: `GET /v1/syncs/:id/plan?format=json` and `rollcall sync show --format json`. */
export const planDocument = z.strictObject({
  file: z.string(),
  hash: z.string(),
  size: count,
  rows: count,
  invalid: count,
  plannedAt: time.nullable(),
  flags: planFlags.nullable(),
  /** Whether a guard objects. */
  held: z.boolean(),
  totals: planTotals,
  findings: z.array(finding),
  groups: z.array(planGroup),
  actions: z.array(planAction),
});
export type PlanDocument = z.infer<typeof planDocument>;

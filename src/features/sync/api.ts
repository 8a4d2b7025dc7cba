import { z } from 'zod';
import { count, inputNote, time } from '../../api/fields.ts';
import { actionCounts, planFlags, planTotals, syncEntry } from '../../api/sync-entry.ts';
import { REGIONS, SCOPES } from '../../membership/membership.ts';
import { PLAN_REASONS } from '../../membership/plan-reasons.ts';
import { PLAN_ACTIONS } from '../../membership/plan-words.ts';
import { SYNC_STATES } from '../../membership/sync-state.ts';

export const region = z.enum(REGIONS);
/** Empty: neither a member nor banned. */
const place = z.enum(['', ...SCOPES]);

/** The users and groups that a sync may create, with the limits as they are written: `users=100,groups=5%`. */
export const planCreate = z.strictObject({
  users: z.boolean(),
  groups: z.boolean(),
  reactivate: z.boolean(),
  maxCreate: z.string(),
});

/** An objection of a guard. */
export const finding = z.strictObject({
  guard: z.string(),
  region: region.nullable().describe('Null if it concerns the whole run.'),
  guid: z.string().nullable(),
  value: z.number(),
  limit: z.number().describe('Limit of the guard.'),
  sentence: z.string(),
});
export type Finding = z.infer<typeof finding>;

/** An objection in the list of its guard. */
export const guardFinding = finding.extend({
  members: count.nullable().describe('Members of the group before the sync; null: it concerns no single one.'),
});
export type GuardFinding = z.infer<typeof guardFinding>;

const guardObjections = z.strictObject({
  guard: z.string(),
  meaning: z.string().describe('The danger that it guards against.'),
  remedy: z.string(),
  count: count.describe('Number of its objections: one for each group, or one for the whole run.'),
  total: z.number().describe('The sum of their values.'),
  worst: guardFinding,
});
export type GuardObjections = z.infer<typeof guardObjections>;

export const newGroup = z
  .strictObject({ name: z.string(), type: z.string(), owner: z.string().describe('UID; empty: no one.') })
  .describe('The group is not there, and is created like this; absent for any other.');

/** A group of a plan: how it was listed, and its actions counted. */
const planGroup = z.strictObject({
  region,
  guid: z.string(),
  listing: z.enum(['pending', 'listed', 'not_found', 'failed']),
  code: z.string().describe('The reason why it could not be listed; empty if it was.'),
  message: z.string(),
  owner: z.string().nullable().describe('UID; empty: no one; null: not known.'),
  wanted: count.describe('Rows of the file that count for it.'),
  members: count.describe('Members that were listed, banned users not counted.'),
  actions: actionCounts,
  right: count.describe('Among `keep`: as the file says.'),
  leaving: count.describe('Members that would be removed or banned.'),
  lowered: count.describe('Members that would get a lower scope.'),
  staying: count.describe('Members that would stay anyway, not because they are protected.'),
  rejoining: count.describe('Users who left since this sync made them members, and would be added again.'),
  ownerHit: z.boolean().describe('The owner would be removed, banned or lowered.'),
  contested: count.describe(
    'Undo: members whom others have changed or asked for since, or who may have been there before.',
  ),
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
  to: place.describe('The change that a `report` leaves undone.'),
  reason: z.enum(PLAN_REASONS),
  sentence: z.string(),
  line: count.nullable().describe('Line of the file that asks for it; null where none does.'),
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

export const guardLimits = z.record(z.string(), z.number()).describe('Limits of guards in place of their defaults.');

/** A sync on its own: what guards say, how it was decided, and every state that it was in. */
export const syncView = syncEntry
  .extend({
    findings: z.array(finding).describe('The first 20 of what the guards object to. Empty: nothing.'),
    guards: z
      .array(guardObjections)
      .describe('Objections of the guards, by guard. Empty: none. `GET /v1/syncs/{id}/findings` has each.'),
    ...planFlags.shape,
    create: planCreate.nullable().describe('Users and groups that it may create; null: none.'),
    limits: guardLimits,
    unknownGroups: count.describe('Groups that the service does not know and that are not created.'),
    notes: z.array(inputNote).describe('Notes about the file for a person.'),
    leftInPlace: z
      .strictObject({
        users: count,
        uncertain: count.describe('Those of them whom includeUncertain takes back.'),
        sentence: z.string().describe('The number of users, and the reason.'),
      })
      .nullable()
      .describe('Users whom a finished undo left in their place; null: none.'),
    before: z
      .string()
      .nullable()
      .describe(
        'Address for downloading the earlier members of the groups that it takes something from; null: none, or not yet.',
      ),
    moves: z.array(
      z.strictObject({
        at: time,
        state: z.enum(SYNC_STATES),
        reason: z.string(),
        who: z.string().describe('The person who asked for it; empty if the sync itself did.'),
      }),
    ),
  })
  .meta({ id: 'Sync' });
export type SyncView = z.infer<typeof syncView>;

/** An entry of `GET /v1/syncs/:id/groups`. */
export const syncGroup = planGroup
  .pick({ region: true, guid: true, listing: true, members: true, actions: true, right: true, creates: true })
  .extend({
    problem: z.string().describe('The reason why nothing is done in it; empty if it was listed or is created.'),
  });
export type SyncGroup = z.infer<typeof syncGroup>;

/** An entry of `GET /v1/memberships/ending`. */
export const ending = z.strictObject({
  region,
  guid: z.string(),
  uid: z.string(),
  until: time,
  by: z.string().describe('Id of the import or sync whose row says so.'),
});
export type EndingMembership = z.infer<typeof ending>;

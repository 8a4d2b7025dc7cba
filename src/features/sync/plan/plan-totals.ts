import { z } from 'zod';
import type { PlanTotals } from '../../../api/sync-entry.ts';
import { MAX_UIDS_PER_CALL } from '../../../chat/service/limits.ts';
import { REGIONS } from '../../../membership/membership.ts';
import { CHANGES, PLAN_ACTIONS } from '../../../membership/plan-words.ts';
import { CREATE_FIELDS } from '../../../options/create-options.ts';
import { counted, sumOf } from '../../../text/wording.ts';
import type { PlanGroup } from '../api.ts';

/** Users who would be added and whom the service does not find. */
const missingUsers = z.strictObject({
  unknown: z.number(),
  deactivated: z.number(),
  /** UIDs of some who are unknown. */
  first: z.array(z.string()).readonly(),
});
export type MissingUsers = z.infer<typeof missingUsers>;

/** The users and groups that a sync may create beside its changes. */
export const planCreating = z.strictObject({
  may: z.strictObject({ users: z.boolean(), groups: z.boolean(), reactivate: z.boolean() }),
  /** Most users and groups. */
  limits: z.strictObject({ users: z.number(), groups: z.number() }),
  /** The fields for which the file has a column. */
  fields: z.array(z.enum(CREATE_FIELDS)).readonly(),
  /** Null where the users were not looked up. */
  missing: missingUsers.nullable(),
});
export type PlanCreating = z.infer<typeof planCreating>;

/**
 * @param creating what may be created; undefined: nothing
 * @param invalid rows of the file that cannot be used
 */
export function planTotals(groups: readonly PlanGroup[], creating?: PlanCreating, invalid = 0) {
  const sum = (number: (group: PlanGroup) => number) => sumOf(groups.map(number));
  const actions = Object.fromEntries(
    PLAN_ACTIONS.map((action) => [action, sum((group) => group.actions[action])]),
  ) as PlanTotals['actions'];
  return {
    groups: groups.length,
    unlisted: groups.filter((group) => groupProblem(group) !== '').length,
    members: sum(({ members }) => members),
    actions,
    right: sum(({ right }) => right),
    changes: sum(changesOf),
    changedGroups: groups.filter((group) => changesOf(group) > 0).length,
    regions: REGIONS.filter((region) => groups.some((group) => group.region === region && takesCalls(group))),
    ...(invalid > 0 && { invalid }),
    ...(creating !== undefined && { create: creationOf(groups, creating) }),
  };
}

function creationOf(groups: readonly PlanGroup[], { may, missing }: PlanCreating) {
  const fresh = groups.filter(({ creates }) => creates !== undefined).length;
  const users = may.users ? (missing?.unknown ?? null) : 0;
  const reactivated = may.reactivate ? (missing?.deactivated ?? null) : 0;
  // Each group is looked for just before the first is created; rows of users who were missing are sent once more.
  const looks = fresh === 0 ? 0 : groups.filter(({ actions }) => actions.add > 0).length;
  const found = (users ?? 0) + (reactivated ?? 0);
  const together = sumOf([reactivated ?? 0, found].map((uids) => Math.ceil(uids / MAX_UIDS_PER_CALL)));
  return { groups: fresh, users, reactivated, calls: looks + fresh + (users ?? 0) + together };
}

function takesCalls(group: PlanGroup) {
  return changesOf(group) > 0 || group.creates !== undefined;
}

/** The number of changes that would be sent for a group. */
export function changesOf({ actions }: PlanGroup) {
  return sumOf(CHANGES.map((action) => actions[action]));
}

/** The reason why nothing is done in a group, without capital and full stop; '' if it was listed or is created. */
export function groupProblem({ listing, code, message, wanted, creates }: PlanGroup) {
  if (listing === 'listed' || creates !== undefined) return '';
  const what = {
    not_found: 'the service does not know the group',
    failed: 'its members could not be listed as a whole',
    pending: 'its members have not been listed yet',
  }[listing];
  const said = [code, message].filter(Boolean).join(': ');
  return `${what}${said === '' ? '' : ` (${said})`}; ${counted(wanted, 'row')} of the file ${wanted === 1 ? 'waits' : 'wait'} for it`;
}

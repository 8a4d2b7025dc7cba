import { grouped } from '../text/wording.ts';

/** The actions of a plan for one member of a group. */
export const PLAN_ACTIONS = [
  'add', // not a member, or banned: will become one
  'change', // will get another scope, or no place at all in place of a ban
  'keep', // stays as it is
  'remove', // will leave the group
  'ban', // will be banned, a member or not
  'report', // something ought to be done and is not; the reason says why
] as const;
export type PlanActionName = (typeof PLAN_ACTIONS)[number];

/** Actions that send something. */
export const CHANGES: readonly PlanActionName[] = ['add', 'change', 'remove', 'ban'];

/** Labels of the actions, in the order in which people look for them. */
export const ACTION_LABELS: Readonly<Record<PlanActionName, string>> = {
  add: 'to add',
  change: 'to change',
  remove: 'to remove',
  ban: 'to ban',
  report: 'to look at',
  keep: 'unchanged',
};
export const ACTIONS_SHOWN = Object.keys(ACTION_LABELS) as readonly PlanActionName[];

/** "3 to add, 1 to remove"; what there is nothing of is left out. */
export function countsSentence(
  actions: Readonly<Record<PlanActionName, number>>,
  which: readonly PlanActionName[] = ACTIONS_SHOWN,
): string {
  return which
    .filter((action) => actions[action] > 0)
    .map((action) => `${grouped(actions[action])} ${ACTION_LABELS[action]}`)
    .join(', ');
}

interface MayCreate {
  readonly users: boolean;
  readonly groups: boolean;
  readonly reactivate: boolean;
  readonly maxCreate: string;
}

/** "users, groups; at most 100 users, 5% of the groups" */
export function mayCreateWords({ users, groups, reactivate, maxCreate }: MayCreate): string {
  const what = [users && 'users', groups && 'groups', reactivate && 'deactivated users made active'].filter(
    (part) => part !== false,
  );
  const most = maxCreate
    .split(',')
    .map((part) => part.replace(/^(\w+)=(.*%)$/, '$2 of the $1').replace(/^(\w+)=(.*)$/, '$2 $1'));
  return `${what.join(', ')}; at most ${most.join(', ')}`;
}

/** Reasons for the actions of a plan. src/features/sync/plan/reasons.ts has each as a sentence. */
export const PLAN_REASONS = [
  'right',
  'absent',
  'absent_with_group',
  'raised',
  'lowered',
  'ban_wanted',
  'not_lowered',
  'not_lowered_owner',
  'not_lowered_protected',
  'not_lowered_owner_unknown',
  'banned',
  'ban_lifted',
  'unnamed',
  'stays_banned',
  'missing',
  'missing_removed',
  'missing_banned',
  'ended',
  'contradicted',
  'not_ours',
  'left',
  'left_added',
  'brought_back',
  'changed_by_others',
  'spared_owner',
  'spared_admin',
  'spared_protected',
  'spared_owner_unknown',
  'spared_claimed',
  'undo_added',
  'undo_removed',
  'undo_changed',
  'undo_banned',
  'undo_unbanned',
  'undo_nothing',
  'undo_moved',
  'undo_ban_stays',
  'undo_ban_outside',
  'undo_ban_unrecorded',
  'undo_unrecorded',
  'undo_unconfirmed',
  'undo_uncertain',
  'undo_perhaps_added',
] as const;
export type PlanReason = (typeof PLAN_REASONS)[number];

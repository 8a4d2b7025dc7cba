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

import type { Scope } from './membership.ts';
import type { PlanActionName } from './plan-words.ts';

/** A place in a group: a scope, `ban`, or empty for a user who is neither a member nor banned. */
export type Place = Scope | '';

type Reason = readonly [action: PlanActionName, sentence: string | ((from: Place, to: Place) => string)];

const spared = (why: string): Reason => [
  'report',
  (from, to) => `would be ${to === '' ? 'removed' : to === 'ban' ? 'banned' : `lowered from ${from} to ${to}`}, ${why}`,
];
const notLowered = (why: string): Reason => ['keep', (from) => `the file asks for a lower scope than ${from}, ${why}`];
const NAME_IT = 'and is kept unless named explicitly';

/** Every reason that a plan can have, with the action that it leads to: the planner's SQL chooses among these names. */
export const REASONS = {
  // In the file.
  right: ['keep', 'is as the file says'],
  absent: ['add', 'is not in the group'],
  absent_with_group: ['add', 'the group is created first'],
  raised: ['change', 'the file asks for a higher scope'],
  lowered: ['change', 'the file asks for a lower scope'],
  ban_wanted: ['ban', 'the file asks for a ban'],
  not_lowered: notLowered('and this sync does not lower scopes'),
  not_lowered_owner: notLowered(`but owns the group ${NAME_IT}`),
  not_lowered_protected: notLowered(`but is protected ${NAME_IT}`),
  not_lowered_owner_unknown: notLowered('but who owns the group is not known'),
  banned: ['report', 'is banned from the group, and this sync does not lift bans'],
  ban_lifted: ['add', 'is banned from the group; adding lifts the ban'],
  // Not in the file.
  unnamed: ['keep', 'is not in the file; mode add never removes'],
  stays_banned: ['keep', 'is not in the file and is banned, which stays'],
  missing: ['report', 'is not in the file'],
  missing_removed: ['remove', 'is not in the file'],
  missing_banned: ['ban', 'is not in the file'],
  ended: ['remove', 'the membership is over'],
  contradicted: ['report', 'the file contradicts itself about this member; fix its invalid rows'],
  // By who made the user a member.
  not_ours: ['report', 'is not in the file, and others made this user a member'],
  left: ['report', 'left, or was removed, since this sync made this user a member, and is kept out'],
  left_added: ['add', 'left, or was removed, since this sync made this user a member'],
  brought_back: ['add', 'left, or was removed, and was let back by a person'],
  changed_by_others: [
    'report',
    (from, to) =>
      from === 'ban'
        ? 'others have banned this user, whom this sync made a member; the ban stays'
        : `others have made this user ${from}, which stays; the file says ${to}`,
  ],
  // Members from whom nothing may be taken.
  spared_owner: spared(`but owns the group ${NAME_IT}`),
  spared_admin: spared(`but is admin ${NAME_IT}`),
  spared_protected: spared(`but is protected ${NAME_IT}`),
  spared_owner_unknown: spared('but who owns the group is not known'),
  spared_claimed: spared('but a later import names this member too, who is kept unless named explicitly'),
  // Undoing what an import did.
  undo_added: ['remove', 'the import added this member'],
  undo_removed: ['add', 'the import removed this member'],
  undo_changed: ['change', 'the import changed the scope'],
  undo_banned: ['add', 'the import banned this member; adding lifts the ban'],
  undo_unbanned: ['ban', 'the import lifted the ban'],
  undo_nothing: ['keep', 'is as before the import'],
  undo_moved: ['report', 'was changed by someone else since the import'],
  undo_ban_stays: ['report', 'the import banned this UID, and this undo does not lift bans'],
  undo_ban_outside: ['change', 'the import banned this UID, which was no member; the ban is lifted'],
  undo_ban_unrecorded: [
    'change',
    'the import banned this UID; the ban is lifted, and no record says whether it was a member before',
  ],
  undo_unrecorded: ['report', 'no record says what was before the import: look at it by hand'],
  undo_unconfirmed: [
    'report',
    'the import got no answer for this row, so it is not known whether it did this: check it by hand',
  ],
  undo_uncertain: [
    'report',
    'was there already when the import asked again; its earlier call, which got no answer, may have done it',
  ],
  undo_perhaps_added: ['remove', 'a call of the import that got no answer may have added this member'],
} as const satisfies Record<string, Reason>;
export type PlanReason = keyof typeof REASONS;
export const PLAN_REASONS = Object.keys(REASONS) as PlanReason[];

/** The reason of an action as a sentence without capital and full stop. */
export function reasonSentence(name: PlanReason, from: Place, to: Place): string {
  const [, sentence]: Reason = REASONS[name];
  return typeof sentence === 'string' ? sentence : sentence(from, to);
}

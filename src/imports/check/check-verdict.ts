import type { Verdict } from '../../membership/check-words.ts';

/** Why a row would fail, as a sentence without capital and full stop. */
export const CHECK_CODES = {
  ERR_GUID_NOT_FOUND: 'the group does not exist',
  ERR_UID_NOT_FOUND: 'the user does not exist',
  USER_DEACTIVATED: 'the user is deactivated, and the service treats such users as unknown',
  ERR_GROUP_NOT_JOINED: 'the acting user is not a member of the group',
  ACTING_USER_NOT_FOUND: 'the acting user does not exist or is deactivated',
} as const;
export type CheckCode = keyof typeof CHECK_CODES;

/** What people read for a verdict. */
export const VERDICT_LABELS: Readonly<Record<Verdict, string>> = {
  add: 'will be added',
  ban: 'will be banned',
  already_member: 'already a member',
  already_banned: 'already banned',
  other_scope: 'already a member with another scope, which an import does not change',
  lifts_ban: 'banned: adding the user lifts the ban',
  fail: 'would fail',
  not_checked: 'could not be checked',
  invalid: 'invalid',
  duplicate: 'duplicate',
};

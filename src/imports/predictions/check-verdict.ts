import { meaningOf } from '../../chat/service/codes.ts';

/** Reasons and steps as sentences without capital and full stop; chat/service/codes.ts has those of the service’s codes. */
const REASONS: Readonly<Record<string, string>> = {
  // Reasons why a row would fail.
  USER_DEACTIVATED: 'the user is deactivated, and the service treats such users as unknown',
  BANNED: 'the user is banned from the group',
  ACTING_USER_NOT_FOUND: 'the acting user does not exist or is deactivated',
  NO_NAME: 'the user or group has no name to be created with',
  BAD_METADATA: 'the user cannot be created: its metadata is not a JSON object',
  FIELD_LIMIT: 'the user or group cannot be created: one of its values is longer than the service takes',
  GROUP_OWNER_NOT_FOUND: 'the group cannot be created: the user who would own it does not exist or is deactivated',
  // Steps before a row is sent.
  CREATE_USER: 'the user is created first',
  CREATE_GROUP: 'the group is created first',
  CREATE_BOTH: 'the user and the group are created first',
  REACTIVATE_USER: 'the user is deactivated, and is made active again first',
  REACTIVATE_AND_CREATE_GROUP: 'the group is created and the user is made active again first',
  // Facts about a row that cannot be known, apart from unreadable groups.
  NEW_USER: 'the user is created or made active again for another row, and this row may be sent before or after that',
  NEW_GROUP: 'the group is created first, and who is a member then depends on the other rows',
  ACTING_USER_MOVES:
    'another row adds, changes or removes the acting user, and this row may be sent before or after that',
  ACTING_SCOPE: 'the service’s documentation says in two ways whether the acting user’s scope in the group allows this',
  SELF_ACTION:
    'the acting user adds or changes itself: a public group takes a participant, and some services refuse it',
  OWNER: 'the user owns the group, and the service may refuse to change that',
};

/** Returns the reason why a row would fail or could not be checked, or the creation that it needs first. */
export function reasonOf(code: string) {
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : meaningOf(code)?.foreseen?.why;
  if (known !== undefined) return known;
  return code === ''
    ? 'the service does not say whether the user exists or is a member'
    : `its group could not be read: ${code}`;
}

/** What a check expects of a row, as far as the service has told. */
export const VERDICTS = [
  'add', // will be added
  'ban', // will be banned
  'already_member', // is a member with this scope
  'already_banned',
  'other_scope', // is a member with another scope, which an import does not change
  'lifts_ban', // is banned, and adding lifts the ban
  'fail', // the service would refuse it
  'not_checked', // the service did not say
  'invalid', // the row itself is wrong
  'duplicate', // another row asks for the same
] as const;
export type Verdict = (typeof VERDICTS)[number];

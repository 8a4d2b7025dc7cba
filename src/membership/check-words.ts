/** The results that a check can predict for a row, from the service's answers. */
export const VERDICTS = [
  'add', // will be added
  'create', // will be added, after its user or group is created or made active
  'ban', // will be banned
  'change', // will get another scope (files of changes)
  'remove', // will be removed
  'unban', // the ban will be lifted
  'already_member', // is a member with this scope
  'already_banned',
  'nothing_to_do', // would remove someone who is no member, or lift a ban that does not exist
  'other_scope', // is a member with another scope, which an import does not change
  'lifts_ban', // is banned, and adding lifts the ban
  'fail', // the service would refuse it
  'not_checked', // the service did not say
  'invalid', // the row itself is wrong
  'duplicate', // another row asks for the same
  'skipped', // left out by a condition of the user
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The results that a check can predict for a row, from the service's answers, as people read them. */
export const VERDICT_LABELS = {
  add: 'will be added',
  create: 'will be added, after what is missing is created',
  ban: 'will be banned',
  change: 'will get another scope',
  remove: 'will be removed',
  unban: 'will be unbanned',
  already_member: 'already a member',
  already_banned: 'already banned',
  nothing_to_do: 'not a member, or not banned: nothing to do',
  other_scope: 'already a member with another scope, which an import does not change',
  lifts_ban: 'banned: adding the user lifts the ban',
  fail: 'would fail',
  not_checked: 'could not be checked',
  invalid: 'invalid',
  duplicate: 'duplicate',
  skipped: 'skipped',
} as const;
export type Verdict = keyof typeof VERDICT_LABELS;
export const VERDICTS = Object.keys(VERDICT_LABELS) as readonly Verdict[];

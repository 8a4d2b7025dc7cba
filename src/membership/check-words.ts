import { grouped } from '../text/wording.ts';

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

/** Says what a check has found: "3 of 5 exist, 2 missing". */
function foundWords(found: number, asked: number, others: Readonly<Record<string, number>>): string {
  const rest = Object.entries(others).flatMap(([what, n]) => (n > 0 ? `${grouped(n)} ${what}` : []));
  return [`${grouped(found)} of ${grouped(asked)} exist`, ...rest].join(', ');
}

interface Found {
  readonly groups: Readonly<Record<'asked' | 'found' | 'missing' | 'failed', number>>;
  readonly users: Readonly<Record<'asked' | 'exist' | 'unknown' | 'deactivated' | 'notChecked', number>>;
}

export const groupsFound = ({ groups: { asked, found, missing, failed } }: Found) =>
  foundWords(found, asked, { missing, 'could not be read': failed });

export const usersFound = ({ users: { asked, exist, unknown, deactivated, notChecked } }: Found) =>
  foundWords(exist, asked, { unknown, deactivated, 'could not be checked': notChecked });

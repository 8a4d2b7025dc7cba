/** The final result of a row. Every row of an import ends in exactly one of these. */
export const OUTCOMES = [
  'added', // the service said yes
  'banned', // the service said yes to a ban
  'already_member', // it was a member before, or an earlier attempt without an answer made it one
  'failed', // the service said no; code and message are kept
  'invalid', // refused at intake, with the column and the reason
  'duplicate', // the same membership is in another row, which is named
  'unconfirmed', // sent, and no answer says whether it was done; never counted as success
  'unprocessed', // the run was cancelled or aborted before it was sent
  'changed', // the member has the scope that was asked for
  'removed', // the user is not a member any more
  'unbanned', // the ban is lifted
  'skipped', // left out by a condition or, after a check, by a person; or without any membership in it
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Rows by outcome. `read` equals the sum of all others, or the run is wrong (docs/architecture.md, promise 1). */
export type RowCounts = Readonly<Record<'read' | Outcome, number>>;

/** Outcomes that fulfil a row's request. */
export const FULFILLED: ReadonlySet<Outcome> = new Set([
  'added',
  'banned',
  'already_member',
  'changed',
  'removed',
  'unbanned',
]);

/** Outcomes that a further import of the same row may change: what `retry` sends again. */
export const RETRYABLE: ReadonlySet<Outcome> = new Set(['failed', 'unconfirmed', 'unprocessed']);

export function sumOfOutcomes(rows: RowCounts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + rows[outcome], 0);
}

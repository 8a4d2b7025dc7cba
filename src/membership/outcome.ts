import { sumOf } from '../text/wording.ts';

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

export const ROW_COUNTS = ['read', ...OUTCOMES] as const;

/** Rows by outcome. `read` equals the sum of all others, or the run is wrong (docs/architecture.md, promise 1). */
export type RowCounts = Readonly<Record<(typeof ROW_COUNTS)[number], number>>;

/** Outcomes that fulfil a row's request. */
export const FULFILLED: ReadonlySet<Outcome> = new Set([
  'added',
  'banned',
  'already_member',
  'changed',
  'removed',
  'unbanned',
]);

/** Outcomes that come of a call. */
export const SENT: ReadonlySet<Outcome> = new Set([...FULFILLED, 'failed', 'unconfirmed']);

/** Outcomes that a further import of the same row may change: what `retry` sends again. */
export const RETRYABLE: ReadonlySet<Outcome> = new Set(['failed', 'unconfirmed', 'unprocessed']);

/** Outcomes that ask for a person once an import is over: before, what is not sent may just be to come. */
export const NEEDS_ATTENTION: ReadonlySet<Outcome> = new Set(['failed', 'invalid', 'unconfirmed', 'unprocessed']);

/** @param outcomes of which rows are counted. Default: all */
export function sumOfOutcomes(rows: RowCounts, outcomes: Iterable<Outcome> = OUTCOMES): number {
  return sumOf(Array.from(outcomes, (outcome) => rows[outcome]));
}

interface FollowUp {
  readonly kind: string;
  readonly isPart: boolean;
  readonly state: string;
}

/** The retry that took all rows that could be sent again; undefined where there is none. */
export function completeRetry<F extends FollowUp>({ followUps }: { readonly followUps: readonly F[] }): F | undefined {
  return followUps.find(({ kind, isPart, state }) => kind === 'retry' && !isPart && state !== 'rejected');
}

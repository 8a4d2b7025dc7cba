import type { RowProblem } from '../input-row.ts';

/** Longest text that says which value of a row a membership is, in characters. */
const MAX_VALUE_LENGTH = 200;

/** Shortens the value that tells several memberships of a row apart, such as `course2=math`. */
export function shortValue(text: string): string {
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Returns the problem of a row that gives no membership. */
export function noMembership(column: string, reason: string, value = ''): RowProblem {
  return { column, value, code: 'NO_MEMBERSHIP', reason };
}

export function tooManyMemberships(column: string, most: number): RowProblem {
  const reason = `the row gives more than ${most} memberships; if that is right, raise the bound memberships`;
  return { column, value: '', code: 'TOO_MANY_MEMBERSHIPS', reason };
}

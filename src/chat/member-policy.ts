/**
 * The meaning of errors for the operations of member-client.ts, as data: the differences from adding members, and
 * error-policy.ts for the rest. Publicly known codes, not contract.
 */
import { judge, type Verdict } from './error-policy.ts';
import { UntrustedListing } from './errors.ts';
import { ACTOR_OUTSIDE, BARE_404, NOT_A_MEMBER, OPERATION_MISSING, type VerdictKind } from './service/codes.ts';

/** Operations that change one member of a group. */
export type EditOperation = 'change-scope' | 'remove' | 'ban' | 'unban';

export interface EditVerdict extends Omit<Verdict, 'kind'> {
  /** `in-place`: the member was already as requested. Never `halve`: an edit has one UID. */
  readonly kind: Exclude<VerdictKind, 'halve'> | 'in-place';
}

/** Codes of an operation that the service does not have. It is not part of the contract, and the others must continue. */
const NOT_THERE: ReadonlySet<string> = new Set([OPERATION_MISSING, BARE_404]);

/** Codes that say "it is so already", by what was asked for. */
const IN_PLACE: Readonly<Record<EditOperation, readonly string[]>> = {
  'change-scope': ['ERR_SAME_SCOPE'],
  // A banned user is not a member any more, and the service refuses to remove one.
  remove: [NOT_A_MEMBER, 'ERR_BANNED_GROUPMEMBER'],
  ban: ['ERR_ALREADY_BANNED'],
  unban: ['ERR_NOT_A_BANNED_USER'],
};

/**
 * @param error what the call threw; anything but a failed call is thrown again, as `judge` does
 * @param onBehalfOf the acting user of the call; empty when the service itself acts
 */
export function judgeEdit(operation: EditOperation, error: unknown, onBehalfOf = ''): EditVerdict {
  const verdict = judge(error, 1, onBehalfOf);
  return { ...verdict, kind: editKind(operation, verdict, onBehalfOf !== '') };
}

function editKind(operation: EditOperation, { code, kind }: Verdict, actsForUser: boolean): EditVerdict['kind'] {
  if (IN_PLACE[operation].includes(code)) return 'in-place';
  // Documented for the acting user. Without one, it can only mean that the member is not in the group.
  if (code === ACTOR_OUTSIDE && operation === 'remove' && !actsForUser) return 'in-place';
  // `judge` never answers `halve` for a call of one UID, but its type does not say so.
  return NOT_THERE.has(code) || kind === 'halve' ? 'final' : kind;
}

/**
 * Returns the meaning of a failed reading of a list or a group. A verdict of `final` concerns this group alone.
 * @param error what readMembers, readBanned or getGroup threw; anything but a failed reading is thrown again
 * @param onBehalfOf the user for whom it was asked; empty when the service itself asks
 */
export function judgeReading(error: unknown, onBehalfOf = ''): Verdict {
  if (error instanceof UntrustedListing) {
    const { code, message } = error;
    return { kind: 'again', code, message, httpStatus: null, maybeCarriedOut: false };
  }
  const verdict = judge(error, 1, onBehalfOf);
  return NOT_THERE.has(verdict.code) ? { ...verdict, kind: 'final' } : verdict;
}

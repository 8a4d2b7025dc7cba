import { scopeId, scopeOf } from '../../imports/record/enum-ids.ts';
import { SCOPES } from '../../membership/membership.ts';

/** A user's place in a group, as a number: that of the scope in the ledger, or one of these. */
export const BANNED = scopeId('ban');
export const OUTSIDE = 0;
export const OTHER_SCOPE = 9;

/** @param scope as the service says it; null: not in the group */
export function placeOf(scope: string | null): number {
  if (scope === null) return OUTSIDE;
  const known = SCOPES.find((one) => one !== 'ban' && one === scope.toLowerCase());
  return known === undefined ? OTHER_SCOPE : scopeId(known);
}

/** In words, for people. */
export function placeWord(place: number): string {
  if (place === OUTSIDE) return 'not a member';
  if (place === BANNED) return 'banned';
  return place === OTHER_SCOPE ? 'another scope' : scopeOf(place);
}

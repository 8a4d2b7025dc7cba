import type { PlanFlags } from '../../src/api/sync-entry.ts';
import { SCOPES, type Scope } from '../../src/membership/membership.ts';
import type { Place } from '../../src/membership/plan-reasons.ts';
import type { FileRow } from './planning.ts';

/** @param uid in lower case */
export const has = (uids: readonly string[], uid: string) => uids.some((other) => other.toLowerCase() === uid);

/**
 * Returns the wanted scopes of the file, in the plainest possible way: the highest scope counts, a ban beside a scope
 * contradicts it.
 */
export function wantedIn(guid: string, rows: readonly FileRow[]): Map<string, Scope | 'contradiction'> {
  const wanted = new Map<string, Scope | 'contradiction'>();
  for (const row of rows) {
    if (row.invalid || row.guid?.toLowerCase() !== guid) continue;
    const uid = row.uid?.toLowerCase() ?? '';
    const scope = row.scope ?? 'participant';
    const before = wanted.get(uid);
    if (before === undefined) wanted.set(uid, scope);
    else if (before === 'contradiction' || (before === 'ban') !== (scope === 'ban')) wanted.set(uid, 'contradiction');
    else if (SCOPES.indexOf(scope) < SCOPES.indexOf(before)) wanted.set(uid, scope);
  }
  return wanted;
}

/** Returns the place in which one person must end: the rules of a sync, one by one. */
export function rightPlace(
  want: Scope | 'contradiction' | undefined,
  now: Place,
  uid: string,
  owner: string | null,
  flags: PlanFlags,
): Place {
  const named = has(flags.removeNamed, uid);
  const untouchable = !named && (owner === null || owner === uid || has(flags.protect, uid));
  const maySend = !untouchable && (named || now !== 'admin');
  if (want === undefined || want === 'contradiction') {
    const isOut = now === '' || now === 'ban';
    if (isOut || want === 'contradiction' || flags.mode === 'add' || flags.missing === 'report' || !maySend) return now;
    return flags.missing === 'ban' ? 'ban' : '';
  }
  if (want === 'ban') return maySend ? 'ban' : now;
  if (now === '') return want;
  if (now === 'ban') return flags.allowUnban ? want : 'ban';
  const isLower = SCOPES.indexOf(want) > SCOPES.indexOf(now);
  return isLower && (!flags.allowDemotion || untouchable) ? now : want;
}

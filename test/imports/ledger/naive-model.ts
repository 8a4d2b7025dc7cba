import type { Membership } from '../../../src/membership/membership.ts';
import { SCOPES } from '../../../src/membership/membership.ts';

/** A row's request, or that it is invalid already when it comes. */
export type AskedRow = Membership | 'invalid';

/** The result that staging must give for a row; `of` is the index of the row that is sent instead. */
type Verdict = { is: 'invalid' } | { is: 'duplicate'; of: number } | { is: 'sent' };

export interface Plan {
  readonly verdicts: readonly Verdict[];
  /** Indices of the rows to send, by group, acting user and action. */
  readonly callGroups: readonly (readonly number[])[];
  /** Calls that are necessary: up to 25 UIDs of one group and one acting user to add in each, one to change or remove. */
  readonly calls: number;
}

const folded = (...parts: string[]) => JSON.stringify(parts.map((part) => part.toLowerCase()));

/** The rules for duplicates and batches in the plainest possible way: no SQL, no hashes, everything in memory. */
export function planOf(rows: readonly AskedRow[]): Plan {
  const verdicts: Verdict[] = rows.map((row) => ({ is: row === 'invalid' ? 'invalid' : 'sent' }));
  const asked = rows.flatMap((row, index) => (row === 'invalid' ? [] : [{ ...row, index }]));
  for (const same of Map.groupBy(asked, ({ region, guid, uid }) => folded(region, guid, uid)).values()) {
    const bans = same.filter(({ scope }) => scope === 'ban').length;
    const actions = new Set(same.map(({ action = 'add' }) => action));
    if (actions.size > 1 || (bans > 0 && bans < same.length && !actions.has('remove') && !actions.has('unban'))) {
      for (const { index } of same) verdicts[index] = { is: 'invalid' };
      continue;
    }
    const rank = ({ scope, action }: Membership) =>
      action === 'remove' || action === 'unban' ? 0 : SCOPES.indexOf(scope);
    const [kept, ...others] = same.toSorted((a, b) => rank(a) - rank(b));
    for (const { index } of others) verdicts[index] = { is: 'duplicate', of: kept?.index ?? -1 };
  }
  const sent = asked.filter(({ index }) => verdicts[index]?.is === 'sent');
  const callGroups = Map.groupBy(sent, ({ region, guid, onBehalfOf, action = 'add' }) =>
    folded(region, guid, onBehalfOf, action),
  );
  return {
    verdicts,
    callGroups: [...callGroups.values()].map((callGroup) => callGroup.map(({ index }) => index)),
    calls: [...callGroups.values()].reduce(
      (sum, callGroup) => sum + Math.ceil(callGroup.length / ((callGroup[0]?.action ?? 'add') === 'add' ? 25 : 1)),
      0,
    ),
  };
}

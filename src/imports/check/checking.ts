import pLimit from 'p-limit';
import type { Region } from '../../membership/membership.ts';
import type { GroupPages } from '../send/group-reader.ts';
import type { CheckLedger } from './check-ledger.ts';

/** How far a check is: how many of how many have been answered. */
export interface CheckProgress {
  readonly step: 'groups' | 'members' | 'users';
  readonly done: number;
  readonly of: number;
}

/** What every step works with. Its pages count calls, and refuse more than are allowed. */
export interface Checking {
  readonly ledger: CheckLedger;
  readonly pages: (region: Region) => GroupPages;
  readonly signal: AbortSignal;
  /** Calls that are still allowed. */
  readonly left: () => number;
  readonly progress: (step: CheckProgress['step'], of: number) => () => void;
}

/** Questions at the same time: enough to keep every region busy. */
export const AT_ONCE = 40;

/** Does the work for every item, some at a time, side by side within the bound. The first error ends the others. */
export async function inTurns<Item extends { readonly id: number }>(
  signal: AbortSignal,
  next: (after: number) => readonly Item[],
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  for (let after = 0; ; ) {
    const items = next(after);
    if (items.length === 0) return;
    after = items.at(-1)?.id ?? after;
    await pLimit(AT_ONCE).map(items, async (item) => {
      if (either.aborted) return;
      await work(item, either).catch((error: unknown) => failed.abort(error));
    });
    either.throwIfAborted();
  }
}

import pLimit from 'p-limit';
import type { Region } from '../../membership/membership.ts';

/** Asking the service about many things: regions side by side, and in each some things at a time. */

/** Questions at the same time: enough to keep every region busy. */
const AT_ONCE = 40;

/** Does the work for all regions at the same time, because each has its own rate limit. The first error ends the others. */
export function inRegions(
  regions: readonly Region[],
  signal: AbortSignal,
  work: (region: Region, signal: AbortSignal) => Promise<void>,
) {
  return inTurns(signal, [regions], work);
}

/** Does the work for every item, at most AT_ONCE at the same time. The first error ends the others. @param pages some items at a time */
export async function inTurns<Item>(
  signal: AbortSignal,
  pages: Iterable<readonly Item[]>,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
) {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const atOnce = pLimit(AT_ONCE);
  for (const items of pages) {
    await atOnce.map(items, async (item) => {
      if (either.aborted) return;
      await work(item, either).catch((error: unknown) => failed.abort(error));
    });
    either.throwIfAborted();
  }
}

/** Takes items from a file page by page, in the order of their numbers. @param next those after a number; none: that was all */
export function* inPages<Item extends { readonly id: number }>(next: (after: number) => readonly Item[]) {
  for (let items = next(0); items.length > 0; items = next(items.at(-1)?.id ?? 0)) yield items;
}

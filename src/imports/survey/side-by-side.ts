import pLimit from 'p-limit';
import type { Region } from '../../membership/membership.ts';

/** Asking the service about many things: regions side by side, and in each some things at a time. */

/** Questions at the same time: enough to keep every region busy. */
export const AT_ONCE = 40;

/** Does the work for all regions at the same time, because each has its own rate limit. The first error ends the others. */
export async function inRegions(
  regions: readonly Region[],
  signal: AbortSignal,
  work: (region: Region, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  await Promise.all(regions.map((region) => work(region, either).catch((error: unknown) => failed.abort(error))));
  either.throwIfAborted();
}

/** Does the work for every item, at most AT_ONCE at the same time. The first error ends the others. */
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

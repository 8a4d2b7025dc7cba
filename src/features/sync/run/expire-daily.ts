import { endingBefore } from '../../../imports/ends/ends.ts';
import { isFinalSync } from '../../../membership/sync-state.ts';
import type { SyncRunner } from './sync-runner.ts';

const MINUTE_MS = 60_000;

/** Begins an expiry where memberships are over, none was begun on this day (in UTC), and no earlier one waits for a person. Returns its id. */
export async function expireIfDue(syncs: SyncRunner, ends: string, now = Date.now()): Promise<string | undefined> {
  const last = syncs.catalog.lastExpiry();
  const day = new Date(now).toISOString().slice(0, 10);
  if (last !== undefined && (!isFinalSync(last.state) || last.createdAt.slice(0, 10) >= day)) return undefined;
  if (endingBefore(ends, syncs.sendsTo, now, 1).length === 0) return undefined;
  return syncs.expire({ apply: true, who: '' });
}

/** Looks every minute whether an expiry is due, and at once: a day may have been missed. Returns what stops it. */
export function expireDaily(
  syncs: SyncRunner,
  ends: string,
  onBegun: (id: string) => void,
  onError: (error: unknown) => void,
): () => void {
  const begin = async () => {
    const id = await expireIfDue(syncs, ends);
    if (id !== undefined) onBegun(id);
  };
  const look = () => void begin().catch(onError);
  look();
  const timer = setInterval(look, MINUTE_MS).unref();
  return () => clearInterval(timer);
}

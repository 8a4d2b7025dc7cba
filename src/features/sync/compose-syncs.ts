import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Telling } from '../../api/service.ts';
import type { Service } from '../../app/chat-service.ts';
import { asError } from '../../errors/rollcall-error.ts';
import { endingBefore } from '../../imports/ends/ends.ts';
import { startRetention, sweepUnbegun } from '../../imports/life/removal.ts';
import { type StageFile, stageInThread } from '../../imports/stage/staging.ts';
import type { Region } from '../../membership/membership.ts';
import { isFinalSync } from '../../membership/sync-state.ts';
import type { Logger } from '../../platform/log.ts';
import { type SyncEvents, SyncRunner, type SyncRunnerOptions } from './run/sync-runner.ts';
import { openSyncCatalog } from './sync-catalog.ts';

/** The process that has syncs: they stop before its coordinator, whose imports carry them out. */
export interface SyncProcess extends Pick<SyncRunnerOptions, 'coordinator' | 'dir'> {
  readonly service: Pick<Service, 'apps'>;
  readonly log: Logger;
  readonly events: Telling;
  readonly onStop: (stop: () => Promise<void>) => void;
  readonly fail: (error: Error) => void;
  /** The time that finished syncs are kept. Default: until they are deleted. */
  readonly keepMs?: number | undefined;
  /** Reads files into ledgers. Default: each in a thread of its own. */
  readonly stage?: StageFile | undefined;
}

export function composeSyncs(process: SyncProcess) {
  const { coordinator, dir, service, log, events: told, onStop, fail, keepMs, stage = stageInThread } = process;
  const events = new EventEmitter<SyncEvents>().setMaxListeners(0);
  const catalog = openSyncCatalog(dir.catalog, (sync) => void events.emit('state', sync));
  sweepUnbegun(join(dir.root, 'syncs'), (id) => catalog.find(id) !== undefined);
  const retention = startRetention({
    keepMs,
    finishedBefore: catalog.outdated,
    remove: async (id) => {
      // The files first: after a crash the sync is still listed, and removed the next time.
      await rm(dir.sync(id), { recursive: true, force: true });
      catalog.remove(id);
    },
    onError: (error) => log.warn({ err: error }, 'an old sync cannot be removed'),
  });
  events.on('progress', told.progressed('planning'));
  events.on('state', ({ id, state, reason }) => {
    log[state === 'held' || state === 'failed' ? 'warn' : 'info']({ sync: id, state, reason }, 'sync');
    told.tell('sync', { id, state });
  });
  const syncs = new SyncRunner({
    events,
    fail: (error) => fail(asError(error)),
    catalog,
    coordinator,
    dir,
    regions: new Set(Object.keys(service.apps) as Region[]),
    stage,
    onStopped: async () => {
      await retention.stop();
      catalog.close();
    },
  });
  onStop(() => syncs.stop());
  return syncs;
}

const MINUTE_MS = 60_000;

/** Begins an expiry where memberships are over, none was begun on this day (in UTC), and no earlier one waits for a person. Returns its id. */
export async function expireIfDue(syncs: SyncRunner, ends: string, now = Date.now()) {
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
) {
  const begin = async () => {
    const id = await expireIfDue(syncs, ends);
    if (id !== undefined) onBegun(id);
  };
  const look = () => void begin().catch(onError);
  look();
  const timer = setInterval(look, MINUTE_MS).unref();
  return () => clearInterval(timer);
}

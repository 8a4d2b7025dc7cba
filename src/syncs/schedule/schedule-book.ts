import { rm } from 'node:fs/promises';
import { checkCron, nextRun } from '../../queue/cron.ts';
import { limitsWith } from '../guard-limits.ts';
import { readProtectFile } from '../plan/protect.ts';
import { readSyncOptions } from '../sync-options.ts';
import type { NewSchedule, ScheduleCatalog, ScheduleRecord } from './schedule-catalog.ts';
import { ScheduleError } from './schedule-errors.ts';
import { checkedAddress, isAddress } from './source.ts';

/** Ms since 1970. */
export type Clock = () => number;

/** A schedule as a user asks for it; plain data, so that it can be sent to the process that keeps it. */
export type ScheduleWish = Omit<NewSchedule, 'nextDue'>;

/** Which schedules there are. */
export interface ScheduleBook {
  /** @throws ScheduleError, CronError, SourceError, LimitError, ProtectFileError: nothing was written then */
  add(wish: ScheduleWish): Promise<ScheduleRecord>;
  /** @throws ScheduleError, like all that name one */
  find(name: string): ScheduleRecord;
  list(): ScheduleRecord[];
  /** Nothing is due while it is paused, nor missed. */
  pause(name: string): ScheduleRecord;
  resume(name: string): ScheduleRecord;
  /** With its history, and the copy that is kept of its source. Its syncs stay. */
  remove(name: string): Promise<void>;
}

/** Becomes the name of a folder, and part of the names of jobs. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** @param folder where what a schedule keeps beside the catalog is */
export function scheduleBook(catalog: ScheduleCatalog, folder: (name: string) => string, clock: Clock): ScheduleBook {
  const find = (name: string): ScheduleRecord => {
    const record = catalog.find(name);
    if (record === undefined) throw ScheduleError.unknown(name);
    return record;
  };
  const setPaused = (name: string, paused: boolean): ScheduleRecord => {
    const { cron, tz, paused: was } = find(name);
    if (was !== paused) catalog.setPaused(name, paused, nextRun(cron, tz, clock()));
    return find(name);
  };
  return {
    find,
    list: catalog.list,
    add: async (wish) => {
      const { name, cron, tz, source, headers, protectFile } = wish;
      if (!NAME.test(name)) {
        throw new ScheduleError(
          `${JSON.stringify(name)} cannot be the name of a schedule`,
          'allowed are up to 64 lower-case letters, digits, - and _, the first a letter or digit',
          'BAD_SCHEDULE',
        );
      }
      checkCron(cron, tz);
      if (isAddress(source)) checkedAddress(source);
      else if (Object.keys(headers).length > 0) {
        throw new ScheduleError(
          `--header is for https addresses, and ${JSON.stringify(wish.file)} is none`,
          'leave it out',
          'BAD_SCHEDULE',
        );
      }
      limitsWith(readSyncOptions(wish).limits);
      if (protectFile !== null) await readProtectFile(protectFile);
      if (catalog.find(name) !== undefined) {
        throw new ScheduleError(
          `there is a schedule ${JSON.stringify(name)} already`,
          `take another name, or remove it first: rollcall schedule remove ${name}`,
        );
      }
      const at = clock();
      catalog.add({ ...wish, nextDue: nextRun(cron, tz, at) }, at);
      return find(name);
    },
    pause: (name) => setPaused(name, true),
    resume: (name) => setPaused(name, false),
    remove: async (name) => {
      find(name);
      catalog.remove(name);
      await rm(folder(name), { recursive: true, force: true });
    },
  };
}

import { rm } from 'node:fs/promises';
import { nextRun } from '../../queue/cron.ts';
import type { KeptSettings } from './api.ts';
import {
  EditedMeanwhile,
  type Schedule,
  type ScheduleCatalog,
  ScheduleError,
  settingsText,
} from './schedule-catalog.ts';

/** Ms since 1970. */
export type Clock = () => number;

/** The catalog that is changed, and what a change has to know. */
export interface ChangeOptions {
  readonly catalog: ScheduleCatalog;
  /** Returns the folder of a schedule's own files, beside the catalog. */
  readonly folder: (name: string) => string;
  readonly clock: Clock;
  /** Whether this process is at work on a run of it. Default: never. */
  readonly isUnderWay?: (name: string) => boolean;
  /** Is called after each change. */
  readonly changed?: () => void;
}

/** Addresses of the API beside those of schedules: `/v1/schedules/next`. */
const TAKEN_NAMES: ReadonlySet<string> = new Set(['next', 'nights', 'look', 'try']);
/** Becomes the name of a folder, and part of the names of jobs. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** @throws ScheduleError where the name is taken, or cannot be one */
export function checkNewName(catalog: Pick<ScheduleCatalog, 'find'>, name: string): void {
  if (!NAME.test(name) || TAKEN_NAMES.has(name)) {
    throw ScheduleError.bad(
      'name',
      `${JSON.stringify(name)} cannot be the name of a schedule`,
      `allowed are up to 64 lower-case letters, digits, - and _, the first a letter or digit, but not ${[...TAKEN_NAMES].join(', ')}`,
    );
  }
  if (catalog.find(name) !== undefined) {
    throw ScheduleError.bad(
      'name',
      `there is a schedule ${JSON.stringify(name)} already`,
      'take another name, or edit that schedule',
    );
  }
}

/** Changes the schedules of a catalog. A run that is under way keeps the settings that it began with. */
export function scheduleChanges(options: ChangeOptions) {
  const { catalog, clock, folder, isUnderWay = () => false, changed = () => {} } = options;
  const asChanged = (name: string): Schedule => {
    changed();
    return catalog.get(name);
  };
  return {
    /** @throws ScheduleError */
    add: (name: string, settings: KeptSettings): Schedule => {
      checkNewName(catalog, name);
      const at = clock();
      catalog.add(name, settings, at, nextRun(settings.cron, settings.tz, at));
      return asChanged(name);
    },
    /** Replaces all settings. @param version the one that the user has seen @throws ScheduleError, EditedMeanwhile */
    edit: (name: string, settings: KeptSettings, version: number): Schedule => {
      const before = catalog.get(name);
      if (before.version !== version) throw new EditedMeanwhile(name, before.version, version);
      if (settingsText(before) === settingsText(settings)) return before;
      const { cron, tz, file } = settings;
      const at = clock();
      const isSameTime = before.cron === cron && before.tz === tz;
      catalog.edit(name, settings, {
        timedAt: isSameTime ? before.timedAt : at,
        nextDue: isSameTime ? before.nextDue : nextRun(cron, tz, at),
        copy: before.file === file ? before.copy : null,
      });
      return asChanged(name);
    },
    /** Nothing is due while it is paused, nor missed. */
    setPaused: (name: string, paused: boolean): Schedule => {
      const { cron, tz, paused: was } = catalog.get(name);
      const at = clock();
      if (was !== paused) catalog.setPaused(name, paused, at, nextRun(cron, tz, at));
      return asChanged(name);
    },
    /** With its history and the copy of its source; its syncs stay. */
    remove: async (name: string): Promise<void> => {
      catalog.get(name);
      if (isUnderWay(name)) {
        throw new ScheduleError(`schedule ${name} is running`, 'pause it, and remove it when the run has finished');
      }
      catalog.remove(name);
      changed();
      await rm(folder(name), { recursive: true, force: true });
    },
  };
}
export type ScheduleChanges = ReturnType<typeof scheduleChanges>;

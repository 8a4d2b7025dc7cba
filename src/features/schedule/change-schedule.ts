import { rm } from 'node:fs/promises';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { NAME, NAME_FORM } from '../../options/deciding-options.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { nextRun } from '../../queue/cron.ts';
import { isoTime } from '../../text/wording.ts';
import { type KeptSettings, keptSettings } from './operations.ts';
import { badSetting, type Schedule, type ScheduleCatalog } from './schedule-catalog.ts';

/** The catalog that is changed, and what a change has to know. */
interface ChangeOptions {
  readonly catalog: ScheduleCatalog;
  /** Has a folder for each schedule's own files. */
  readonly dir: Pick<DataDir, 'schedule'>;
  /** In ms since 1970. Default: that of the machine. */
  readonly clock?: () => number;
  /** Whether this process is at work on a run of it. Default: never. */
  readonly isUnderWay?: (name: string) => boolean;
  /** Is called after each change. */
  readonly changed?: () => void;
}

/** Addresses of the API beside those of schedules: `/v1/schedules/next`. */
const TAKEN_NAMES: ReadonlySet<string> = new Set(['next', 'look', 'try']);

/** @throws RollcallError where the name is taken, or cannot be one */
export function checkNewName(catalog: Pick<ScheduleCatalog, 'find'>, name: string): void {
  const shown = JSON.stringify(name);
  if (!NAME.test(name) || TAKEN_NAMES.has(name)) {
    throw badSetting(
      'name',
      `${shown} cannot be the name of a schedule`,
      `allowed are ${NAME_FORM}, but not ${[...TAKEN_NAMES].join(', ')}`,
    );
  }
  if (catalog.find(name) !== undefined)
    throw badSetting('name', `there is a schedule ${shown} already`, 'take another name, or edit that schedule');
}

/** The same for the same settings. */
const textOf = (settings: KeptSettings) => JSON.stringify(keptSettings.strip().parse(settings));

/** Pauses that ended longer ago are forgotten, in ms. */
const PAUSES_MS = 40 * 86_400_000;

/** Changes the schedules of a catalog. A run that is under way keeps the settings that it began with. */
export function scheduleChanges(options: ChangeOptions) {
  const { catalog, clock = Date.now, dir, isUnderWay = () => false, changed = () => {} } = options;
  const save = (schedule: Schedule): Schedule => {
    catalog.save(schedule);
    changed();
    return schedule;
  };
  /** Nothing that runs of earlier settings found counts: the next run looks at the groups in any case. */
  const timed = (settings: KeptSettings, at: number) => ({
    ...settings,
    timedAt: at,
    nextDue: nextRun(settings.cron, settings.tz, at),
    copy: null,
    placedHash: null,
  });
  return {
    /** @throws RollcallError */
    add: (name: string, settings: KeptSettings): Schedule => {
      checkNewName(catalog, name);
      const at = clock();
      return save({ ...timed(settings, at), name, version: 1, paused: false, createdAt: isoTime(at), pauses: [] });
    },
    /** Replaces all settings. @param version the one that the user has seen @throws RollcallError, EDITED_MEANWHILE */
    edit: (name: string, settings: KeptSettings, version: number): Schedule => {
      const before = catalog.get(name);
      if (before.version !== version)
        throw new RollcallError('EDITED_MEANWHILE', { name, version: before.version, given: version });
      if (textOf(before) === textOf(settings)) return before;
      const { paused, createdAt, pauses, timedAt, nextDue, copy } = before;
      const isSameTime = before.cron === settings.cron && before.tz === settings.tz;
      return save({
        ...timed(settings, clock()),
        ...(isSameTime && { timedAt, nextDue }),
        ...(before.file === settings.file && { copy }),
        name,
        version: version + 1,
        paused,
        createdAt,
        pauses,
      });
    },
    /** Nothing is due while it is paused, nor missed. */
    setPaused: (name: string, paused: boolean): Schedule => {
      const before = catalog.get(name);
      if (before.paused === paused) return before;
      const at = clock();
      const ended = before.pauses
        .map(({ since, until }) => ({ since, until: until ?? at }))
        .filter(({ until }) => until > at - PAUSES_MS);
      const pauses = paused ? [...ended, { since: at, until: null }] : ended;
      return save({ ...before, paused, pauses, nextDue: nextRun(before.cron, before.tz, at) });
    },
    /** With its history and the copy of its source; its syncs stay. */
    remove: async (name: string): Promise<void> => {
      catalog.get(name);
      if (isUnderWay(name)) {
        throw new RollcallError('WRONG_STATE', {
          name,
          what: `schedule ${name} is running`,
          command: 'pause it, and remove it when the run has finished',
        });
      }
      catalog.remove(name);
      changed();
      await rm(dir.schedule(name), { recursive: true, force: true });
    },
  };
}
export type ScheduleChanges = ReturnType<typeof scheduleChanges>;

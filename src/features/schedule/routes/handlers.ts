import { rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { HandlersOf } from '../../../api/operation.ts';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import { CREATION, createOptionsOf } from '../../../options/create-options.ts';
import { mapLookups } from '../../../options/lookups.ts';
import { valuesOf } from '../../../options/option.ts';
import { checkCron, nextRun, nextRuns } from '../../../queue/cron.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { inShort, isoTime } from '../../../text/wording.ts';
import { shownCreate } from '../../sync/kept-sync.ts';
import type { Schedules } from '../compose-schedules.ts';
import { type ScheduleRun, schedule, type scheduleOperations, scheduleSettings } from '../operations.ts';
import type { Schedule, ScheduleCatalogReader } from '../schedule-catalog.ts';
import { type GivenSettings, settingsToKeep, shownSetting } from './schedule-settings.ts';

type Handlers = HandlersOf<typeof scheduleOperations>;

/** The schedules to change, and their runs in this process, if it runs any. */
type Changing = Pick<Schedules, 'catalog' | 'at' | 'dir'> & Partial<Pick<Schedules, 'runs'>>;

const NEXT_TIMES = 5;
const SHOWN_TIMES = 3;

/** Schedules as the API and the command line show them. */
function viewsIn(catalog: ScheduleCatalogReader) {
  return (kept: Schedule) => {
    const { name, cron, tz, paused, nextDue } = kept;
    const times = paused ? [] : [nextDue, ...nextRuns(cron, tz, nextDue, SHOWN_TIMES - 1)];
    return schedule.strip().parse({
      ...kept,
      ...mapLookups(kept, shownSetting),
      file: shownFile(kept),
      protectFile: shownSetting(kept.protectFile),
      create: shownCreate({ create: createOptionsOf(valuesOf(CREATION, kept)) }),
      next: times.map((at) => isoTime(at)),
      lastRun: catalog.runs(name, 1)[0] ?? null,
    });
  };
}

export function lookingHandlers(catalog: ScheduleCatalogReader) {
  const view = viewsIn(catalog);
  const entry = (kept: Schedule) => {
    const now = Date.now();
    const runs = catalog.runsSince(kept.name, now - NIGHTS * DAY_MS);
    return { ...view(kept), nights: nightsOf(kept, runs, now) };
  };
  return {
    list: async () => ({ schedules: catalog.list().map(entry) }),
    next: async ({ cron, tz }) => {
      checkCron(cron, tz);
      return { next: nextRuns(cron, tz, Date.now(), NEXT_TIMES).map((at) => isoTime(at)) };
    },
    one: async ({ name }) => view(catalog.get(name)),
    history: async ({ name, limit }) => ({ runs: catalog.runs(catalog.get(name).name, limit) }),
  } satisfies Handlers;
}

/** Does what changes schedules. @param isHere for people on the machine */
export function changingHandlers({ catalog, dir, runs, at }: Changing, isHere: boolean) {
  const view = viewsIn(catalog);
  const toKeep = (given: GivenSettings, before?: Schedule) => settingsToKeep(given, before, { ...at, isHere });
  const changed = (made: Schedule) => {
    runs?.changed();
    return view(made);
  };
  return {
    add: async ({ name, ...given }, { audited }) => {
      const made = catalog.add(name, await toKeep(given));
      audited(settingsInShort(made), name);
      return changed(made);
    },
    edit: async ({ name, version, ...given }, { audited }) => {
      const edited = catalog.edit(name, await toKeep(given, catalog.get(name)), version);
      audited(edited.version === version ? null : settingsInShort(edited));
      return changed(edited);
    },
    pause: async ({ name }) => changed(catalog.setPaused(name, true)),
    resume: async ({ name }) => changed(catalog.setPaused(name, false)),
    remove: async ({ name }) => {
      catalog.get(name);
      if (runs?.underWay(name) !== undefined) {
        throw new RollcallError('WRONG_STATE', {
          name,
          what: `schedule ${name} is running`,
          command: 'pause it, and remove it when the run has finished',
        });
      }
      catalog.remove(name);
      runs?.changed();
      // The copy of its source.
      await rm(dir.schedule(name), { recursive: true, force: true });
    },
  } satisfies Handlers;
}

export function runningHandlers(runs: Schedules['runs']) {
  return { run: async ({ name }, { who }) => runs.begin(name, who) } satisfies Handlers;
}

/** The settings that differ from their defaults, for the audit log. */
function settingsInShort(settings: Schedule) {
  const plain = scheduleSettings.parse({ cron: '', tz: '', file: ' ' });
  const names = Object.keys(scheduleSettings.shape) as (keyof typeof scheduleSettings.shape)[];
  const own = names.filter((name) => !isDeepStrictEqual(settings[name], plain[name]));
  return inShort({ ...Object.fromEntries(own.map((name) => [name, settings[name]])), file: shownFile(settings) });
}

const DAY_MS = 86_400_000;
const NIGHTS = 30;
/** Due times that are checked for runs that did not start: a more frequent schedule has a run each night. */
const MAX_TIMES = 100;

const REASONS = {
  missed: 'it was due, and no server was running',
  paused: 'it was due, and the schedule was paused',
} as const;

/**
 * The results of a schedule on the last days, the oldest first: each that of its last run; where one was due and did not
 * start, why. @param runs oldest first
 */
export function nightsOf(
  { cron, tz, timedAt, pauses }: Pick<Schedule, 'cron' | 'tz' | 'timedAt' | 'pauses'>,
  runs: readonly ScheduleRun[],
  now: number,
) {
  const byDay = Map.groupBy(runs, ({ dueAt }) => dayOf(Date.parse(dueAt), tz));
  const isPaused = (at: number) => pauses.some(({ since, until }) => since <= at && at < (until ?? now));
  /** By day; of a day with several, that of the last. */
  const notStarted = new Map<string, keyof typeof REASONS>();
  // Earlier times of it are not known.
  let at = Math.max(now - NIGHTS * DAY_MS, timedAt);
  for (let times = 0; times < MAX_TIMES; times++) {
    at = nextRun(cron, tz, at);
    if (at >= now) break;
    notStarted.set(dayOf(at, tz), isPaused(at) ? 'paused' : 'missed');
  }
  return Array.from({ length: NIGHTS }, (_, index) => {
    const day = dayOf(now - (NIGHTS - 1 - index) * DAY_MS, tz);
    const own = byDay.get(day) ?? [];
    const last = own.at(-1);
    if (last !== undefined) return { day, state: last.state, reason: last.reason, sync: last.syncId, runs: own.length };
    const state = notStarted.get(day) ?? null;
    return { day, state, reason: state === null ? '' : REASONS[state], sync: null, runs: 0 };
  });
}

function dayOf(at: number, tz: string) {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short' }).format(at);
}

import { isDeepStrictEqual } from 'node:util';
import type { HandlersOf } from '../../../api/operation.ts';
import { mapLookups } from '../../../options/lookups.ts';
import { nextRun, nextRuns } from '../../../queue/cron.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { inShort, isoTime } from '../../../text/wording.ts';
import { shownCreate } from '../../sync/kept-sync.ts';
import { checkNewName } from '../change-schedule.ts';
import type { Schedules } from '../compose-schedules.ts';
import {
  type KeptSettings,
  type ScheduleEntry,
  type ScheduleView,
  schedule,
  type scheduleOperations,
  scheduleSettings,
} from '../operations.ts';
import type { Schedule, ScheduleCatalogReader, SchedulePause, ScheduleRun } from '../schedule-catalog.ts';
import { creationOf } from '../schedule-sync.ts';
import { checkTimes, type GivenSettings, settingsToKeep, shownSetting } from './schedule-settings.ts';

type Handlers = HandlersOf<typeof scheduleOperations>;
type Changing = Pick<Schedules, 'changes' | 'at'> & { readonly catalog: ScheduleCatalogReader };

const NEXT_TIMES = 5;
const SHOWN_TIMES = 3;

function runView({ schedule: _, syncId: __, dueAt, at, ...run }: ScheduleRun) {
  return { ...run, dueAt: isoTime(dueAt), at: isoTime(at) };
}

/** Schedules as the API and the command line show them. */
function viewsIn(catalog: ScheduleCatalogReader) {
  return (kept: Schedule): ScheduleView => {
    const { name, cron, tz, paused, nextDue } = kept;
    const [lastRun] = catalog.runs(name, 1);
    const times = paused ? [] : [nextDue, ...nextRuns(cron, tz, nextDue, SHOWN_TIMES - 1)];
    return schedule.strip().parse({
      ...kept,
      ...mapLookups(kept, shownSetting),
      file: shownFile(kept),
      protectFile: shownSetting(kept.protectFile),
      create: shownCreate({ create: creationOf(kept) }),
      next: times.map((at) => isoTime(at)),
      lastRun: lastRun === undefined ? null : runView(lastRun),
    });
  };
}

/** Does what looks at schedules. */
export function lookingHandlers(catalog: ScheduleCatalogReader) {
  const view = viewsIn(catalog);
  return {
    list: async () => ({
      schedules: catalog.list().map((kept) => ({ ...view(kept), nights: lastNights(catalog, kept) })),
    }),
    next: async ({ cron, tz }) => {
      checkTimes(cron, tz);
      return { next: nextRuns(cron, tz, Date.now(), NEXT_TIMES).map((at) => isoTime(at)) };
    },
    one: async ({ name }) => view(catalog.get(name)),
    history: async ({ name, limit }) => ({ runs: catalog.runs(catalog.get(name).name, limit).map(runView) }),
  } satisfies Handlers;
}

/** Does what changes schedules. @param isHere for people on the machine */
export function changingHandlers({ catalog, changes, at }: Changing, isHere: boolean) {
  const view = viewsIn(catalog);
  const toKeep = (given: GivenSettings, before?: Schedule) => settingsToKeep(given, before, { ...at, isHere });
  return {
    add: async ({ name, ...given }, { audited }) => {
      checkNewName(catalog, name);
      const made = changes.add(name, await toKeep(given));
      audited(settingsInShort(made), name);
      return view(made);
    },
    edit: async ({ name, version, ...given }, { audited }) => {
      const edited = changes.edit(name, await toKeep(given, catalog.get(name)), version);
      audited(edited.version === version ? null : settingsInShort(edited));
      return view(edited);
    },
    pause: async ({ name }) => view(changes.setPaused(name, true)),
    resume: async ({ name }) => view(changes.setPaused(name, false)),
    remove: async ({ name }) => changes.remove(name),
  } satisfies Handlers;
}

/** Begins runs. */
export function runningHandlers(runs: Schedules['runs']) {
  return { run: async ({ name }, { who }) => runView(runs.begin(name, who)) } satisfies Handlers;
}

/** The settings that differ from their defaults, for the audit log. */
function settingsInShort(settings: KeptSettings): string {
  const plain = scheduleSettings.parse({ cron: '', tz: '', file: ' ' });
  const names = Object.keys(scheduleSettings.shape) as (keyof typeof scheduleSettings.shape)[];
  const own = names.filter((name) => !isDeepStrictEqual(settings[name], plain[name]));
  return inShort({ ...Object.fromEntries(own.map((name) => [name, settings[name]])), file: shownFile(settings) });
}

type DayResult = ScheduleEntry['nights'][number];

const DAY_MS = 86_400_000;
/** Days that are shown. */
const NIGHTS = 30;
/** Due times of a schedule that are checked for runs that did not start; more frequent schedules are not shown as nights. */
const MAX_TIMES = 100;

const REASONS = {
  missed: 'it was due, and no server was running',
  paused: 'it was due, and the schedule was paused',
} as const;

/** The last days of a schedule, the oldest first. */
function lastNights(catalog: ScheduleCatalogReader, kept: Schedule): DayResult[] {
  const { name, tz, timedAt, pauses } = kept;
  const now = Date.now();
  const from = now - NIGHTS * DAY_MS;
  const past = { runs: catalog.runsSince(name, from), pauses, since: Math.max(from, timedAt), now };
  return nightsOf(kept, lastDays(now, tz, NIGHTS), past);
}

/** The last `count` days in a time zone, the oldest first, such as 2027-03-28. */
export function lastDays(now: number, tz: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => dayOf(now - (count - 1 - at) * DAY_MS, tz));
}

/** The known past of a schedule. Times in ms since 1970. */
interface Past {
  /** Oldest first. */
  readonly runs: readonly ScheduleRun[];
  readonly pauses: readonly SchedulePause[];
  /** The last time at which its times were set: earlier ones are not known. */
  readonly since: number;
  readonly now: number;
}

/** The result of a schedule on each day: that of its last run; where one was due and did not start, why. */
export function nightsOf(
  { cron, tz }: Pick<Schedule, 'cron' | 'tz'>,
  days: readonly string[],
  { runs, pauses, since, now }: Past,
): DayResult[] {
  const byDay = Map.groupBy(runs, ({ dueAt }) => dayOf(dueAt, tz));
  const isPaused = (at: number) => pauses.some(({ since, until }) => since <= at && at < (until ?? now));
  /** By day; of a day with several, that of the last. */
  const notStarted = new Map<string, keyof typeof REASONS>();
  let at = since;
  for (let times = 0; times < MAX_TIMES; times++) {
    at = nextRun(cron, tz, at);
    if (at >= now) break;
    notStarted.set(dayOf(at, tz), isPaused(at) ? 'paused' : 'missed');
  }
  return days.map((day) => {
    const own = byDay.get(day) ?? [];
    const last = own.at(-1);
    if (last !== undefined) {
      return { day, state: last.state, reason: last.reason, sync: last.syncId, runs: own.length };
    }
    const state = notStarted.get(day) ?? null;
    return { day, state, reason: state === null ? '' : REASONS[state], sync: null, runs: 0 };
  });
}

function dayOf(at: number, tz: string) {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short' }).format(at);
}

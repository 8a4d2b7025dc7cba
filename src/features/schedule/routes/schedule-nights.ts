import { nextRun } from '../../../queue/cron.ts';
import type { ScheduleEntry } from '../operations.ts';
import type { Schedule, ScheduleCatalogReader, SchedulePause, ScheduleRun } from '../schedule-catalog.ts';

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
export function lastNights(catalog: ScheduleCatalogReader, kept: Schedule): DayResult[] {
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

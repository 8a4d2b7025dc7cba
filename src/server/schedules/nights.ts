import type { ScheduleNights } from '../../api/schedules.ts';
import { nextRun } from '../../queue/cron.ts';
import type { ScheduleRecord, ScheduleRun } from '../../syncs/schedule/schedule-catalog.ts';

type Night = ScheduleNights['schedules'][number]['nights'][number];

const DAY_MS = 86_400_000;
/** Due times of a schedule that are checked for missed runs; more frequent schedules are not shown as nights. */
const MOST_TIMES = 100;

/** The last `count` days in a time zone, the oldest first, such as 2027-03-28. */
export function lastDays(now: number, tz: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => dayOf(now - (count - 1 - at) * DAY_MS, tz));
}

/**
 * The result of a schedule on each day: that of its last run, or `missed` where one was due and did not start.
 * @param runs of this schedule, oldest first
 * @param since when its times were set last, in ms since 1970: earlier ones are not known
 */
export function nightsOf(
  record: Pick<ScheduleRecord, 'cron' | 'tz' | 'paused'>,
  runs: readonly ScheduleRun[],
  days: readonly string[],
  { since, now }: { readonly since: number; readonly now: number },
): Night[] {
  const { cron, tz, paused } = record;
  const byDay = Map.groupBy(runs, ({ dueAt }) => dayOf(dueAt, tz));
  const due = new Set<string>();
  let at = since;
  for (let times = 0; !paused && times < MOST_TIMES; times++) {
    at = nextRun(cron, tz, at);
    if (at >= now) break;
    due.add(dayOf(at, tz));
  }
  return days.map((day) => {
    const own = byDay.get(day) ?? [];
    const last = own.at(-1);
    if (last !== undefined) {
      return { day, state: last.state, reason: last.reason, sync: last.syncId, runs: own.length };
    }
    const reason = 'it was due, but no server was running, or it was paused';
    return due.has(day)
      ? { day, state: 'missed' as const, reason, sync: null, runs: 0 }
      : { day, state: null, reason: '', sync: null, runs: 0 };
  });
}

function dayOf(at: number, tz: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short' }).format(at);
}

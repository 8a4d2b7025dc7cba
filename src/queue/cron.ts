import { CronExpressionParser } from 'cron-parser';
import { messageOf, RollcallError } from '../errors/rollcall-error.ts';

/** Times of a repeated job: a cron expression and a time zone. */

const NICKNAMES = ['@hourly', '@daily', '@weekly', '@monthly', '@yearly'];
const ALLOWED = `allowed are five fields (minute, hour, day of month, month, weekday) such as "30 2 * * *", or one of ${NICKNAMES.join(', ')}`;
const RANGES =
  'minutes are 0 to 59, hours 0 to 23, days 1 to 31, months 1 to 12 and weekdays 0 to 7, as lists, ranges or steps';

/** @throws BAD_OPTION that names which of the two cannot be used, or an expression whose time never comes */
export function checkCron(cron: string, tz: string): void {
  const refused = (why = '') =>
    new RollcallError('BAD_OPTION', {
      field: 'cron',
      what: `${JSON.stringify(cron)} is not a valid cron expression${why === '' ? '' : `: ${why}`}; ${ALLOWED}`,
    });
  const written = cron.trim();
  if (written.startsWith('@')) {
    if (!NICKNAMES.includes(written)) throw refused();
  } else {
    const { length } = written.split(/\s+/);
    if (length !== 5) throw refused(`it has ${written === '' ? 0 : length} of five fields`);
  }
  // cron-parser replaces H by a random number, another one each time.
  if (/(^|[\s,/-])H/i.test(cron)) throw refused('H is not supported');
  if (!isTimeZone(tz)) {
    throw new RollcallError('BAD_OPTION', {
      field: 'tz',
      what: `${JSON.stringify(tz)} is not a valid time zone; allowed are names such as Europe/Rome, or UTC`,
    });
  }
  try {
    nextRun(cron, tz, Date.now());
  } catch (error) {
    throw refused(/day of month|loop limit/.test(messageOf(error)) ? 'that day never comes' : RANGES);
  }
}

/** Names only: an offset such as +02:00 has no daylight saving time. */
function isTimeZone(tz: string): boolean {
  try {
    return /^[A-Za-z]/.test(tz) && clockOf(tz) !== undefined;
  } catch {
    return false;
  }
}

/** Clocks are changed by less: by an hour, in Antarctica by two. */
const MAX_CHANGE_MS = 3 * 3_600_000;
/** Clocks are changed once within it. */
const DAY_MS = 86_400_000;

/**
 * The first time after `after`, in ms since 1970. A time in the hour that is skipped in spring comes an hour later that
 * night; one in the hour that autumn has twice comes in the first of the two, and only there.
 */
export function nextRun(cron: string, tz: string, after: number): number {
  const clock = clockOf(tz);
  // cron-parser counts on a clock that never changes: with a zone it loses or repeats runs in nights whose clocks do.
  const from = clock(after) - MAX_CHANGE_MS;
  const times = CronExpressionParser.parse(cron.trim(), { tz: 'UTC', currentDate: new Date(from) });
  let first = Number.POSITIVE_INFINITY;
  // A skipped time comes after later ones that are not skipped.
  for (let shown = times.next().getTime(); shown - MAX_CHANGE_MS <= clock(first); shown = times.next().getTime()) {
    const at = timeOf(shown, clock);
    if (at > after) first = Math.min(first, at);
  }
  return first;
}

/** A clock of a time zone: from a time, in ms since 1970, to the date and time that it shows, in ms as if it were UTC. */
type Clock = (time: number) => number;

const clocks = new Map<string, Clock>();

/** @throws RangeError when there is no such zone */
function clockOf(timeZone: string): Clock {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const clock: Clock = (time) =>
    Number.isFinite(time) ? Date.parse(`${format.format(time).replace(' ', 'T')}Z`) : time;
  clocks.set(timeZone, clock);
  return clock;
}

/** The time at which a clock shows this: the first of two, and where it is skipped, as if the clock had not been changed. */
function timeOf(shown: number, clock: Clock): number {
  const [before, after] = [shown - DAY_MS, shown + DAY_MS].map((time) => shown - (clock(time) - time));
  const unchanged = before ?? shown;
  return clock(unchanged) !== shown && after !== undefined && clock(after) === shown ? after : unchanged;
}

/** The next `count` times after `after`. */
export function nextRuns(cron: string, tz: string, after: number, count: number): number[] {
  const times: number[] = [];
  for (let at = after; times.length < count; times.push(at)) at = nextRun(cron, tz, at);
  return times;
}

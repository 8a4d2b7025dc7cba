import { CronExpressionParser } from 'cron-parser';
import { messageOf } from '../errors/message-of.ts';
import { RollcallError } from '../errors/rollcall-error.ts';

/** Times of a repeated job: a cron expression and a time zone. */

/** A cron expression or a time zone that cannot be used. */
class CronError extends RollcallError {
  constructor(message: string) {
    super('BAD_CRON', message);
  }
}

const NICKNAMES = ['@hourly', '@daily', '@weekly', '@monthly', '@yearly'];
const ALLOWED = `allowed are five fields (minute, hour, day of month, month, weekday) such as "30 2 * * *", or one of ${NICKNAMES.join(', ')}`;
const RANGES =
  'minutes are 0 to 59, hours 0 to 23, days 1 to 31, months 1 to 12 and weekdays 0 to 7, as lists, ranges or steps';

/** @throws CronError when one of the two cannot be used, or the expression names a time that never comes */
export function checkCron(cron: string, tz: string): void {
  const shown = JSON.stringify(cron);
  const fields = cron.trim().split(/\s+/);
  if (cron.trim().startsWith('@')) {
    if (!NICKNAMES.includes(cron.trim())) throw new CronError(`${shown} is not a valid cron expression; ${ALLOWED}`);
  } else if (fields.length !== 5) {
    throw new CronError(
      `${shown} is not a valid cron expression: it has ${cron.trim() === '' ? 0 : fields.length} of five fields; ${ALLOWED}`,
    );
  }
  // cron-parser replaces H by a random number, another one each time.
  if (/(^|[\s,/-])H/i.test(cron))
    throw new CronError(`${shown} is not a valid cron expression: H is not supported; ${ALLOWED}`);
  const zone = timeZone(tz);
  if (zone === undefined || NOT_FOLLOWED.has(zone)) {
    const why =
      zone === undefined
        ? 'is not a valid time zone'
        : 'changes its clocks by something other than an hour, which is not supported';
    throw new CronError(`${JSON.stringify(tz)} ${why}; allowed are names such as Europe/Rome, or UTC`);
  }
  try {
    nextRun(cron, tz, Date.now());
  } catch (error) {
    const why = /day of month|loop limit/.test(messageOf(error)) ? 'that day never comes' : RANGES;
    throw new CronError(`${shown} is not a valid cron expression: ${why}; ${ALLOWED}`);
  }
}

/**
 * Returns the time zone in the system's spelling; undefined when there is none. Names only: an offset such as +02:00
 * has no daylight saving time.
 */
function timeZone(tz: string): string | undefined {
  try {
    return /^[A-Za-z]/.test(tz)
      ? new Intl.DateTimeFormat('en', { timeZone: tz }).resolvedOptions().timeZone
      : undefined;
  } catch {
    return undefined;
  }
}

/** Their clocks change by half an hour and by two hours: there cron-parser (5.10) fails or gives a time twice. */
const NOT_FOLLOWED: ReadonlySet<string> = new Set(['Australia/Lord_Howe', 'Antarctica/Troll']);

/** Longer than any clock change, and than the time cron-parser needs after it to be right again. */
const DETOUR_MS = 3 * 3_600_000;

/**
 * The first time after `after`, in ms since 1970. A time in the hour that is skipped in spring comes an hour later that
 * night; one in the hour that autumn has twice comes in the first of the two, and only there.
 */
export function nextRun(cron: string, tz: string, after: number): number {
  // If asked within the hour after a skipped one, cron-parser forgets the run that was moved into that hour.
  const times = CronExpressionParser.parse(cron.trim(), { tz, currentDate: new Date(after - DETOUR_MS) });
  let next = times.next().getTime();
  while (next <= after) next = times.next().getTime();
  return next;
}

/** The next `count` times after `after`. */
export function nextRuns(cron: string, tz: string, after: number, count: number): number[] {
  const times: number[] = [];
  for (let at = after; times.length < count; times.push(at)) at = nextRun(cron, tz, at);
  return times;
}

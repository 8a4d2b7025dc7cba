import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkCron, nextRun, nextRuns } from '../../src/queue/cron.ts';

const times = (cron: string, tz: string, after: string, count: number) =>
  nextRuns(cron, tz, Date.parse(after), count).map((at) => new Date(at).toISOString().slice(0, 16));

describe('a time that the clocks skip or have twice comes once that night', () => {
  test('in spring, an hour later by the clocks', () => {
    expect(times('30 2 * * *', 'Europe/Rome', '2027-03-26T12:00:00Z', 4)).toEqual([
      '2027-03-27T01:30',
      '2027-03-28T01:30',
      '2027-03-29T00:30',
      '2027-03-30T00:30',
    ]);
  });

  test('in autumn, the first of the two times', () => {
    expect(times('30 2 * * *', 'Europe/Rome', '2026-10-23T12:00:00Z', 4)).toEqual([
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
      '2026-10-27T01:30',
    ]);
  });

  test.each([
    ['30 23 * * *', 'America/Nuuk', '2027-03-27T12:00Z', '2027-03-28T01:30'],
    ['0 22 * * *', 'America/Nuuk', '2027-03-27T00:00Z', '2027-03-28T00:00'],
    ['0 22 * * *', 'America/Scoresbysund', '2027-03-27T00:00Z', '2027-03-28T00:00'],
    ['0 */2 * * *', 'America/Nuuk', '2027-03-27T00:00Z', '2027-03-27T02:00'],
    ['30 2 * * *', 'America/Nuuk', '2027-03-27T04:29:59Z', '2027-03-27T04:30'],
    ['0 0 * * 0', 'America/Havana', '2027-11-07T04:00Z', '2027-11-14T05:00'],
    ['0 0 * * 0', 'Atlantic/Azores', '2027-10-31T00:00Z', '2027-11-07T01:00'],
    ['0 0 * * *', 'America/Havana', '2027-11-06T12:00Z', '2027-11-07T04:00'],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', '2026-10-03T15:45'],
    ['30 1 * * *', 'Antarctica/Troll', '2027-03-27T12:00Z', '2027-03-28T01:30'],
  ])('%j in %s, after %s', (cron, tz, after, next) => {
    expect(times(cron, tz, after, 1)).toEqual([next]);
  });

  const MINUTE_MS = 60_000;
  const HOUR_MS = 60 * MINUTE_MS;
  const DAY_MS = 24 * HOUR_MS;
  const ZONES = Intl.supportedValuesOf('timeZone');

  /** The date and time that clocks show, in ms as if it were UTC. */
  const clock = (tz: string) => {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' });
    return (at: number) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
  };

  /** Each minute with what the clock shows: it is asked once an hour, and each minute of an hour in which it is changed. */
  function* looksAt(shownAt: (at: number) => number, from: number, to: number) {
    for (let hour = from; hour < to; hour += HOUR_MS) {
      const shown = shownAt(hour);
      const isEven = shownAt(hour + HOUR_MS) - shown === HOUR_MS;
      for (let ms = 0; ms < HOUR_MS; ms += MINUTE_MS)
        yield [hour + ms, isEven ? shown + ms : shownAt(hour + ms)] as const;
    }
  }

  /** Watches the clock minute by minute: a minute that it shows for the first time runs then, one that it skips when the clock had shown it. */
  function watched(isDue: (shown: Date) => boolean, shownAt: (at: number) => number, from: number, to: number) {
    const due = new Set<number>();
    let last = shownAt(from - MINUTE_MS);
    for (const [at, shown] of looksAt(shownAt, from, to)) {
      for (let minute = last + MINUTE_MS; minute <= shown; minute += MINUTE_MS) {
        if (isDue(new Date(minute))) due.add(minute === shown ? at : at + minute - last - MINUTE_MS);
      }
      last = Math.max(last, shown);
    }
    return [...due].toSorted((one, other) => one - other);
  }

  /** The days of a year in which the clocks of a zone are changed, by their UTC midnight. */
  function changes(shownAt: (at: number) => number, year: number) {
    const days = Array.from({ length: 365 }, (_, day) => Date.UTC(year, 0, 1 + day));
    return days.filter((day) => shownAt(day + DAY_MS) - shownAt(day) !== DAY_MS);
  }

  test('in every zone, as a person who watches the clock says, whenever it is asked', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: 2027, max: 2036 }),
        fc.nat({ max: 1 }),
        fc.integer({ min: 0, max: 23 }),
        fc.constantFrom(0, 1, 15, 30, 45, 59),
        fc.constantFrom('*', '0', '6'),
        fc.boolean(),
        fc.array(fc.integer({ min: 0, max: 2 * 1440 }), { maxLength: 5 }),
        (tz, year, which, hour, minute, weekday, isEveryHour, asked) => {
          const shownAt = clock(tz);
          const from = (changes(shownAt, year)[which] ?? Date.UTC(year, 2, 28)) - DAY_MS;
          const all = watched(
            (shown) =>
              shown.getUTCMinutes() === minute &&
              (isEveryHour || shown.getUTCHours() === hour) &&
              (weekday === '*' || shown.getUTCDay() === Number(weekday)),
            shownAt,
            from,
            from + 4 * DAY_MS,
          );
          const cron = `${minute} ${isEveryHour ? '*' : hour} * * ${weekday}`;
          for (const after of [...all, ...asked.map((minutes) => from + minutes * MINUTE_MS)]) {
            const next = all.find((at) => at > after);
            if (next !== undefined) expect(nextRun(cron, tz, after)).toBe(next);
          }
        },
      ),
    );
  });
});

describe('what cannot be a time is refused with its value and what is allowed:', () => {
  test.each([
    ['30 2 * *', 'Europe/Rome', 'it has 4 of five fields'],
    ['0 24 * * *', 'Europe/Rome', 'hours 0 to 23'],
    ['', 'Europe/Rome', 'it has 0 of five fields'],
    ['* * * * * *', 'Europe/Rome', 'it has 6 of five fields'],
    ['61 2 * * *', 'Europe/Rome', 'minutes are 0 to 59'],
    ['0 2 30 2 *', 'Europe/Rome', 'that day never comes'],
    ['H 2 * * *', 'Europe/Rome', 'H is not supported'],
    ['*/H 2 * * *', 'Europe/Rome', 'H is not supported'],
    ['0 0 1-H * *', 'Europe/Rome', 'H is not supported'],
    ['@reboot', 'Europe/Rome', '@daily'],
    ['30 2 * * *', 'Europe/Roma', '"Europe/Roma" is not a valid time zone'],
    ['30 2 * * *', '+02:00', 'names such as Europe/Rome'],
  ])('%j in %j', (cron, tz, says) => {
    expect(() => checkCron(cron, tz)).toThrow(says);
    expect(() => checkCron(cron, tz)).toThrow('allowed are');
  });

  test.each(['30 2 * * *', '@daily', ' @daily ', '0 2 * MAR THU', '*/15 8-18 * * MON-FRI', '0 0 29 2 *', '0 6 L * *'])(
    'and %j is one',
    (cron) => {
      expect(() => checkCron(cron, 'Europe/Rome')).not.toThrow();
    },
  );
});

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

  const DAY_MS = 86_400_000;
  /** Nights in which the clocks change; in UTC they never do. */
  const CHANGES = [
    ['Europe/Rome', '2026-10-25'],
    ['Europe/Rome', '2027-03-28'],
    ['Europe/Lisbon', '2026-10-25'],
    ['Europe/Lisbon', '2027-03-28'],
    ['America/New_York', '2026-11-01'],
    ['America/New_York', '2027-03-14'],
    ['America/Santiago', '2026-09-06'],
    ['America/Santiago', '2027-04-04'],
    ['Australia/Sydney', '2026-10-04'],
    ['Australia/Sydney', '2027-04-04'],
    ['UTC', '2027-03-28'],
  ] as const;
  const DAY_IN = new Map(
    CHANGES.map(([timeZone]) => [timeZone, new Intl.DateTimeFormat('sv-SE', { timeZone })] as const),
  );

  test('whatever the hour and the zone, and whenever it is asked', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CHANGES),
        fc.integer({ min: 0, max: 22 }),
        fc.integer({ min: 0, max: 59 }),
        fc.array(fc.integer({ min: DAY_MS, max: 8 * DAY_MS }), { maxLength: 20 }),
        ([tz, night], hour, minute, asked) => {
          const cron = `${minute} ${hour} * * *`;
          const from = Date.parse(night) - 5 * DAY_MS;
          const all = nextRuns(cron, tz, from, 10);
          const nights = all.map((at) => DAY_IN.get(tz)?.format(at));
          expect(new Set(nights).size).toBe(nights.length);
          for (const gap of all.slice(1).map((at, index) => at - (all[index] ?? 0))) {
            expect(gap).toBeLessThanOrEqual(25 * 3_600_000);
          }
          for (const after of asked)
            expect(nextRun(cron, tz, from + after)).toBe(all.find((one) => one > from + after));
          for (const at of all.slice(1)) expect(nextRun(cron, tz, at - 1)).toBe(at);
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
    ['30 2 * * *', 'Australia/Lord_Howe', 'not supported'],
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

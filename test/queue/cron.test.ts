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

  const ZONES = ['Europe/Rome', 'America/New_York', 'America/Santiago', 'Europe/Lisbon', 'Australia/Sydney', 'UTC'];
  const DAY_IN = new Map(ZONES.map((timeZone) => [timeZone, new Intl.DateTimeFormat('sv-SE', { timeZone })]));
  const YEAR = [Date.parse('2026-06-01T00:00:00Z'), Date.parse('2027-06-01T00:00:00Z')] as const;

  test('whatever the hour and the zone, and whenever it is asked', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: 0, max: 22 }),
        fc.integer({ min: 0, max: 59 }),
        fc.array(fc.integer({ min: YEAR[0] + 86_400_000, max: YEAR[1] - 172_800_000 }), { maxLength: 20 }),
        (tz, hour, minute, asked) => {
          const cron = `${minute} ${hour} * * *`;
          const all = nextRuns(cron, tz, YEAR[0], 366);
          const nights = all.map((at) => DAY_IN.get(tz)?.format(at));
          expect(new Set(nights).size).toBe(nights.length);
          for (const gap of all.slice(1).map((at, index) => at - (all[index] ?? 0))) {
            expect(gap).toBeLessThanOrEqual(25 * 3_600_000);
          }
          for (const at of asked) expect(nextRun(cron, tz, at)).toBe(all.find((one) => one > at));
          for (const at of all.slice(295, 305)) expect(nextRun(cron, tz, at - 1)).toBe(at);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('what cannot be a time is refused with its value and what is allowed:', () => {
  test.each([
    ['30 2 * *', 'Europe/Rome', 'it has 4 of five fields'],
    ['', 'Europe/Rome', 'it has 0 of five fields'],
    ['* * * * * *', 'Europe/Rome', 'it has 6 of five fields'],
    ['61 2 * * *', 'Europe/Rome', 'got value 61'],
    ['0 2 30 2 *', 'Europe/Rome', 'day of month'],
    ['H 2 * * *', 'Europe/Rome', 'H is not supported'],
    ['@reboot', 'Europe/Rome', '@daily'],
    ['30 2 * * *', 'Europe/Roma', '"Europe/Roma" is not a valid time zone'],
    ['30 2 * * *', '+02:00', 'names such as Europe/Rome'],
    ['30 2 * * *', 'Australia/Lord_Howe', 'not supported'],
  ])('%j in %j', (cron, tz, says) => {
    expect(() => checkCron(cron, tz)).toThrow(says);
    expect(() => checkCron(cron, tz)).toThrow('allowed are');
  });

  test.each(['30 2 * * *', '@daily', '*/15 8-18 * * MON-FRI', '0 0 29 2 *', '0 6 L * *'])('and %j is one', (cron) => {
    expect(() => checkCron(cron, 'Europe/Rome')).not.toThrow();
  });
});

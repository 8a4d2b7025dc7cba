import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UNKNOWN_PACE, UNUSED_CIRCUIT } from '../../src/api/region-status.ts';
import type { Counters } from '../../src/imports/record/counters.ts';
import type { Region } from '../../src/membership/membership.ts';
import { type Moment, paceOf } from '../../src/server/running-imports.ts';
import { runs } from '../runs.ts';

/** Counters of regions, by how many rows are added, of how many. */
function counters(regions: Partial<Record<Region, readonly [added: number, read: number]>>): Counters {
  return new Map(
    Object.entries(regions).map(([region, [added, read]]) => {
      return [region as Region, { calls: added / 10, read, added }];
    }),
  );
}

/** Returns the state of an import `second` seconds after the first look. Each call has ten rows. */
function at(second: number, regions: Parameters<typeof counters>[0], more: Partial<Moment> = {}): Moment {
  const callsLeft = new Map(
    Object.entries(regions).map(([region, [added, read]]) => [region as Region, Math.ceil((read - added) / 10)]),
  );
  return { at: 5_000_000 + second * 1_000, counters: counters(regions), callsLeft, regions: [], ...more };
}

const STATUS = {
  region: 'us',
  waiting: 5,
  delayed: 1,
  active: 2,
  setAside: 0,
  stopped: false,
  unanswered: null,
  circuit: UNUSED_CIRCUIT,
  limitedForMs: 3,
  callsPerMinute: 8_000,
  pace: UNKNOWN_PACE,
  listsPerMinute: null,
  importsPerMinute: null,
  workers: 4,
  key: '0badc0de',
} as const;

test('from the first second there is an estimate: the calls that are left, at the rate limit', () => {
  const pace = paceOf(600);
  expect(pace(at(0, { us: [0, 10_000], eu: [0, 500] })).etaSeconds).toBe(100);
  expect(pace(at(1, { us: [0, 10_000], eu: [0, 500] })).etaSeconds).toBe(100);
});

test('after ten seconds the estimate is measured, and does not jump when the pace does', () => {
  const pace = paceOf(60_000);
  for (let second = 0; second <= 60; second += 1) {
    // Slow for half a minute, then four times as fast.
    const added = second <= 30 ? second * 25 : 750 + (second - 30) * 100;
    const { rowsPerSecond, etaSeconds } = pace(at(second, { us: [added, 10_000] }));
    if (second === 9) expect(etaSeconds).toBe(1);
    if (second === 30) expect([rowsPerSecond, etaSeconds]).toEqual([25, 370]);
    if (second === 35) expect(rowsPerSecond).toBe(100);
    if (second === 35) expect(etaSeconds).toBeGreaterThan(200);
    if (second === 60) expect([rowsPerSecond, etaSeconds]).toEqual([100, 63]);
  }
});

test('the estimate is that of the region that takes longest', () => {
  const pace = paceOf(60_000);
  pace(at(0, { us: [0, 1_000], eu: [0, 1_000] }));
  expect(pace(at(10, { us: [500, 1_000], eu: [100, 1_000] })).etaSeconds).toBe(90);
});

test('there is no estimate while a region with rows to send stands still or is stopped', () => {
  const pace = paceOf(60_000);
  pace(at(0, { us: [0, 1_000], eu: [0, 10] }));
  expect(pace(at(10, { us: [500, 1_000], eu: [0, 10] })).etaSeconds).toBeNull();
  expect(pace(at(11, { us: [600, 1_000], eu: [10, 10] })).etaSeconds).toBe(8);
  expect(pace(at(12, { us: [600, 1_000] }, { regions: [{ ...STATUS, stopped: true }] })).etaSeconds).toBeNull();
  expect(paceOf(60)(at(0, {})).etaSeconds).toBeNull();
});

test('the rate is that of all regions together, over the last seconds', () => {
  const pace = paceOf(60);
  expect(pace(at(0, { us: [0, 1_000], eu: [0, 1_000] })).rowsPerSecond).toBeNull();
  for (let second = 1; second < 9; second += 1)
    pace(at(second, { us: [20 * second, 1_000], eu: [10 * second, 1_000] }));
  expect(pace(at(9, { us: [180, 1_000], eu: [90, 1_000] })).rowsPerSecond).toBe(30);
});

test('a region that was not counted before begins a new measurement: its whole count is no rate', () => {
  const pace = paceOf(60);
  pace(at(0, { us: [0, 1_000] }));
  pace(at(1, { us: [10, 1_000] }));
  expect(pace(at(2, { us: [20, 1_000], eu: [400, 1_000] })).rowsPerSecond).toBeNull();
  expect(pace(at(3, { us: [30, 1_000], eu: [410, 1_000] })).rowsPerSecond).toBe(20);
});

/** Counters that are true: calls at these rates a second, one after the other, each for so many ms. */
const stretch = fc.record({ rate: fc.nat(40), ms: fc.integer({ min: 1, max: 1_400 }) });

test('no rate is above what a true counter allows, whenever it is read', () => {
  const step = fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('look' as const), after: stretch }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), calls: fc.nat(5_000) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('missed' as const), after: stretch }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('region lost' as const) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let pace = paceOf(60);
      let [ms, calls] = [0, 0];
      /** Rates that the counter had since something interrupted the samples. */
      let rates: number[] = [];
      const pass = ({ rate, ms: passed }: { rate: number; ms: number }) => {
        ms += passed;
        calls += (rate * passed) / 1_000;
        rates.push(rate);
      };
      const look = (isLost = false) => {
        const counted = isLost ? {} : { us: [calls * 10, 1_000_000] as const };
        return pace(at(ms / 1_000, { eu: [0, 10], ...counted }));
      };
      look();
      for (const one of steps) {
        if (one.kind === 'look') pass(one.after);
        else if (one.kind === 'missed') pass({ ...one.after, ms: 3_001 });
        else {
          if (one.kind === 'restart') {
            pace = paceOf(60);
            calls += one.calls;
          } else look(true);
          rates = [];
        }
        const { rowsPerSecond } = look();
        const most = Math.max(0, ...rates) * 10 + 0.05 + 1e-6;
        expect(rowsPerSecond ?? 0).toBeGreaterThanOrEqual(0);
        expect(rowsPerSecond ?? 0).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns: runs(500) },
  );
});

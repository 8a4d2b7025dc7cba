import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callRates, callTimeline } from '../../../src/imports/report/call-bucket.ts';
import { callBuckets } from './fixtures.ts';

const bucket = fc
  .record({
    at: fc.nat(1_000_000_000),
    widthMs: fc.constantFrom(1000, 10_000),
    answered: fc.nat(500),
    failed: fc.nat(20),
    rateLimited: fc.nat(20),
    p50Ms: fc.nat(900),
    maxMs: fc.nat(9000),
    region: fc.constantFrom('us', 'eu', 'in'),
  })
  .map(({ answered, ...rest }) => ({ ...rest, calls: answered + rest.failed + rest.rateLimited }));

describe('the calls over time', () => {
  test('keep every call, in at most 100 columns, inside the axis', () => {
    fc.assert(
      fc.property(fc.array(bucket, { minLength: 1 }), (buckets) => {
        const timeline = callTimeline(buckets);
        const columns = [...(timeline?.regions.values() ?? [])].flat();
        const drawn = columns.reduce(
          (sum, { answered, failed, rateLimited }) => sum + answered + failed + rateLimited,
          0,
        );
        expect(drawn).toBe(buckets.reduce((sum, { calls }) => sum + calls, 0));
        expect(timeline?.columns).toBeLessThanOrEqual(100);
        expect(columns.every(({ index }) => index >= 0 && index < (timeline?.columns ?? 0))).toBe(true);
      }),
    );
  });

  test('stay as they are when there are few', () => {
    const timeline = callTimeline(callBuckets(3));
    expect([timeline?.columnMs, timeline?.columns]).toEqual([1000, 3]);
    expect(timeline?.regions.get('us')?.map(({ answered }) => answered)).toEqual([30, 32, 34]);
  });

  test('give a merged column the median by calls and the slowest call', () => {
    const one = { widthMs: 1000, failed: 0, rateLimited: 0, region: 'us' };
    const timeline = callTimeline([
      { ...one, at: 0, calls: 10, p50Ms: 900, maxMs: 950 },
      { ...one, at: 0, calls: 90, p50Ms: 50, maxMs: 60 },
    ]);
    expect(timeline?.regions.get('us')).toEqual([
      { index: 0, answered: 100, failed: 0, rateLimited: 0, p50Ms: 50, maxMs: 950 },
    ]);
  });

  test('are nothing without calls', () => {
    expect(callTimeline([])).toBeNull();
  });
});

describe('the rates of calls', () => {
  const called = (second: number, calls: number, region = 'us') => {
    const none = { failed: 0, rateLimited: 0, p50Ms: 1, maxMs: 1 };
    return { at: second * 1_000, widthMs: 1_000, calls, region, ...none };
  };

  test('count seconds without a call, and are a gap after ten of them', () => {
    const rates = callRates([called(0, 8), called(0, 2, 'eu'), called(3, 6), called(14, 4)]);
    expect(rates.map(({ at, calls }) => [at / 1_000, calls])).toEqual([
      ...[
        [0.5, 10],
        [1.5, 0],
        [2.5, 0],
        [3.5, 6],
      ],
      ...[
        [4.5, null],
        [14.5, 4],
      ],
    ]);
    expect(callRates([])).toEqual([]);
  });

  test('hold every call, are in the order of time, and never above the busiest second', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 50 })), { minLength: 1 }), (calls) => {
        const rates = callRates(calls.map(([second, count]) => called(second, count)));
        expect(rates.reduce((sum, rate) => sum + (rate.calls ?? 0), 0)).toBe(calls.reduce((sum, [, n]) => sum + n, 0));
        expect(rates.every(({ at }, index) => index === 0 || at > (rates[index - 1]?.at ?? at))).toBe(true);
        const busiest = Math.max(
          ...calls.map(([at]) => calls.reduce((sum, [second, n]) => sum + (second === at ? n : 0), 0)),
        );
        expect(Math.max(...rates.map((rate) => rate.calls ?? 0))).toBe(busiest);
        const gaps = rates.flatMap((rate, index) =>
          rate.calls === null ? [(rates[index + 1]?.at ?? 0) - rate.at] : [],
        );
        expect(gaps.every((ms) => ms >= 10_000)).toBe(true);
      }),
    );
  });
});

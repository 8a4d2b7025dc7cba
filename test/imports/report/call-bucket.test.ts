import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callRates } from '../../../src/imports/report/call-bucket.ts';

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

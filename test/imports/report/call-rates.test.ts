import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ratesOf } from '../../../src/imports/report/import-reader.ts';

describe('the rates of calls', () => {
  const ratesIn = (steps: readonly (readonly [second: number, calls: number])[]) =>
    ratesOf(
      steps.map(([step, calls]) => ({ step, calls, rateLimited: 0 })),
      1_000,
    ).map(({ at, calls }) => ({ at: Date.parse(at), calls }));

  test('count seconds without a call, and are a gap after ten of them', () => {
    const rates = ratesIn([
      [0, 10],
      [3, 6],
      [14, 4],
    ]);
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
    expect(ratesIn([])).toEqual([]);
  });

  const someSteps = fc
    .uniqueArray(fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 50 })), {
      minLength: 1,
      selector: ([second]) => second,
    })
    .map((steps) => steps.toSorted(([a], [b]) => a - b));

  test('hold every call, are in the order of time, and never above the busiest second', () => {
    fc.assert(
      fc.property(someSteps, (calls) => {
        const rates = ratesIn(calls);
        expect(rates.reduce((sum, rate) => sum + (rate.calls ?? 0), 0)).toBe(calls.reduce((sum, [, n]) => sum + n, 0));
        expect(rates.every(({ at }, index) => index === 0 || at > (rates[index - 1]?.at ?? at))).toBe(true);
        expect(Math.max(...rates.map((rate) => rate.calls ?? 0))).toBe(Math.max(...calls.map(([, n]) => n)));
        const gaps = rates.flatMap((rate, index) =>
          rate.calls === null ? [(rates[index + 1]?.at ?? 0) - rate.at] : [],
        );
        expect(gaps.every((ms) => ms >= 10_000)).toBe(true);
      }),
    );
  });
});

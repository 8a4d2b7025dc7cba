import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limitWindow } from '../../src/queue/limits.ts';
import { RateLimit } from '../../src/queue/memory/rate-limit.ts';

const MINUTE_MS = 60_000;
/** What the plans of the service allow, and what a careful person sets. */
const BUDGETS = [10, 500, 2_000, 10_000] as const;

/** When jobs start whose worker always has some, and comes back as late as `lateness` says each time, in ms. */
function starts(callsPerMinute: number, forMs: number, lateness: readonly number[]): number[] {
  const { max, duration } = limitWindow(callsPerMinute);
  const limit = new RateLimit();
  const at: number[] = [];
  let now = 1_000_000;
  for (let late = 0, end = now + forMs; now < end; ) {
    const left = limit.reached(max, now);
    if (left === 0) {
      limit.count(now, duration, max);
      at.push(now);
    } else now += left + (lateness[late++ % lateness.length] ?? 0);
  }
  return at;
}

describe('the rate limit of a queue in memory', () => {
  const late = fc.array(fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 390 })), { minLength: 1, maxLength: 20 });

  test('lets no minute have more calls than the budget, however late workers come', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BUDGETS), late, (budget, lateness) => {
        const at = starts(budget, 3 * MINUTE_MS, lateness);
        let first = 0;
        const inMinuteBefore = at.map((start, index) => {
          while ((at[first] ?? start) <= start - MINUTE_MS) first += 1;
          return index - first + 1;
        });
        const most = inMinuteBefore.reduce((worst, calls) => Math.max(worst, calls));
        expect(most).toBeLessThanOrEqual(budget);
      }),
      { numRuns: 10 },
    );
  });

  test('loses a hundredth of the budget, although workers come late', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BUDGETS), late, (budget, lateness) => {
        const used = starts(budget, 10 * MINUTE_MS, lateness).length / (10 * budget);
        expect(used).toBeGreaterThanOrEqual(0.98);
      }),
      { numRuns: 10 },
    );
  });

  test('does not wait until a clock that was set back has caught up', () => {
    const HOUR_MS = 3_600_000;
    const limit = new RateLimit();
    limit.count(5 * HOUR_MS, 100, 1);
    expect(limit.reached(1, 5 * HOUR_MS + 40)).toBe(60);
    // Two hours earlier, and then 10 ms later.
    expect(limit.reached(1, 3 * HOUR_MS)).toBe(60);
    expect(limit.reached(1, 3 * HOUR_MS + 10)).toBe(50);
    limit.count(3 * HOUR_MS + 2_000, 100, 1);
    expect(limit.reached(1, 3 * HOUR_MS + 2_001)).toBe(99);
    limit.hold(1_000, 3 * HOUR_MS + 2_300);
    expect(limit.leftMs(HOUR_MS)).toBe(1_000);
  });

  test('begins a window with its first job where none has started for a while', () => {
    const limit = new RateLimit();
    limit.count(1_000, 100, 1);
    limit.count(2_300, 100, 1);
    expect(limit.reached(1, 2_301)).toBe(99);
    limit.hold(50, 2_310);
    expect(limit.reached(1_000, 2_310)).toBe(50);
    expect(limit.lift(2_320)).toBe(true);
    expect(limit.reached(1, 2_320)).toBe(0);
    expect(limit.lift(2_320)).toBe(false);
  });
});

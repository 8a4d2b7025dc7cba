import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limitWindow, RateLimit } from '../../src/queue/limit-window.ts';
import { runs } from '../runs.ts';

const MINUTE_MS = 60_000;
/** The budgets of the service's plans, and of a careful person. */
const BUDGETS = [10, 500, 2_000, 10_000] as const;

/** Returns the starts of jobs whose worker always has some, and comes back by `lateness` too late each time, in ms. */
function starts(callsPerMinute: number, forMs: number, lateness: readonly number[]): number[] {
  const { max, duration } = limitWindow(callsPerMinute);
  const limit = new RateLimit();
  const at: number[] = [];
  let now = 1_000_000;
  for (let late = 0, end = now + forMs; now < end; ) {
    const left = Math.ceil(limit.opensAt(max) - now);
    if (left <= 0) {
      limit.count(now, duration, max);
      at.push(now);
    } else now += left + (lateness[late++ % lateness.length] ?? 0);
  }
  return at;
}

describe('the rate limit of the embedded queue', () => {
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
      { numRuns: runs(100) },
    );
  });

  test('loses a hundredth of the budget, although workers come late', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BUDGETS), late, (budget, lateness) => {
        const used = starts(budget, 10 * MINUTE_MS, lateness).length / (10 * budget);
        expect(used).toBeGreaterThanOrEqual(0.98);
      }),
      { numRuns: runs(100) },
    );
  });

  test('begins a window with its first job where none has started for a while', () => {
    const limit = new RateLimit();
    limit.count(1_000, 100, 1);
    limit.count(2_300, 100, 1);
    expect(limit.opensAt(1)).toBe(2_400);
    expect(limit.opensAt(2)).toBeLessThan(0);
  });

  test('waits for the longer of a window and a wait, until that is lifted', () => {
    const limit = new RateLimit();
    limit.count(1_000, 100, 1);
    limit.hold(1_050);
    expect(limit.opensAt(1_000)).toBe(1_100);
    limit.hold(3_000);
    limit.hold(2_000);
    expect(limit.opensAt(1_000)).toBe(3_000);
    limit.lift();
    expect(limit.opensAt(1)).toBeLessThan(0);
    limit.count(1_200, 100, 1);
    expect(limit.opensAt(1)).toBe(1_300);
  });
});

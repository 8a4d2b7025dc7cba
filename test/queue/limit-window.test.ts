import { describe, expect, test } from 'vitest';
import { limitWindow } from '../../src/queue/limit-window.ts';

/** Calls per minute that the window for this budget lets start. */
function rateOf(budget: number): number {
  const { max, duration } = limitWindow(budget);
  return (max * 60_000) / duration;
}

function budgets(from: number, to: number, holds: (budget: number) => boolean): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((budget) => !holds(budget));
}

describe('the window for a budget of calls per minute', () => {
  test('never lets more start than the budget, from 1 to 1,000,000', () => {
    expect(budgets(1, 1_000_000, (budget) => rateOf(budget) <= budget)).toEqual([]);
  });

  test('gives away less than 3 % of it, from 60 to 20,000', () => {
    expect(budgets(60, 20_000, (budget) => rateOf(budget) > budget * 0.97)).toEqual([]);
  });

  test('takes whole calls and whole milliseconds, at least one of each', () => {
    const isCount = (value: number) => Number.isInteger(value) && value >= 1;
    const isWindow = ({ max, duration }: ReturnType<typeof limitWindow>) => isCount(max) && isCount(duration);
    expect(budgets(1, 1_000_000, (budget) => isWindow(limitWindow(budget)))).toEqual([]);
  });

  test('is shorter than 70 ms unless it holds a single call, so that nothing bursts', () => {
    const isShort = ({ max, duration }: ReturnType<typeof limitWindow>) => max === 1 || duration < 70;
    expect(budgets(1, 1_000_000, (budget) => isShort(limitWindow(budget)))).toEqual([]);
  });

  test('is one call in 120 ms for 500, and 8 calls in 48 ms for 10,000', () => {
    expect(limitWindow(500)).toEqual({ max: 1, duration: 120 });
    expect(limitWindow(10_000)).toEqual({ max: 8, duration: 48 });
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimit } from '../../src/queue/memory/rate-limit.ts';

const MAX = 8;
const WINDOW_MS = 48;

/** Starts as many jobs as may, at each of these times; gives the times of the starts. */
function startsAt(times: Iterable<number>, wanted = Number.POSITIVE_INFINITY): number[] {
  const limit = new RateLimit();
  const starts: number[] = [];
  for (const now of times) {
    for (let left = wanted; left > 0 && limit.reached(MAX, now) === 0; left--) {
      limit.count(now, WINDOW_MS);
      starts.push(now);
    }
  }
  return starts;
}

function* every(ms: number, until: number): Generator<number> {
  for (let now = 1_000_000; now < 1_000_000 + until; now += ms) yield now;
}

test('who asks too late after each window loses none of the budget', () => {
  // 48 is no multiple of 7: every window is over for up to 6 ms before anybody looks.
  expect(startsAt(every(7, 48_000)).length).toBeGreaterThanOrEqual(1_000 * MAX);
});

test('a window that nobody waited for is not made up for', () => {
  const limit = new RateLimit();
  for (let nth = 0; nth < MAX; nth++) limit.count(1_000, WINDOW_MS);
  limit.count(1_060, WINDOW_MS);
  expect(limit.leftMs(1_060)).toBe(WINDOW_MS);
});

test('who was away for longer than a window begins a new one', () => {
  const limit = new RateLimit();
  for (let nth = 0; nth < MAX; nth++) limit.count(1_000, WINDOW_MS);
  expect(limit.reached(MAX, 1_001)).toBe(47);
  limit.count(2_000, WINDOW_MS);
  expect(limit.leftMs(2_000)).toBe(WINDOW_MS);
});

test('whenever jobs are asked for, no more start than the budget allows, and one window at once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 130 }), { maxLength: 300 }),
      fc.integer({ min: 1, max: 20 }),
      (waits, wanted) => {
        let now = 1_000_000;
        const starts = startsAt(
          waits.map((wait) => {
            now += wait;
            return now;
          }),
          wanted,
        );
        for (const [nth, from] of starts.entries()) {
          for (const [more, to] of starts.slice(nth).entries()) {
            const windows = Math.floor((to - from) / WINDOW_MS) + 2;
            if (more + 1 > MAX * windows) throw new Error(`${more + 1} starts from ${from} to ${to}`);
          }
        }
      },
    ),
  );
});

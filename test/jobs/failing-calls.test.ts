import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../runs.ts';
import { sendAll } from './failing-calls.ts';

/** Numbers from 0 to 1 that are the same in each run: mulberry32. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function batchesOf(count: number, size: number): number[][] {
  return Array.from({ length: count }, (_, nth) => Array.from({ length: size }, (_, user) => nth * size + user));
}

const BATCHES = { count: fc.integer({ min: 1, max: 60 }), size: fc.constantFrom(1, 2, 25), seed: fc.integer() };
const RUNS = { seed: 20261128, numRuns: runs(300) };

describe('a user for whom the service always fails', () => {
  const cursed = fc.record({ ...BATCHES, users: fc.integer({ min: 1, max: 3 }) });

  test('is given up alone, and an import that has nothing else to do lasts three minutes at most', () => {
    fc.assert(
      fc.property(cursed, ({ count, size, seed, users }) => {
        const random = numbers(seed);
        const always = new Set(Array.from({ length: users }, () => Math.floor(random() * count * size)));
        const answers = (call: readonly number[]) => !call.some((user) => always.has(user));
        const { givenUp, ms } = sendAll({ batches: batchesOf(count, size), answers, random });
        expect(givenUp).toEqual(always);
        // Its calls of before, in batches that were cut in two.
        expect(ms).toBeLessThan(size === 25 ? 240_000 : 180_000);
      }),
      RUNS,
    );
  });
});

describe('no user is given up', () => {
  const outage = fc.record({
    ...BATCHES,
    from: fc.integer({ max: 3_000, min: 0 }),
    ms: fc.integer({ min: 1, max: 240_000 }),
  });

  test('while half of the replies are 503, for up to four minutes', () => {
    fc.assert(
      fc.property(outage, ({ count, size, seed, from, ms }) => {
        const random = numbers(seed);
        const answers = (_: readonly number[], now: number) => now < from || now >= from + ms || random() < 0.5;
        expect(sendAll({ batches: batchesOf(count, size), answers, random }).givenUp.size).toBe(0);
      }),
      RUNS,
    );
  });

  test('while one of two parts of the service, with half of the users, is away for a minute', () => {
    fc.assert(
      fc.property(outage, ({ count, size, seed, from, ms }) => {
        const random = numbers(seed);
        const isAway = (now: number) => now >= from && now < from + (ms % 60_000);
        const answers = (users: readonly number[], now: number) =>
          !isAway(now) || users.every((user) => user % 2 === 0);
        expect(sendAll({ batches: batchesOf(count, size), answers, random }).givenUp.size).toBe(0);
      }),
      RUNS,
    );
  });
});

import { describe, expect, test } from 'vitest';
import { type Flow, NO_SUMS, newFlow, nextFlow } from '../../src/queue/flow.ts';
import { type Arrival, noisy, type SlowService, servers, simulateFlow } from './flow-simulation.ts';

/** The rate of 8,000 calls a minute. */
const BUDGET = 8_000 / 60;
/** The calls at once of a process in these tests. */
const MOST = 300;
const LAST = 60;
const SEEDS = [1, 2, 3];

/** The same latency, however many calls there are. */
const steady =
  (ms: (now: number) => number, spread = 0.3): SlowService =>
  ({ now, random }) => ({ ms: ms(now) * noisy(random, spread) });

/** Refuses at once what is beyond this number in flight. */
const refusesAbove =
  (most: (now: number) => number, refusalMs = 20): SlowService =>
  ({ now, inFlight, random }) =>
    inFlight > most(now) ? { ms: refusalMs, fails: true } : { ms: 1_000 * noisy(random, 0.3) };

interface Case {
  readonly title: string;
  readonly service: () => SlowService;
  /** Answers in a second that are possible in the last minute. */
  readonly possible: number;
  readonly seconds?: number;
  readonly processes?: number;
  /** Share of the calls that fails however many there are. */
  readonly usual?: number;
  /** Time of a call that does not wait, where others wait. */
  readonly workMs?: number;
}

const stepAt = (ms: number, before: number, after: number) => (now: number) => (now < ms ? before : after);

const CASES: readonly Case[] = [
  ...[20, 80, 500, 1_000, 2_000, 5_000].map((ms) => ({
    title: `answers after ${ms} ms`,
    service: () => steady(() => ms),
    possible: Math.min(BUDGET, MOST / (ms / 1_000)),
  })),
  { title: 'answers after 1 s with much noise', service: () => steady(() => 1_000, 1), possible: BUDGET },
  { title: 'becomes slower', service: () => steady(stepAt(60_000, 80, 2_000)), possible: BUDGET, seconds: 180 },
  { title: 'becomes faster', service: () => steady(stepAt(60_000, 5_000, 80)), possible: BUDGET, seconds: 150 },
  {
    title: 'changes its latency now and then',
    service: () => steady((now) => (Math.floor(now / 40_000) % 2 === 0 ? 200 : 800)),
    possible: BUDGET,
    seconds: 240,
  },
  ...[10, 50, 100].map((count) => ({
    title: `makes calls wait beyond ${count} at once`,
    service: () => servers(count, () => 1_000, 0.3),
    possible: count,
    workMs: 1_000,
  })),
  { title: 'has four quick places', service: () => servers(4, () => 80, 0.3), possible: 50, workMs: 80 },
  {
    title: 'makes calls wait, and becomes slower',
    service: () => servers(100, stepAt(60_000, 1_000, 4_000), 0.3),
    possible: 25,
    seconds: 240,
  },
  {
    title: 'makes calls wait, and recovers',
    service: () => servers(30, (now) => (now > 60_000 && now < 120_000 ? 1_000 : 200), 0.3),
    possible: BUDGET,
    seconds: 240,
  },
  ...[15, 60, 100, 200].map((most) => ({
    title: `refuses calls above ${most} at once`,
    service: () => refusesAbove(() => most),
    possible: Math.min(most, BUDGET),
    seconds: 240,
  })),
  {
    title: 'refuses more than before',
    service: () => refusesAbove(stepAt(60_000, 200, 60)),
    possible: 60,
    seconds: 240,
  },
  ...[0.03, 0.1].map((share) => ({
    title: `fails for ${share * 100} % of the calls anyway`,
    service: () => (arrival: Arrival) =>
      arrival.random() < share ? { ms: 20, fails: true } : steady(() => 1_000)(arrival),
    possible: BUDGET * (1 - share),
    usual: share,
  })),
  { title: 'is called by three processes', service: () => steady(() => 2_000), possible: BUDGET, processes: 3 },
  {
    title: 'makes the calls of three processes wait',
    service: () => servers(50, () => 1_000, 0.3),
    possible: 50,
    processes: 3,
    workMs: 1_000,
  },
];

describe('the number of calls at once', () => {
  for (const { title, service, possible, seconds = 180, processes = 1, usual = 0, workMs } of CASES) {
    test(`is found for a service that ${title}, and stays there`, () => {
      for (const seed of SEEDS) {
        const run = simulateFlow({ service: service(), seconds, processes, most: MOST, seed }).slice(-LAST);
        const sum = (of: 'answered' | 'failed', from = 0, to = LAST) =>
          run.slice(from, to).reduce((all, second) => all + second[of], 0);
        // Calls that fail are a reason to look for a number at which they do not.
        const least = usual === 0 ? 0.95 : 0.93;
        expect(sum('answered') / LAST / possible, `seed ${seed}`).toBeGreaterThan(least);
        // No ten seconds in which it had to be found again.
        const tens = Array.from({ length: LAST / 10 }, (_, nth) => sum('answered', nth * 10, nth * 10 + 10) / 10);
        expect(Math.min(...tens) / possible, `seed ${seed}`).toBeGreaterThan(0.8);
        const overloaded = run.filter(({ answered, failed }) => failed > (0.12 + usual) * (answered + failed));
        expect(overloaded.length, `seed ${seed}`).toBeLessThan(LAST / 10);
        const ms = run.reduce((all, second) => all + second.ms, 0) / LAST;
        // At most as long in line as in work.
        if (workMs !== undefined) expect(ms, `seed ${seed}`).toBeLessThan(2 * workMs);
      }
    });
  }

  test('is lowered within seconds when a service takes fewer calls', () => {
    for (const seed of SEEDS) {
      const refusing = simulateFlow({ service: refusesAbove(stepAt(60_000, 200, 60)), seconds: 120, seed });
      const refused = refusing.slice(60).filter(({ answered, failed }) => failed > 0.12 * (answered + failed));
      expect(refused.length, `seed ${seed}`).toBeLessThan(12);
      const slow = simulateFlow({ service: servers(100, stepAt(60_000, 1_000, 4_000), 0.3), seconds: 120, seed });
      // At most as long in line as in work.
      const waiting = slow.slice(60).filter(({ ms }) => ms > 8_000);
      expect(waiting.length, `seed ${seed}`).toBeLessThan(30);
    }
  });

  test.each([
    ['held', 'hold', 20, 100],
    ['tried with a quarter more', 'up', 16, 100],
    ['tried with half as much more', 'up', 13, 22],
  ] as const)('is judged after more jobs the less a trial differs: one that is %s', (_, phase, before, jobs) => {
    const seen = { limit: before, ended: before, inFlight: before, ms: 100, rate: 10 * before, failed: 0, bound: true };
    const flow: Flow = { ...newFlow(NO_SUMS, 0, 20), phase, base: seen, good: seen };
    const decided = (ended: number) =>
      nextFlow(flow, { ended, failed: 0, busyMs: 100 * ended, loadMs: 20_000, fullMs: 20_000 }, 1_000, 100);
    expect(decided(jobs - 1)).toBe(flow);
    expect(decided(jobs)).not.toBe(flow);
  });
});

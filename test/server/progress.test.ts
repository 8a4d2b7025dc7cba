import { expect, test } from 'vitest';
import type { Tallies } from '../../src/imports/record/import-ledger.ts';
import type { Region } from '../../src/membership/membership.ts';
import { OUTCOMES } from '../../src/membership/outcome.ts';
import { paceOf } from '../../src/server/events/progress.ts';

const NOW = 1_800_000_000_000;

/** Tallies of regions, by how many rows are added, of how many. */
function tallies(regions: Partial<Record<Region, readonly [added: number, read: number]>>): Tallies {
  return new Map(
    Object.entries(regions).map(([region, [added, read]]) => {
      const none = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<
        (typeof OUTCOMES)[number],
        number
      >;
      const rows = { ...none, read, added, unprocessed: read - added };
      return [region as Region, { calls: added / 10, retries: 0, rateLimited: 0, rows }];
    }),
  );
}

test('the pace is that of the last seconds, and the estimate follows it', () => {
  const pace = paceOf();
  pace(tallies({ us: [0, 10_000] }), null, [], NOW);
  for (let second = 1; second <= 60; second += 1) {
    // Slow for half a minute, then four times as fast.
    const added = second <= 30 ? second * 25 : 750 + (second - 30) * 100;
    const { regions, etaSeconds } = pace(tallies({ us: [added, 10_000] }), null, [], NOW + second * 1_000);
    if (second === 30) expect([regions['us']?.rowsPerSecond, etaSeconds]).toEqual([25, 370]);
    if (second === 60) expect([regions['us']?.rowsPerSecond, etaSeconds]).toEqual([100, 63]);
    if (second === 60) expect(regions['us']?.callsPerSecond).toBe(10);
  }
});

test('the estimate is that of the region that takes longest', () => {
  const pace = paceOf();
  pace(tallies({ us: [0, 1_000], eu: [0, 1_000] }), null, [], NOW);
  const { etaSeconds } = pace(tallies({ us: [500, 1_000], eu: [100, 1_000] }), null, [], NOW + 1_000);
  expect(etaSeconds).toBe(9);
});

test('there is no estimate while a region with rows to send stands still, nor before the first look', () => {
  const pace = paceOf();
  expect(pace(tallies({ us: [0, 1_000], eu: [0, 10] }), null, [], NOW).etaSeconds).toBeNull();
  expect(pace(tallies({ us: [500, 1_000], eu: [0, 10] }), null, [], NOW + 1_000).etaSeconds).toBeNull();
  expect(pace(tallies({ us: [600, 1_000], eu: [10, 10] }), null, [], NOW + 2_000).etaSeconds).toBe(2);
  expect(paceOf()(new Map(), null, [], NOW).etaSeconds).toBeNull();
});

test('rows without an outcome are not called unprocessed while the import goes on', () => {
  const { rows, regions } = paceOf()(tallies({ us: [1, 10] }), null, [], NOW);
  expect(rows).toMatchObject({ read: 10, added: 1, unprocessed: 0 });
  expect(regions['us']?.rows.unprocessed).toBe(0);
});

test('what the queue of a region does is told with it', () => {
  const status = {
    region: 'us',
    waiting: 5,
    delayed: 1,
    active: 2,
    stopped: true,
    limitedForMs: 3,
    workers: 4,
    key: '0badc0de',
  } as const;
  const { regions } = paceOf()(tallies({ us: [1, 10], eu: [0, 1] }), null, [status], NOW);
  expect(regions['us']).toMatchObject({
    waiting: 5,
    delayed: 1,
    active: 2,
    stopped: true,
    limitedForMs: 3,
    workers: 4,
  });
  expect(regions['eu']).toMatchObject({ waiting: 0, active: 0, stopped: false, workers: 0 });
});

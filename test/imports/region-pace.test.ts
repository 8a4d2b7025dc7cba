import { expect, test } from 'vitest';
import { UNKNOWN_PACE } from '../../src/api/region-status.ts';
import { leastMs, paceOf, slowestCallMs } from '../../src/imports/send/region-pace.ts';
import { limitedDepthOf, type RegionQueues } from '../../src/imports/send/region-queues.ts';
import { type Flow, NO_SUMS, newFlow } from '../../src/queue/flow.ts';
import { limitWords } from '../../src/text/pace-words.ts';

const SEEN = { limit: 40, ended: 40, inFlight: 40, ms: 1_900, rate: 20, failed: 0, bound: true };
const FLOW: Flow = { ...newFlow(NO_SUMS, 0), limit: 40, most: 300, phase: 'hold', seen: SEEN };
const NOW = {
  flow: FLOW,
  waiting: 50,
  active: 40,
  away: false,
  limitedForMs: 0,
  callsPerMinute: 8_000,
  fullGroup: undefined,
};

test('a region may send as its queues with waiting calls together; imports in silence have a budget of their own', async () => {
  const queueOf = (waiting: number, callsPerMinute: number | undefined) => {
    const queue: Partial<RegionQueues['queue']> = {
      depth: async () => ({ waiting, delayed: 0, active: 0, setAside: 0 }),
      limitedForMs: async () => 0,
      callsPerMinute: async () => callsPerMinute,
    };
    return queue as RegionQueues['queue'];
  };
  const lists = queueOf(0, undefined);
  const [queue, silent] = [queueOf(1, 8_000), queueOf(1, 48)];
  const none = { queue: queueOf(0, 8_000), lists, silent: queueOf(0, 48) };
  expect(await limitedDepthOf(none)).toMatchObject({ sending: 8_000, importing: undefined, together: 8_000 });
  expect(await limitedDepthOf({ ...none, silent })).toMatchObject({ sending: 8_000, importing: 48, together: 48 });
  expect(await limitedDepthOf({ queue, lists, silent })).toMatchObject({ importing: 48, together: 8_048 });
});

test.each([
  ['nothing waits or runs', { waiting: 0, active: 0 }, 'nothing', ''],
  ['the service does not answer', { away: true }, 'service', undefined],
  ['the rate limit makes it wait', { limitedForMs: 9_000 }, 'rate', 'at the rate limit'],
  ['it uses the rate limit', { flow: { ...FLOW, seen: { ...SEEN, rate: 125 } } }, 'rate', 'at the rate limit'],
  [
    'it has the most calls at once',
    { flow: { ...FLOW, most: 40 } },
    'concurrency',
    'at the maximum of 40 calls at once, 1.9 s each',
  ],
  ['the service takes no more', {}, 'service', 'the service takes no more than 40 calls at once, 1.9 s each'],
  ['it is not known yet', { flow: { ...FLOW, phase: 'start' } }, null, ''],
  ['no call was measured', { flow: newFlow(NO_SUMS, 0) }, null, ''],
  [
    'one big group is left',
    { waiting: 0, flow: { ...FLOW, seen: { ...SEEN, bound: false } }, fullGroup: 'big' },
    'group',
    'at the maximum of calls at once to one group, big, 1.9 s each',
  ],
  ['the last calls run', { waiting: 0, flow: { ...FLOW, seen: { ...SEEN, bound: false } } }, 'nothing', ''],
] as const)('what limits a region: %s', (_when, change, limitedBy, words) => {
  const pace = paceOf({ ...NOW, ...change });
  expect(pace.limitedBy).toBe(limitedBy);
  if (words !== undefined) expect(limitWords(pace)).toBe(words);
});

test('the least time of calls follows the rate, or how long calls take where that is longer', () => {
  const pace = { callsPerMinute: 6_000, concurrency: 100 };
  expect(leastMs(1_000, { ...pace, callMs: null })).toBe(10_000);
  expect(leastMs(1_000, { ...pace, callMs: 500 })).toBe(10_000);
  expect(leastMs(1_000, { ...pace, callMs: 4_000 })).toBe(40_000);
  expect(slowestCallMs([])).toBe(null);
  const measured = (callMs: number | null) => ({ pace: { ...UNKNOWN_PACE, callMs } });
  expect(slowestCallMs([measured(null), measured(80), measured(40)])).toBe(80);
});

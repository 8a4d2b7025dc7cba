import { expect, onTestFinished, test, vi } from 'vitest';
import { createRegionFlow } from '../../src/imports/send/region-flow.ts';
import type { FlowSums } from '../../src/queue/flow.ts';
import { eventually } from '../eventually.ts';

test('each process reports how many jobs ended, how long they took, and how many were in flight for how long', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const told: FlowSums[] = [];
  const shareFlow = async (_by: string, most: number, sums: FlowSums) => {
    told.push(sums);
    return { text: '', sums, most, now: 0 };
  };
  const flow = createRegionFlow({
    queue: { shareFlow, swapNote: async (_name, _before, after) => after },
    most: 8,
    limit: () => {},
    utilization: () => 0,
    onError: (error) => expect.fail(error.message),
  });
  await eventually(() => told).toHaveLength(1);
  vi.advanceTimersByTime(1_000);
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const { promise: later, resolve: endLater } = Promise.withResolvers<void>();
  const jobs = [flow.count(() => promise), flow.count(() => later)];
  vi.advanceTimersByTime(30);
  end();
  await jobs[0];
  vi.advanceTimersByTime(20);
  endLater();
  await jobs[1];
  flow.setMost(4);
  await eventually(() => told.slice(1)).toEqual([{ ended: 2, failed: 0, busyMs: 80, loadMs: 80, fullMs: 0 }]);
  flow.close();
});

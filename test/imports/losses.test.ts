import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { RecordOutcomesPayload } from '../../jobs/record-outcomes.ts';
import type { RunningImport } from '../../src/imports/send/dispatcher.ts';
import { LEFT_MS, watchForLosses } from '../../src/imports/send/lost-jobs.ts';
import type { OpenRegion } from '../../src/imports/send/region.ts';
import type { Region } from '../../src/membership/membership.ts';
import type { JobQueue } from '../../src/queue/job-queue.ts';
import { WORKER_DEATH_NOTICED_MS } from '../../src/queue/job-worker.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const LOOK_MS = 2_000;

/**
 * One batch is out of an import, which a worker took. Gives how often the whole of it was asked for again.
 * @param given `asking`: the queue is asked for the batch
 */
async function watched(
  given: { readonly isWithdrawing: boolean; readonly workers: () => number; readonly asking?: () => void },
  ms: number,
): Promise<number> {
  let all = 0;
  const outcomes = { depth: async () => ({ waiting: 0, delayed: 0, active: 0, setAside: 0 }) };
  const lost = async () => {
    given.asking?.();
    return [];
  };
  const queue = { lost, workers: async () => given.workers(), isPaused: async () => false };
  const opened = { region: 'us', keepBudget: async () => {}, queue, lists: { lost } };
  const running: Pick<RunningImport, 'jobsIn' | 'isWithdrawing' | 'resend'> = {
    jobsIn: () => ['import-1'],
    isWithdrawing: () => given.isWithdrawing,
    resend: async (_: Region, which: ReadonlySet<string> | 'all') => {
      if (which === 'all') all += 1;
    },
  };
  const watch = watchForLosses({
    results: [outcomes as JobQueue<RecordOutcomesPayload>],
    regions: async () => [opened as unknown as OpenRegion],
    imports: () => [running as RunningImport],
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => watch.stop());
  await vi.advanceTimersByTimeAsync(ms);
  return all;
}

const SOON = WORKER_DEATH_NOTICED_MS + 2 * LOOK_MS;

test('an import that ends while no worker is left gets its batches back as soon as their workers must be dead', async () => {
  expect(await watched({ isWithdrawing: true, workers: () => 0 }, WORKER_DEATH_NOTICED_MS)).toBe(0);
  expect(await watched({ isWithdrawing: true, workers: () => 0 }, SOON)).toBeGreaterThan(0);
});

test('as long as there are workers, or have just been, they are waited for', async () => {
  expect(await watched({ isWithdrawing: true, workers: () => 1 }, SOON)).toBe(0);
  let looks = 0;
  expect(await watched({ isWithdrawing: true, workers: () => (++looks % 5 === 0 ? 1 : 0) }, 3 * SOON)).toBe(0);
});

test('workers whose machine is gone, and whose connection the server still shows, are waited for as long as a call lasts', async () => {
  expect(await watched({ isWithdrawing: true, workers: () => 1 }, LEFT_MS)).toBe(0);
  expect(await watched({ isWithdrawing: true, workers: () => 1 }, LEFT_MS + 2 * LOOK_MS)).toBeGreaterThan(0);
  expect(await watched({ isWithdrawing: false, workers: () => 1 }, LEFT_MS + 2 * LOOK_MS)).toBe(0);
});

test('an import that goes on waits for new workers', async () => {
  expect(await watched({ isWithdrawing: false, workers: () => 0 }, SOON)).toBe(0);
});

test('an import that goes on while the queue is asked for its batches leaves them to their workers', async () => {
  const until = Date.now() + SOON - LOOK_MS;
  const given = {
    isWithdrawing: true,
    workers: () => 0,
    asking: () => {
      given.isWithdrawing = Date.now() < until;
    },
  };
  expect(await watched(given, SOON)).toBe(0);
  expect(given.isWithdrawing).toBe(false);
});

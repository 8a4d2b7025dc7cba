import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { budgetWatch } from '../../src/imports/send/region.ts';

/** All calls of a test end at the same moment: a budget is compared, and a wait is over, after a time. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A queue's budget, and how long it was set to wait. */
function queue(set: number | undefined) {
  const waits: number[] = [];
  const changes: number[] = [];
  const watch = budgetWatch(
    {
      callsPerMinute: async () => changes.at(-1) ?? set,
      setCallsPerMinute: async (calls) => void changes.push(calls),
      slowDown: async (ms) => void waits.push(ms),
    },
    (error) => {
      throw error;
    },
  );
  const called = async (
    rate: Parameters<typeof watch>[0],
    share: number | undefined,
    operation = 'add-members',
  ): Promise<void> => {
    watch(rate, share, operation);
    await new Promise(setImmediate);
  };
  return { called, waits, changes };
}

test('calls that were set are lowered where the service allows less, and never raised', async () => {
  const { called, waits, changes } = queue(1_000);
  await called({ limit: 20_000, remaining: 0 }, undefined);
  expect([changes, waits]).toEqual([[], []]);
  await called({ limit: 500, remaining: 499 }, undefined);
  expect(changes).toEqual([500]);
});

test('a share follows what the service allows, up and down', async () => {
  const { called, changes } = queue(8_000);
  await called({ limit: 10_000 }, 80);
  expect(changes).toEqual([]);
  await called({ limit: 20_000 }, 80);
  await called({ limit: 500 }, 80);
  expect(changes).toEqual([16_000, 400]);
});

test('where others use more than what is left to them, nothing is sent for a moment', async () => {
  const { called, waits } = queue(8_000);
  await called({ limit: 10_000, remaining: 2_000 }, 80);
  expect(waits).toEqual([]);
  await called({ limit: 10_000, remaining: 1_999 }, 80);
  await called({ limit: 10_000, remaining: 1_998 }, 80);
  expect(waits).toHaveLength(1);
});

test('operations with budgets of their own: neither is exceeded, and each is used by its part of the calls', async () => {
  const { called, changes } = queue(8_000);
  const turns = async (...operations: readonly ('read' | 'add')[]) => {
    for (let n = 0; n < 400; n += 1) {
      const operation = operations[n % operations.length] ?? 'add';
      await called({ limit: operation === 'read' ? 20_000 : 10_000 }, 80, operation);
    }
    return changes.at(-1) ?? 0;
  };
  const expectClose = async (found: Promise<number>, calls: number) => {
    expect(Math.abs((await found) - calls) / calls).toBeLessThan(0.06);
  };
  await expectClose(turns('read'), 16_000);
  await expectClose(turns('read', 'add'), 16_000);
  await expectClose(turns('add'), 8_000);
  // Few of the calls add: all together stay within twice their budget, as they may all add from now on.
  await expectClose(turns('read', 'read', 'read', 'add'), 16_000);
});

test('what reading may use does not raise what sending may use', async () => {
  const { called, changes } = queue(400);
  for (let n = 0; n < 300; n += 1) {
    await called({ limit: 500 }, 80, 'add-members');
    if (n % 10 === 0) await called({ limit: 20_000 }, 80, 'members');
  }
  expect(Math.max(400, ...changes)).toBeLessThanOrEqual(450);
});

test('operations that say the same limit share one budget', async () => {
  const { called, changes } = queue(8_000);
  for (let n = 0; n < 300; n += 1) await called({ limit: 500 }, 80, n % 2 === 0 ? 'add-members' : 'members');
  expect(changes).toEqual([400]);
});

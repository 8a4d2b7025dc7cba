import { expect, test } from 'vitest';
import { budgetWatch } from '../../src/imports/send/budget.ts';

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
  const called = async (...args: Parameters<typeof watch>) => {
    watch(...args);
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

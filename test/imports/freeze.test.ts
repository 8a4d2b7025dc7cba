import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { csv, EMBEDDED, eventually, openPipeline, participants } from './pipeline-harness.ts';

const FREEZE_MS = 500;
const ROWS = 2_000;
const CONCURRENCY = 5;

/** Everything in this process but the threads stands still, as after a long stall. */
async function freeze(): Promise<void> {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FREEZE_MS);
  await delay(20);
}

test('a process that stands still for a while reads, sends and closes once', async () => {
  const at = await openPipeline({
    place: EMBEDDED,
    threads: true,
    concurrency: CONCURRENCY,
    sandbox: { latencyMs: 20 },
  });
  const id = await at.send(csv(participants(ROWS)));
  await eventually(() => existsSync(`${at.dir.ledger(id)}.part`) || at.states.includes('running')).toBe(true);
  await freeze();
  for (const calls of [5, 30]) {
    await eventually(() => at.sandbox.calls.us.requests).toBeGreaterThan(calls);
    await freeze();
  }
  expect(await at.coordinator.settled(id)).toMatchObject({ state: 'completed' });
  expect(at.states.filter((state) => state !== 'staging')).toEqual(['staged', 'running', 'completed']);
  const { added, already_member } = at.counts(id);
  expect(added + already_member).toBe(ROWS);
  expect(at.sandbox.calls.us.requests).toBe(ROWS / 25);
});

import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openBackend } from '../../src/queue/open-backend.ts';
import { csv, EMBEDDED, eventually, openPipeline, participants, type QueuePlace } from './pipeline-harness.ts';

/** In ms. Much shorter than in life, so that a short freeze is longer than any lock. */
const LOCK_MS = 100;
const FREEZE_MS = 5 * LOCK_MS;
const ROWS = 2_000;
const CONCURRENCY = 5;

/** The embedded queue, whose locks run out soon. */
const HASTY: QueuePlace = {
  ...EMBEDDED,
  open: async () => {
    const backend = await openBackend();
    const worker: typeof backend.worker = (name, process, options) =>
      backend.worker(name, process, { ...options, lockDuration: LOCK_MS, stalledInterval: LOCK_MS / 5 });
    return { ...backend, worker };
  },
};

/** Everything in this process but the threads stands still, as after a long stall; then the queue looks for dead workers. */
async function freeze(): Promise<void> {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FREEZE_MS);
  await delay(LOCK_MS / 5);
}

test('a process that stands still for longer than any lock reads, sends and closes once', async () => {
  const at = await openPipeline({ place: HASTY, threads: true, concurrency: CONCURRENCY, sandbox: { latencyMs: 20 } });
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
  // A call whose job was taken for dead is made a second time, at most those that were under way.
  expect(at.sandbox.calls.us.requests).toBeLessThanOrEqual(ROWS / 25 + 3 * CONCURRENCY);
});

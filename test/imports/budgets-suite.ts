import { expect, test } from 'vitest';
import type { Coordinator } from '../../src/imports/life/coordinator.ts';
import { csv, eventually, openPipeline, participants, type QueuePlace, reached } from './pipeline-harness.ts';

const LONG_MS = 600_000;

async function cancelled(coordinator: Coordinator, id: string): Promise<void> {
  await coordinator.cancel(id);
  await reached(coordinator, id, 'cancelled');
}

/** One row for each of these groups: who is banned is asked in each. */
const groups = (count: number) => csv(Array.from({ length: count }, (_, n) => ({ guid: `g-${n}`, uid: 'anna' })));

/** Calls that read and calls that change have budgets of their own, wherever jobs are kept. */
export function describeBudgets(place: QueuePlace): void {
  test('with a rate for lists, questions do not wait for calls that must wait, nor these for them', async () => {
    const pipeline = await openPipeline({ place, listsPerMinute: 1_000_000, regions: ['us'] });
    const { coordinator, openRegions, sandbox, send, counts } = pipeline;
    await pipeline.run(csv(participants(1)), { bans: 'keep' });
    const { queue, lists, status } = openRegions.get('us') ?? expect.fail('no region was opened');
    expect(await status()).toMatchObject({ callsPerMinute: 1_000_000, listsPerMinute: 1_000_000 });

    await queue.slowDown(LONG_MS);
    const before = sandbox.calls.us.requests;
    const asking = await send(groups(40), { bans: 'keep' });
    await eventually(() => sandbox.calls.us.requests - before).toBe(40);
    await eventually(async () => (await queue.depth()).waiting).toBeGreaterThan(0);
    expect((await status()).limitedForMs).toBeGreaterThan(LONG_MS / 2);
    expect(counts(asking).added).toBe(0);
    await queue.endWait();
    await coordinator.settled(asking);
    expect(counts(asking).added).toBe(40);

    await lists.slowDown(LONG_MS);
    const waiting = await send(groups(2), { bans: 'keep' });
    await eventually(async () => (await status()).waiting).toBe(2);
    expect((await status()).limitedForMs).toBeGreaterThan(LONG_MS / 2);
    const sent = await pipeline.run(csv(participants(100, 'other')));
    expect([sent.state, counts(sent.id).added]).toEqual(['completed', 100]);
    await cancelled(coordinator, waiting);
  });

  test('a service that names another limit for lists gets them at a rate of their own', async () => {
    const sandbox = { rateLimit: { calls: 500_000, perMs: 60_000 }, behaviour: { listsPerMinute: 1_000_000 } };
    const pipeline = await openPipeline({ place, sandbox, callsPerMinute: null, regions: ['us'] });
    await pipeline.run(groups(3), { bans: 'keep' });
    const { lists, queueOf } = pipeline.openRegions.get('us') ?? expect.fail('no region was opened');
    await eventually(() => lists.callsPerMinute()).toBe(800_000);
    await eventually(() => queueOf('banned')).toBe(lists);
    const { state, id } = await pipeline.run(groups(20), { bans: 'keep' });
    expect([state, pipeline.counts(id).already_member]).toEqual(['completed', 3]);
  });

  test('a service with one limit for all calls gets them from one queue, in turns', async () => {
    const sandbox = { rateLimit: { calls: 500_000, perMs: 60_000 } };
    const pipeline = await openPipeline({ place, sandbox, callsPerMinute: null, regions: ['us'] });
    await pipeline.run(groups(3), { bans: 'keep' });
    const { lists, queueOf, queue, status } = pipeline.openRegions.get('us') ?? expect.fail('no region was opened');
    expect([await queueOf('banned'), await lists.callsPerMinute()]).toEqual([queue, undefined]);
    expect(await status()).toMatchObject({ listsPerMinute: null });
  });
}

import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../../src/sandbox/injected-faults.ts';
import { csv, eventually, openPipeline, participants, QUEUE_PLACES } from './pipeline-harness.ts';

describe.each(QUEUE_PLACES)('an outage of the service ($name)', (place) => {
  const circuitOf = async ({ coordinator }: Awaited<ReturnType<typeof openPipeline>>) =>
    (await coordinator.regions()).find(({ region }) => region === 'us')?.circuit;

  test.each(['reset-before', 'firewall'] satisfies FaultKind[])('(%s) costs time and no rows', async (fault) => {
    const pipeline = await openPipeline({ place });
    const { sandbox } = pipeline;
    const told: string[] = [];
    pipeline.coordinator.events.on('circuit', (region, { state }) => told.push(`${region} ${state}`));
    sandbox.faults.set(fault);
    const id = await pipeline.send(csv(participants(500)));
    await eventually(async () => (await circuitOf(pipeline))?.state ?? '').toMatch(/open/);
    const [region] = await pipeline.coordinator.regions();
    expect(region?.unanswered).toMatchObject({ since: region?.circuit.since });
    expect(region?.circuit.calls).toBeGreaterThanOrEqual(3);
    const atOpening = sandbox.calls.us.requests;
    await eventually(async () => (await circuitOf(pipeline))?.calls).toBeGreaterThan(region?.circuit.calls ?? 0);
    expect(sandbox.calls.us.requests - atOpening).toBeLessThan(25);
    // Circuits are looked at from time to time: one that closes again before is not told.
    await eventually(() => told).toHaveLength(1);
    sandbox.faults.clear();
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ added: 500 });
    await eventually(() => told.at(-1)).toBe('us closed');
    expect([told.length, told[0]]).toEqual([2, expect.stringMatching(/^us (half-)?open$/)]);
    expect(await circuitOf(pipeline)).toMatchObject({
      state: 'closed',
      since: null,
      nextTryAt: null,
      calls: 0,
      code: '',
    });
  });
});

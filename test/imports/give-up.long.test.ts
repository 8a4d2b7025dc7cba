import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { watchForReturn } from '../../src/imports/life/away-watch.ts';
import { csv, EMBEDDED, eventually, openPipeline, participants, QUEUE_PLACES, reached } from './pipeline-harness.ts';

const rows = (count: number, region: 'us' | 'eu' | 'in') =>
  participants(count, region).map((row) => ({ ...row, region }));

describe('an address that something else answers', () => {
  /** Lets a minute pass as soon as no call is made any more. */
  const minuteLater = async ({ coordinator }: Awaited<ReturnType<typeof openPipeline>>) => {
    const circuit = async () => (await coordinator.regions.status()).find(({ region }) => region === 'us')?.circuit;
    await eventually(async () => (await circuit())?.state).toMatch(/open/);
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
    onTestFinished(() => clock.mockRestore());
    return circuit;
  };

  test('blocks an import within a minute where no call has ever worked, and says what to check', async () => {
    const pipeline = await openPipeline({ place: EMBEDDED, sandbox: { faults: 'firewall' } });
    const id = await pipeline.send(csv(participants(50)));
    await minuteLater(pipeline);
    expect(await pipeline.coordinator.settled(id)).toMatchObject({
      state: 'blocked',
      code: 'SERVICE_AWAY',
      reason: expect.stringMatching(
        /^us: every call since .* was answered with NOT_THE_SERVICE: .*check app id, region and host/,
      ),
    });
    expect(pipeline.counts(id)).toMatchObject({ unprocessed: 50 });
  });

  test('is waited for where an earlier import worked, also after a restart', async () => {
    const pipeline = await openPipeline({ place: EMBEDDED });
    await pipeline.run(csv(participants(5)));
    await pipeline.stop();
    pipeline.sandbox.faults.set('firewall');
    await pipeline.restart();
    const id = await pipeline.send(csv(participants(50, 'h')));
    const circuit = await minuteLater(pipeline);
    const { calls = 0 } = (await circuit()) ?? {};
    await eventually(async () => (await circuit())?.calls).toBeGreaterThan(calls + 1);
    expect(pipeline.coordinator.find(id).state).toBe('running');
    pipeline.sandbox.faults.clear();
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  });
});

describe.each(QUEUE_PLACES)('an import that may wait for the service for a limited time ($name)', (place) => {
  test('is blocked then, with all rows and attempts, and resume waits and continues', async () => {
    const pipeline = await openPipeline({ place, sandbox: { faults: 'reset-before' } });
    const { coordinator, sandbox, counts } = pipeline;
    const { id, state, code, reason } = await pipeline.run(csv(participants(200)), { giveUpAfter: 1 });
    expect([state, code]).toEqual(['blocked', 'SERVICE_AWAY']);
    expect(reason).toMatch(/^us: the service has not answered since .* UTC \(CONNECTION_LOST\): \d+ calls; /);
    expect(counts(id)).toMatchObject({ read: 200, unprocessed: 200, failed: 0 });
    sandbox.faults.clear();
    const resumed = async () => {
      await coordinator.resume(id);
      return (await coordinator.settled(id)).state;
    };
    // It may wait for 1 ms only: on a slow machine it gives up once more before the next try.
    await eventually(resumed).toBe('completed');
    expect(counts(id)).toMatchObject({ added: 200 });
  });

  test('sends to the regions that answer, and continues by itself in a process that stays', async () => {
    const pipeline = await openPipeline({ place, sandbox: { faults: 'eu:unavailable' } });
    const { coordinator, sandbox, counts } = pipeline;
    const said: string[] = [];
    const watch = watchForReturn(
      coordinator,
      (text) => said.push(text),
      (error) => pipeline.failures.push(error),
    );
    onTestFinished(() => watch.stop());
    const file = csv([...rows(100, 'us'), ...rows(100, 'eu'), ...rows(100, 'in')]);
    const id = await pipeline.send(file, { giveUpAfter: 1 });
    await reached(coordinator, id, 'blocked');
    expect(coordinator.find(id)).toMatchObject({ code: 'SERVICE_AWAY', reason: expect.stringMatching(/^eu: /) });
    expect(counts(id)).toMatchObject({ added: 200, unprocessed: 100 });
    const calls = sandbox.calls.eu.requests;
    // One question tries, now and then.
    await eventually(() => sandbox.calls.eu.requests).toBeGreaterThan(calls);
    expect(sandbox.calls.eu.requests).toBeLessThan(calls + 4);
    expect(said).toEqual([]);
    sandbox.faults.clear();
    await reached(coordinator, id, 'completed');
    expect(said).toEqual(['Region eu answers again: imports that waited for it continue']);
    expect(counts(id)).toMatchObject({ added: 300 });
  });

  test('continues at the next start of a process that stays', async () => {
    const pipeline = await openPipeline({ place, sandbox: { faults: 'reset-before' } });
    const { id } = await pipeline.run(csv(participants(50)), { giveUpAfter: 1 });
    expect(pipeline.coordinator.find(id).code).toBe('SERVICE_AWAY');
    await pipeline.stop();
    pipeline.sandbox.faults.clear();
    await pipeline.restart();
    expect(await pipeline.coordinator.continueAll()).toEqual([]);
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ added: 50 });
  });

  test('is not outlived by the questions of a command, which learn that the service is away', async () => {
    const { coordinator } = await openPipeline({ place, sandbox: { faults: 'reset-before' }, giveUpAfter: 1 });
    const read = coordinator.pages('us').listPage('groups', '', 1, {});
    await expect(read).rejects.toMatchObject({
      code: 'SERVICE_AWAY',
      facts: { ofRegion: true },
      message: expect.stringContaining('has not answered since'),
    });
  });

  test('is not outlived by questions that say for how long they wait, such as those of a schedule', async () => {
    const { coordinator } = await openPipeline({ place, sandbox: { faults: 'reset-before' } });
    const read = coordinator.pages('us', 1).listPage('groups', '', 1, {});
    await expect(read).rejects.toMatchObject({ code: 'SERVICE_AWAY', facts: { ofRegion: true } });
  });
});

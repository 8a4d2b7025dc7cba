import { describe, expect, test } from 'vitest';
import { ATTEMPTS } from '../../jobs/batch-policy.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { AHEAD } from '../../src/imports/send/fair-queue.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { csv, eventually, openPipeline, participants, QUEUE_PLACES, reached } from './pipeline-harness.ts';
import { pausedImport, ROWS, runningImport } from './running-import.ts';

describe.each(QUEUE_PLACES)('on the $name queue', (place) => {
  describe('pause', () => {
    test('lets the calls under way answer, starts no others, and leaves nothing in the queue', async () => {
      const { id, door, openRegions, coordinator, sandbox } = await runningImport(place);
      const paused = reached(coordinator, id, 'paused');
      expect((await coordinator.pause(id)).state).toBe('pausing');
      door.open();
      await paused;
      expect(sandbox.calls.us.requests).toBe(2);
      await eventually(() => openRegions.get('us')?.queue.depth()).toEqual({
        waiting: 0,
        delayed: 0,
        active: 0,
        setAside: 0,
      });
    });

    test('and resume sends the rest, each batch once', async () => {
      const { id, door, coordinator, sandbox, counts } = await pausedImport(place);
      door.open();
      await coordinator.resume(id);
      expect((await coordinator.settled(id)).state).toBe('completed');
      expect(counts(id)).toMatchObject({ read: 300, added: 300 });
      expect(sandbox.calls.us.requests).toBe(12);
    });

    test('can be taken back before it is complete', async () => {
      const { id, door, coordinator, counts, sandbox } = await runningImport(place);
      await coordinator.pause(id);
      expect((await coordinator.resume(id)).state).toBe('running');
      door.open();
      expect((await coordinator.settled(id)).state).toBe('completed');
      expect(counts(id)).toMatchObject({ added: 300 });
      expect(sandbox.calls.us.requests).toBe(12);
    });

    test('that comes between the start and the first call keeps every call from starting', async () => {
      const pipeline = await openPipeline({ place });
      const asked = new Promise<void>((resolve) => {
        pipeline.coordinator.events.on('state', ({ id, state }) => {
          if (state === 'running' && pipeline.states.filter((one) => one === 'running').length === 1) {
            resolve(pipeline.coordinator.pause(id).then(() => {}));
          }
        });
      });
      const id = await pipeline.send(csv(ROWS));
      await asked;
      await reached(pipeline.coordinator, id, 'paused');
      await pipeline.coordinator.regions.status();
      expect(pipeline.sandbox.calls.us.requests).toBe(0);
      await pipeline.coordinator.resume(id);
      expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
      expect(pipeline.sandbox.calls.us.requests).toBe(12);
    });

    test('does not wait for the retries of a call without an answer, and keeps count of it', async () => {
      const pipeline = await openPipeline({
        place,
        concurrency: 1,
        sandbox: { faults: 'reset-after' },
        chat: (service) => ({
          ...service,
          addMembers: (...call) =>
            service.addMembers(...call).catch(async (error: unknown) => {
              await coordinator.pause(id);
              throw error;
            }),
        }),
      });
      const { coordinator, sandbox } = pipeline;
      const id: string = await pipeline.send(csv(participants(25)));
      await reached(coordinator, id, 'paused');
      const requests = sandbox.calls.us.requests;
      expect(requests).toBeLessThan(ATTEMPTS);
      sandbox.faults.clear();
      await coordinator.resume(id);
      await coordinator.settled(id);
      const rows = pipeline.rows(id);
      expect(rows.map(({ status }) => status)).toEqual(Array(25).fill('already_member'));
      expect(rows[0]?.message).toContain('an earlier call');
      // Then the group was asked, and nobody was added again. A question may be among the requests: it is no call of the batch.
      const { calls } = pipeline.summary(id);
      expect(calls).toBeGreaterThan(0);
      expect(calls).toBeLessThanOrEqual(requests);
    });
  });

  describe('cancel', () => {
    test('while the file is read: nothing is sent, and nothing of the half-read file stays', async () => {
      const pipeline = await openPipeline({ place, threads: true });
      const cancelled = new Promise<void>((resolve) => {
        pipeline.coordinator.events.once('staging', (id) => resolve(pipeline.coordinator.cancel(id).then(() => {})));
      });
      const id = await pipeline.send(csv(participants(20_000)));
      await cancelled;
      expect(pipeline.coordinator.find(id)).toMatchObject({ state: 'cancelled' });
      expect(pipeline.states).toEqual(['staging', 'cancelled']);
      expect(pipeline.sandbox.calls.us.requests).toBe(0);
    });

    test('while duplicates are looked for: nothing is sent', async () => {
      const pipeline = await openPipeline({ place, threads: true });
      const cancelled = new Promise<void>((resolve) => {
        pipeline.coordinator.events.on('staging', (id, { cutting }) => {
          if (cutting) resolve(pipeline.coordinator.cancel(id).then(() => {}));
        });
      });
      const id = await pipeline.send(csv(ROWS));
      await cancelled;
      expect(pipeline.coordinator.find(id).state).toBe('cancelled');
      expect(pipeline.sandbox.calls.us.requests).toBe(0);
    });

    test('before the file is read: it is never read, and the imports before it go on', async () => {
      const { coordinator, send, states } = await openPipeline({ place, threads: true });
      const first = await send(csv(participants(5_000)), { dryRun: true });
      const second = await send(csv(ROWS));
      expect((await coordinator.cancel(second)).state).toBe('cancelled');
      expect((await coordinator.settled(first)).state).toBe('staged');
      const third = await coordinator.settled(await send(csv(ROWS)));
      expect(third.state).toBe('completed');
      expect(states.filter((state) => state === 'cancelled')).toHaveLength(1);
      expect(coordinator.find(second).state).toBe('cancelled');
    });

    test('when staged: every row that could have been sent is unprocessed', async () => {
      const { coordinator, run, counts, sandbox } = await openPipeline({ place });
      const { id } = await run(csv([...ROWS, { uid: '' }]), { dryRun: true });
      await coordinator.cancel(id);
      await eventually(() => coordinator.find(id).state).toBe('cancelled');
      expect(counts(id)).toMatchObject({ read: 301, unprocessed: 300, invalid: 1 });
      expect(sandbox.calls.us.requests).toBe(0);
    });

    test('while it runs: calls under way count, the rest is unprocessed', async () => {
      const { id, door, coordinator, counts, sandbox, summary } = await runningImport(place);
      expect((await coordinator.cancel(id)).state).toBe('cancelling');
      door.open();
      expect((await coordinator.settled(id)).state).toBe('cancelled');
      expect(counts(id)).toMatchObject({ read: 300, added: 50, unprocessed: 250 });
      expect(summary(id)).toMatchObject({ state: 'cancelled', rows: counts(id) });
      expect(sandbox.members('us', 'g').size).toBe(50);
    });

    test('between the start and the first call: nothing is sent', async () => {
      const pipeline = await openPipeline({ place });
      pipeline.coordinator.events.on('state', ({ id, state }) => {
        if (state === 'running') void pipeline.coordinator.cancel(id);
      });
      const { id, state } = await pipeline.run(csv(ROWS));
      expect(state).toBe('cancelled');
      expect(pipeline.counts(id)).toMatchObject({ unprocessed: 300 });
      expect(pipeline.sandbox.calls.us.requests).toBe(0);
    });

    test.each([
      ['carried out', true, { already_member: 25, unprocessed: 275, unconfirmed: 0 }],
      ['lost', false, { already_member: 0, unprocessed: 300, unconfirmed: 0 }],
    ])('with a call in flight that was %s: its group is asked', async (_, isCarriedOut, expected) => {
      const pipeline = await openPipeline({
        place,
        concurrency: 1,
        chat: (service) => ({
          ...service,
          addMembers: async (...call) => {
            if (isCarriedOut) await service.addMembers(...call);
            await pipeline.coordinator.cancel(id);
            throw new RollcallError('CONNECTION_LOST', { what: 'broke off', maybeCarriedOut: true });
          },
        }),
      });
      const id: string = await pipeline.send(csv(ROWS));
      expect((await pipeline.coordinator.settled(id)).state).toBe('cancelled');
      expect(pipeline.counts(id)).toMatchObject(expected);
      expect(pipeline.sandbox.members('us', 'g').size).toBe(isCarriedOut ? 25 : 0);
    });

    test('while it pauses', async () => {
      const { id, door, coordinator, counts } = await runningImport(place);
      await coordinator.pause(id);
      await coordinator.cancel(id);
      door.open();
      expect((await coordinator.settled(id)).state).toBe('cancelled');
      expect(counts(id)).toMatchObject({ added: 50, unprocessed: 250 });
    });

    test('while it is paused', async () => {
      const { id, coordinator, counts } = await pausedImport(place);
      await coordinator.cancel(id);
      await eventually(() => coordinator.find(id).state).toBe('cancelled');
      expect(counts(id)).toMatchObject({ added: 50, unprocessed: 250 });
    });

    test('when there is nothing left to cancel: the import is complete', async () => {
      const { id, door, coordinator, counts } = await runningImport(place, 12);
      await coordinator.cancel(id);
      door.open();
      expect((await coordinator.settled(id)).state).toBe('completed');
      expect(counts(id)).toMatchObject({ added: 300 });
    });

    test('is not undone by resume: calls under way still count', async () => {
      const { id, door, coordinator, counts } = await runningImport(place);
      await coordinator.cancel(id);
      expect((await coordinator.resume(id)).state).toBe('cancelling');
      door.open();
      expect((await coordinator.settled(id)).state).toBe('cancelled');
      expect(counts(id)).toMatchObject({ added: 50, unprocessed: 250 });
    });

    test('of an import that is over is refused, and so are pause and resume', async () => {
      const { coordinator, run } = await openPipeline({ place });
      const { id } = await run(csv(participants(1)));
      for (const act of ['pause', 'resume', 'cancel'] as const) {
        await expect(coordinator[act](id)).rejects.toMatchObject({
          code: 'WRONG_STATE',
          facts: expect.objectContaining({ id, state: 'completed' }),
        });
      }
    });
  });

  describe('a guard against errors', () => {
    const bad = (count: number) => Array.from({ length: count }, () => ({ uid: 'not an id' }));

    test.each([
      ['as many invalid rows as are allowed', { rows: 3 }, 3, 'completed'],
      ['one invalid row more than is allowed', { rows: 3 }, 4, 'aborted'],
      ['more percent than are allowed', { percent: 10 }, 11, 'aborted'],
    ])('when the file was read: %s', async (_, maxErrors, invalid, state) => {
      const { run, counts, sandbox } = await openPipeline({ place });
      const file = csv([...participants(100 - invalid), ...bad(invalid)]);
      const record = await run(file, { maxErrors });
      expect(record.state).toBe(state);
      const sent = state === 'completed' ? { added: 100 - invalid } : { unprocessed: 100 - invalid };
      expect(counts(record.id)).toMatchObject({ read: 100, invalid, ...sent });
      expect(sandbox.calls.us.requests > 0).toBe(state === 'completed');
      if (state === 'aborted') expect(record.reason).toMatch(/at most \d+/);
    });

    test('while it runs: as soon as there are too many, nothing more is sent', async () => {
      // Batches of 25 with one unknown user in each, one call at a time.
      const users = participants(500).filter((_, index) => index % 25 !== 0);
      const { run, counts, sandbox } = await openPipeline({
        place,
        concurrency: 1,
        sandbox: { users: 0, groups: 1, seed: { users: users.map(({ uid }) => uid) } },
      });
      const record = await run(csv(participants(500, 'group-1')), { maxErrors: { rows: 4 } });
      expect(record).toMatchObject({ state: 'aborted' });
      const { failed, added, unprocessed } = counts(record.id);
      expect(failed).toBeGreaterThan(4);
      expect(record.reason).toBe(`${failed} rows failed, are invalid or unconfirmed; at most 4 may be`);
      expect(unprocessed).toBeGreaterThan(0);
      expect(added + failed + unprocessed).toBe(500);
      expect(sandbox.members('us', 'group-1').size).toBe(added);
      expect(sandbox.calls.us.requests).toBe((added + failed) / 25);
    });
  });

  test('a dry run reads and checks, and resume sends', async () => {
    const { run, coordinator, counts, sandbox } = await openPipeline({ place });
    const { id, state } = await run(csv(ROWS), { dryRun: true });
    expect(state).toBe('staged');
    expect(counts(id)).toMatchObject({ read: 300, unprocessed: 300 });
    expect(sandbox.calls.us.requests).toBe(0);
    await coordinator.resume(id);
    expect((await coordinator.settled(id)).state).toBe('completed');
    expect(counts(id)).toMatchObject({ added: 300 });
  });

  test('waiting for an import that does not exist is an error', async () => {
    const { coordinator } = await openPipeline({ place });
    await expect(coordinator.settled('20260101-000000-abc')).rejects.toThrow(
      expect.objectContaining({ code: 'UNKNOWN_IMPORT' }),
    );
  });

  test('a file that cannot be used is rejected with the reason, and nothing is sent', async () => {
    const { run, sandbox } = await openPipeline({ place });
    const record = await run('region,guid,uid\nus,g,"anna\n');
    expect(record).toMatchObject({ state: 'rejected' });
    expect(record.reason).toContain('quote');
    expect(sandbox.calls.us.requests).toBe(0);
  });

  test('of many batches, few wait in the queue of this process: after a crash all of these are asked about', async () => {
    const door = new Doorkeeper();
    const pipeline = await openPipeline({ place, concurrency: 20, chat: door.chat, regions: ['us'] });
    const rows = Array.from({ length: 300 }, (_, n) => ({ guid: `g${n}`, uid: 'anna' }));
    const id = await pipeline.send(csv(rows));
    await door.until(20);
    const queue = pipeline.openRegions.get('us')?.queue;
    const out = async () => {
      const { waiting = 0, delayed = 0, active = 0 } = (await queue?.depth()) ?? {};
      return waiting + delayed + active;
    };
    await eventually(out).toBeGreaterThan(20 + AHEAD / 2);
    let most = await out();
    for (let calls = 20; calls < 200; calls += 20) {
      door.letIn(20);
      await door.until(calls + 20);
      most = Math.max(most, await out());
    }
    door.open();
    await pipeline.coordinator.settled(id);
    expect(most).toBeLessThanOrEqual(20 + AHEAD);
    expect(pipeline.coordinator.find(id).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ added: 300 });
  });
});

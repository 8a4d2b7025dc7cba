import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isError } from '../../src/errors/rollcall-error.ts';
import { openImportLedger } from '../../src/imports/record/import-ledger.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { csv, eventually, openPipeline, type Pipeline, participants, QUEUE_PLACES } from './pipeline-harness.ts';
import { pausedImport, ROWS, runningImport } from './running-import.ts';

/** Stops while calls are under way, which are given up, and starts again. Nothing but `continueAll` goes on then. */
async function interrupted(pipeline: Pipeline, door: Doorkeeper, again = {}): Promise<void> {
  await pipeline.coordinator.stop(0);
  door.open();
  await pipeline.restart(again);
}

describe.each(QUEUE_PLACES)('on the $name queue, a coordinator that is started again', (place) => {
  test('goes on with every import that was running', async () => {
    const door = new Doorkeeper();
    const pipeline = await openPipeline({ place, concurrency: 2, chat: door.chat });
    const ids = [await pipeline.send(csv(ROWS)), await pipeline.send(csv(participants(300, 'h')))];
    await eventually(() => ids.map((id) => pipeline.coordinator.find(id).state)).toEqual(['running', 'running']);
    await interrupted(pipeline, door);
    expect(await pipeline.coordinator.continueAll()).toEqual([]);
    for (const id of ids) {
      expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
      expect(pipeline.counts(id)).toMatchObject({ read: 300, added: 300 });
    }
    expect(pipeline.sandbox.calls.us.requests).toBe(24);
  });

  test('asks about the batches that a killed process had with its workers, and sends what the group has not', async () => {
    const { id, door, pipeline } = await runningImport(place);
    await pipeline.coordinator.stop(0);
    door.open();
    // As a kill leaves them.
    const ledger = openImportLedger(pipeline.dir.ledger(id));
    ledger.markDispatched(ledger.pendingBatches('us', 2).map((batch) => batch.id));
    ledger.close();
    await pipeline.restart();
    expect(await pipeline.coordinator.continueAll()).toEqual([]);
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ read: 300, added: 300 });
    // Two of them are questions.
    expect(pipeline.sandbox.calls.us.requests).toBe(14);
  });

  test('reads on what was being read, and sends it', async () => {
    const pipeline = await openPipeline({ place });
    const stopped = new Promise<void>((resolve) => {
      pipeline.coordinator.events.once('staging', () => resolve(pipeline.stop()));
    });
    const id = await pipeline.send(csv(participants(6_000)));
    await stopped;
    await pipeline.restart();
    expect(await pipeline.coordinator.continueAll()).toEqual([]);
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ read: 6_000, added: 6_000 });
  });

  test('ends a pause and a cancellation that were under way', async () => {
    for (const [verb, state, unprocessed] of [
      ['pause', 'paused', 300],
      ['cancel', 'cancelled', 300],
    ] as const) {
      const { id, door, coordinator, pipeline } = await runningImport(place);
      await coordinator[verb](id);
      await interrupted(pipeline, door);
      expect(pipeline.coordinator.find(id).state).not.toBe(state);
      expect(await pipeline.coordinator.continueAll()).toEqual([]);
      expect((await pipeline.coordinator.settled(id)).state).toBe(state);
      expect(pipeline.counts(id)).toMatchObject({ read: 300, unprocessed });
      expect(pipeline.sandbox.calls.us.requests).toBe(0);
    }
  });

  test('leaves alone what waits for a person, and what is over', async () => {
    const { id: paused, door, pipeline } = await pausedImport(place);
    door.open();
    const staged = (await pipeline.run(csv(ROWS), { dryRun: true })).id;
    const over = (await pipeline.run(csv(participants(1)))).id;
    const requests = pipeline.sandbox.calls.us.requests;
    await pipeline.stop();
    await pipeline.restart();
    const before = pipeline.states.length;
    expect(await pipeline.coordinator.continueAll()).toEqual([]);
    const states = [paused, staged, over].map((id) => pipeline.coordinator.find(id).state);
    expect(states).toEqual(['paused', 'staged', 'completed']);
    expect(pipeline.states).toHaveLength(before);
    expect(pipeline.sandbox.calls.us.requests).toBe(requests);
  });

  test('does not send to a sandbox what was meant for the service, and says so', async () => {
    const { id, door, pipeline } = await runningImport(place);
    await interrupted(pipeline, door, { asSandbox: true });
    const left = await pipeline.coordinator.continueAll();
    expect(left).toEqual([
      { record: expect.objectContaining({ id }), why: expect.objectContaining({ code: 'WRONG_TARGET' }) },
    ]);
    expect(left[0]?.why.message).toContain(`${id}`);
    await expect(pipeline.coordinator.resume(id)).rejects.toThrow(expect.objectContaining({ code: 'WRONG_TARGET' }));
    expect(pipeline.coordinator.find(id)).toMatchObject({ state: 'blocked', code: 'WRONG_TARGET' });
    expect(pipeline.sandbox.calls.us.requests).toBe(0);
  });

  test('leaves alone an import whose region has lost its app, one whose ledger is damaged fails; the others go on', async () => {
    const door = new Doorkeeper();
    const pipeline = await openPipeline({ place, concurrency: 2, chat: door.chat });
    const { send } = pipeline;
    const eu = await send(csv([{ region: 'eu', guid: 'g', uid: 'anna' }]));
    const damaged = await send(csv(ROWS));
    const well = await send(csv(ROWS));
    await eventually(() => pipeline.states.filter((state) => state === 'running').length).toBe(3);
    await pipeline.coordinator.stop(0);
    door.open();
    for (const ending of ['', '-wal', '-shm']) rmSync(`${pipeline.dir.ledger(damaged)}${ending}`, { force: true });
    writeFileSync(pipeline.dir.ledger(damaged), 'not a database, but long enough to be looked at'.repeat(100));
    await pipeline.restart({ regions: ['us'] });
    const left = await pipeline.coordinator.continueAll();
    expect(left.map(({ record: { id }, why }) => [id, isError(why, 'REGION_WITHOUT_APP')])).toEqual([[eu, true]]);
    expect(pipeline.coordinator.find(damaged)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('is damaged'),
    });
    await expect(pipeline.coordinator.resume(damaged)).rejects.toMatchObject({ code: 'DAMAGED_LEDGER' });
    expect((await pipeline.coordinator.settled(well)).state).toBe('completed');
    expect(pipeline.coordinator.find(eu).state).toBe('running');
  });
});

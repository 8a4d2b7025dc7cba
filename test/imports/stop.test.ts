import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { announceAddress } from '../../src/platform/data-dir.ts';
import { WAIT_MS } from '../hangs.ts';
import { csv, eventually, openPipeline, participants, QUEUE_PLACES } from './pipeline-harness.ts';
import { pausedImport, ROWS, runningImport } from './running-import.ts';

describe.each(QUEUE_PLACES)('on the $name queue', (place) => {
  describe('stop', () => {
    test('in the middle: a new coordinator on the same directory goes on, and each batch is sent once', async () => {
      const pipeline = await runningImport(place);
      const { id, door, pipeline: one } = pipeline;
      const stopped = one.coordinator.stop(WAIT_MS);
      door.open();
      await stopped;
      await one.restart();
      expect(one.coordinator.find(id).state).toBe('running');
      await one.coordinator.resume(id);
      expect((await one.coordinator.settled(id)).state).toBe('completed');
      expect(one.counts(id)).toMatchObject({ read: 300, added: 300 });
      expect(one.sandbox.calls.us.requests).toBe(12);
      expect(one.summary(id).calls).toBe(12);
    });

    test('with calls that never answer: they are given up at the deadline, and a cancellation asks the group about them', async () => {
      const pipeline = await openPipeline({ place, concurrency: 2, sandbox: { faults: 'timeout=2' } });
      const id = await pipeline.send(csv(ROWS));
      await eventually(() => pipeline.sandbox.calls.us.requests).toBe(2);
      await pipeline.coordinator.stop(100);
      await pipeline.restart();
      await pipeline.coordinator.cancel(id);
      expect((await pipeline.coordinator.settled(id)).state).toBe('cancelled');
      expect(pipeline.counts(id)).toMatchObject({ read: 300, unconfirmed: 0, unprocessed: 300 });
      // Rows that were sent say so.
      const codes = pipeline.rows(id).map(({ code }) => code);
      expect(codes.filter((code) => code === 'NO_ANSWER')).toHaveLength(50);
    });

    test('while the file is read: it is read again from its start', async () => {
      const pipeline = await openPipeline({ place, threads: true });
      const stopped = new Promise<void>((resolve) => {
        pipeline.coordinator.events.once('staging', () => resolve(pipeline.stop()));
      });
      const id = await pipeline.send(csv(participants(10_000)), { dryRun: true });
      await stopped;
      await pipeline.restart();
      expect(pipeline.coordinator.find(id).state).toBe('staging');
      await pipeline.coordinator.resume(id);
      expect((await pipeline.coordinator.settled(id)).state).toBe('staged');
      expect(pipeline.counts(id)).toMatchObject({ read: 10_000, unprocessed: 10_000 });
    });

    test('while it is paused: it stays paused', async () => {
      const { id, pipeline } = await pausedImport(place);
      await pipeline.stop();
      await pipeline.restart();
      expect(pipeline.coordinator.find(id).state).toBe('paused');
      await pipeline.coordinator.resume(id);
      expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
      expect(pipeline.counts(id)).toMatchObject({ added: 300 });
    });

    test('a second call waits for the same end', async () => {
      const { coordinator } = await openPipeline({ place });
      expect(coordinator.stop(0)).toBe(coordinator.stop(0));
    });
  });

  test('a data directory has one owner: a second coordinator is refused until the first has stopped', async () => {
    const pipeline = await openPipeline({ place });
    await expect(pipeline.restart()).rejects.toMatchObject({ code: 'DATA_DIR_IN_USE' });
    await pipeline.stop();
    await pipeline.restart();
  });

  test('a server that owns a data directory says where it is, to whoever wants to own it, as long as it does', async () => {
    const pipeline = await openPipeline({ place });
    const url = 'http://127.0.0.1:7700';
    announceAddress(pipeline.dir, url);
    const refusal = await pipeline.restart().catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'DATA_DIR_IN_USE',
      facts: { address: url },
      message: `${pipeline.dir.root} is in use by the rollcall server at ${url}; use it with --server ${url}, or name another directory with --data-dir`,
    });
    await pipeline.stop();
    expect(existsSync(pipeline.dir.address)).toBe(false);
    // Left by one that was killed.
    writeFileSync(pipeline.dir.address, url);
    await pipeline.restart();
    await expect(pipeline.restart()).rejects.toMatchObject({ code: 'DATA_DIR_IN_USE', facts: { address: undefined } });
  });

  test('an import whose reports cannot be written is finished by resume when they can', async () => {
    const { send, coordinator, dir, counts, summary } = await openPipeline({ place });
    const id = await send(csv(ROWS));
    const obstacle = join(dir.folder(id), 'report.csv.part');
    mkdirSync(obstacle);
    expect(await coordinator.settled(id)).toMatchObject({ state: 'failed', code: 'CLOSING_FAILED' });
    expect(coordinator.find(id).reason).toContain('EISDIR');
    rmdirSync(obstacle);
    await coordinator.resume(id);
    expect((await coordinator.settled(id)).state).toBe('completed');
    expect(summary(id).rows).toEqual(counts(id));
  });
});

import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCatalog } from '../../src/imports/catalog.ts';
import { newImportId } from '../../src/imports/import-id.ts';
import { importOptions } from '../../src/imports/import-options.ts';
import { utcTime } from '../../src/text/wording.ts';
import { stopClock } from '../stopped-clock.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { csv, EMBEDDED, eventually, openPipeline, type Pipeline, participants } from './pipeline-harness.ts';
import { runningImport } from './running-import.ts';

/** Makes every statement of this kind fail in an import's ledger, until `undo`. */
function breakLedger({ dir }: Pipeline, id: string, statement: string): () => void {
  const change = (sql: string) => {
    const database = new DatabaseSync(dir.ledger(id), { timeout: 5_000 });
    database.exec(sql);
    database.close();
  };
  change(`create trigger broken before ${statement} begin select raise(abort, 'the test breaks it'); end`);
  return () => change('drop trigger broken');
}

/** Something of another import's life works as ever. */
async function othersGoOn(pipeline: Pipeline): Promise<void> {
  const other = await pipeline.run(csv(participants(30, 'others')));
  expect(other.state).toBe('completed');
  expect(pipeline.failures).toEqual([]);
}

describe('an unexpected error ends the import that met it, and nothing else', () => {
  test('while its input is read: resume reads it again', async () => {
    const pipeline = await openPipeline({ place: EMBEDDED });
    const { coordinator, dir, counts } = pipeline;
    const first = await pipeline.send(csv(participants(60)), { dryRun: true });
    const { source } = await coordinator.settled(first);
    const id = newImportId();
    const obstacle = `${dir.ledger(id)}.part`;
    mkdirSync(join(obstacle, 'in the way'), { recursive: true });
    await coordinator.create({ id, file: source, source, options: importOptions.parse({ region: 'us' }) });
    expect(await coordinator.settled(id)).toMatchObject({
      state: 'failed',
      code: 'READING_FAILED',
      reason: expect.stringMatching(/^READING_FAILED: /),
    });
    await othersGoOn(pipeline);
    rmdirSync(join(obstacle, 'in the way'));
    rmdirSync(obstacle);
    await coordinator.resume(id);
    expect(await coordinator.settled(id)).toMatchObject({ state: 'completed', code: null });
    expect(counts(id)).toMatchObject({ read: 60, added: 60 });
  });

  test('while it is sent: resume sends the rest', async () => {
    const pipeline = await openPipeline({ place: EMBEDDED });
    const { coordinator, counts, sandbox } = pipeline;
    const id = await pipeline.send(csv(participants(300)), { dryRun: true });
    await coordinator.settled(id);
    const repair = breakLedger(pipeline, id, 'update of dispatched_at on batches');
    await coordinator.resume(id);
    expect(await coordinator.settled(id)).toMatchObject({
      state: 'failed',
      code: 'SENDING_FAILED',
      reason: 'SENDING_FAILED: an unexpected error came while it was sent: the test breaks it',
    });
    expect(sandbox.calls.us.requests).toBe(0);
    await othersGoOn(pipeline);
    const before = sandbox.calls.us.requests;
    repair();
    await coordinator.resume(id);
    expect((await coordinator.settled(id)).state).toBe('completed');
    expect(counts(id)).toMatchObject({ added: 300 });
    expect(sandbox.calls.us.requests - before).toBe(12);
  });

  test('while its region is opened: the other regions answer, and resume opens it again', async () => {
    let isBroken = true;
    const pipeline = await openPipeline({
      place: EMBEDDED,
      chat: (chat, region) => {
        if (isBroken && region === 'eu') throw new Error('the test breaks it');
        return chat;
      },
    });
    const { coordinator, counts } = pipeline;
    const id = await pipeline.send(csv(participants(30).map((row) => ({ ...row, region: 'eu' as const }))));
    expect(await coordinator.settled(id)).toMatchObject({ state: 'failed', code: 'SENDING_FAILED' });
    await othersGoOn(pipeline);
    expect((await coordinator.regions.status()).map(({ region }) => region)).toEqual(['us']);
    isBroken = false;
    await coordinator.resume(id);
    expect(await coordinator.settled(id)).toMatchObject({ state: 'completed', code: null });
    expect(counts(id)).toMatchObject({ added: 30 });
  });

  test('while results are recorded: nothing more is sent, and cancel asks about what was called, and ends it', async () => {
    const { pipeline, door, id, coordinator } = await runningImport(EMBEDDED);
    const repair = breakLedger(pipeline, id, 'insert on calls');
    door.open();
    expect(await coordinator.settled(id)).toMatchObject({ state: 'failed', code: 'RECORDING_FAILED' });
    await othersGoOn(pipeline);
    repair();
    await coordinator.cancel(id);
    expect((await coordinator.settled(id)).state).toBe('cancelled');
    const { already_member: found, unprocessed } = pipeline.counts(id);
    expect(found).toBeGreaterThanOrEqual(50);
    expect(found + unprocessed).toBe(300);
    expect(pipeline.summary(id).rows).toMatchObject({ read: 300, already_member: found, unprocessed });
  });

  test('while its reports are written: it can be looked at, and cancel ends it without them if need be', async () => {
    const pipeline = await openPipeline({ place: EMBEDDED });
    const { coordinator, dir, counts } = pipeline;
    const id = await pipeline.send(csv(participants(60)));
    mkdirSync(join(dir.folder(id), 'report.csv.part'));
    expect(await coordinator.settled(id)).toMatchObject({ state: 'failed', code: 'CLOSING_FAILED' });
    expect(counts(id)).toMatchObject({ read: 60, added: 60 });
    await othersGoOn(pipeline);
    await coordinator.resume(id);
    expect(await coordinator.settled(id)).toMatchObject({ state: 'failed', code: 'CLOSING_FAILED' });
    await coordinator.cancel(id);
    expect(await coordinator.settled(id)).toMatchObject({
      state: 'cancelled',
      reason: expect.stringMatching(/CLOSING_FAILED: .*EISDIR/),
    });
  });

  test('and it can be deleted', async () => {
    const pipeline = await openPipeline({ place: EMBEDDED });
    const { coordinator, dir } = pipeline;
    const id = await pipeline.send(csv(participants(60)));
    mkdirSync(join(dir.folder(id), 'report.csv.part'));
    await coordinator.settled(id);
    await coordinator.remove(id);
    expect(() => coordinator.find(id)).toThrow(expect.objectContaining({ code: 'UNKNOWN_IMPORT' }));
  });
});

describe('an import in which the process dies', () => {
  /** Leaves the traces of a process that was killed at work on an import. */
  const die = (pipeline: Pipeline, id: string): void => {
    const catalog = openCatalog(pipeline.dir.catalog);
    catalog.attend(id);
    catalog.close();
  };

  /** The process dies so often without progress, and each time the next one has waited as long as it must. */
  const dieOften = async (pipeline: Pipeline, id: string, times: number): Promise<void> => {
    for (let n = 0; n < times; n += 1) {
      die(pipeline, id);
      await pipeline.restart();
      await pipeline.stop();
    }
  };

  test('twice without progress waits for a minute, says until when, and then continues by itself', async () => {
    const pipeline = await openPipeline({ place: EMBEDDED });
    const id = await pipeline.send(csv(participants(5_000)), { dryRun: true });
    await pipeline.stop();
    await dieOften(pipeline, id, 2);
    const clock = stopClock();
    const until = utcTime(Date.now() + 60_000);
    await pipeline.restart();
    expect(await pipeline.coordinator.continueAll()).toEqual([]);
    const stands = { state: 'blocked', code: 'PROCESS_DIED', reason: expect.stringContaining(`${until}`) };
    await eventually(() => pipeline.coordinator.find(id)).toMatchObject(stands);

    // Another start changes nothing about it.
    clock.pass(40_000);
    await pipeline.stop();
    await pipeline.restart();
    expect(await pipeline.coordinator.continueAll()).toEqual([]);
    expect(pipeline.coordinator.find(id)).toMatchObject(stands);
    clock.pass(20_000);
    const watch = pipeline.coordinator.watchWaits((error) => pipeline.failures.push(error), 5);
    onTestFinished(() => watch.stop());
    await eventually(() => pipeline.coordinator.find(id)).toMatchObject({ state: 'staged', code: 'DRY_RUN' });
    expect(pipeline.sandbox.calls.us.requests).toBe(0);
  });

  test('waits longer each time; after six deaths it is set aside, others go on, and resume tries once more', async () => {
    const pipeline = await openPipeline({ place: EMBEDDED });
    const ids = [];
    for (const guid of ['one', 'two']) ids.push(await pipeline.send(csv(participants(5_000, guid)), { dryRun: true }));
    const [poison = '', other = ''] = ids;
    await pipeline.stop();
    expect(pipeline.states).toEqual(['staging', 'staging']);
    const clock = stopClock();
    await dieOften(pipeline, poison, 1);
    die(pipeline, poison);
    for (const minutes of [1, 2, 4, 8]) {
      await pipeline.restart();
      await pipeline.coordinator.continueAll();
      const reason = expect.stringContaining(`${utcTime(Date.now() + minutes * 60_000)}`);
      await eventually(() => pipeline.coordinator.find(poison)).toMatchObject({ state: 'blocked', reason });
      await pipeline.coordinator.settled(other);
      await pipeline.stop();
      clock.pass(minutes * 60_000);
      // The next one takes it up, and dies of it.
      await pipeline.restart();
      await pipeline.coordinator.continueAll();
      expect(pipeline.coordinator.find(poison).state).toBe('staging');
      await pipeline.stop();
      die(pipeline, poison);
    }
    await pipeline.restart();
    expect(await pipeline.coordinator.continueAll()).toEqual([]);
    expect(pipeline.coordinator.find(poison)).toMatchObject({ state: 'failed', code: 'PROCESS_DIED' });
    expect(pipeline.coordinator.find(other).state).toBe('staged');
    await pipeline.coordinator.resume(poison);
    expect((await pipeline.coordinator.settled(poison)).state).toBe('staged');
  });

  test('is one that was worked on: those that only stood by count nothing', async () => {
    const door = new Doorkeeper();
    const pipeline = await openPipeline({ place: EMBEDDED, concurrency: 1, chat: door.chat });
    const ids: string[] = [];
    for (const guid of ['one', 'two', 'three']) ids.push(await pipeline.send(csv(participants(60, guid))));
    await eventually(() => ids.map((id) => pipeline.coordinator.find(id).state)).toEqual(ids.map(() => 'running'));
    await door.until(1);
    // The view of a new process that finds this one killed.
    const catalog = openCatalog(pipeline.dir.catalog);
    catalog.countDeaths();
    const deaths = ids.map((id) => catalog.deaths(id));
    catalog.close();
    expect(deaths.toSorted()).toEqual([0, 0, 1]);
    door.open();
    for (const id of ids) expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  });

  test('once, or in between makes progress, goes on by itself', async () => {
    const pipeline = await openPipeline({ place: EMBEDDED });
    const id = await pipeline.send(csv(participants(5_000)), { dryRun: true });
    await pipeline.stop();
    die(pipeline, id);
    await pipeline.restart();
    await pipeline.coordinator.continueAll();
    expect((await pipeline.coordinator.settled(id)).state).toBe('staged');
  });

  test('a process that is asked to stop has not died', async () => {
    const pipeline = await openPipeline({ place: EMBEDDED });
    const id = await pipeline.send(csv(participants(5_000)), { dryRun: true });
    for (const _ of [1, 2, 3]) {
      await pipeline.stop();
      await pipeline.restart();
      await pipeline.coordinator.continueAll();
    }
    expect((await pipeline.coordinator.settled(id)).state).toBe('staged');
  });
});

test('a ledger that is complete is never read again, whatever its import says', async () => {
  const pipeline = await openPipeline({ place: EMBEDDED });
  const { coordinator, dir, sandbox } = pipeline;
  const id = await pipeline.send(csv(participants(300)), { dryRun: true });
  await coordinator.settled(id);
  await pipeline.stop();
  // A process that died after the ledger was complete, and before it could say so.
  const catalog = new DatabaseSync(dir.catalog);
  catalog.exec(`update imports set state = 'staging', source = '/nowhere'`);
  catalog.close();
  await pipeline.restart();
  await pipeline.coordinator.continueAll();
  expect((await pipeline.coordinator.settled(id)).state).toBe('staged');
  expect(sandbox.calls.us.requests).toBe(0);
  expect(pipeline.counts(id)).toMatchObject({ read: 300 });
});

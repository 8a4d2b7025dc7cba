import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { csv, EMBEDDED, eventually, openPipeline, participants } from './pipeline-harness.ts';
import { runningImport } from './running-import.ts';

/** Another program holds a database of the data directory, as `sqlite3` with an open transaction does. */
function hold(path: string): () => void {
  const database = new DatabaseSync(path);
  database.exec('begin exclusive');
  let isHeld = true;
  const letGo = () => {
    if (isHeld) database.exec('rollback');
    if (isHeld) database.close();
    isHeld = false;
  };
  onTestFinished(letGo);
  return letGo;
}

test('an import whose ledger is held waits, says for which file, and continues by itself', async () => {
  const { pipeline, coordinator, door, id } = await runningImport(EMBEDDED);
  const watch = coordinator.watchWaits((error) => pipeline.failures.push(error), 10);
  onTestFinished(() => watch.stop());
  const letGo = hold(pipeline.dir.ledger(id));
  door.open();
  await eventually(() => coordinator.find(id)).toMatchObject({
    state: 'blocked',
    code: 'DATABASE_BUSY',
    reason: `another program holds ${pipeline.dir.ledger(id)}, such as sqlite3, a backup or an antivirus`,
  });
  letGo();
  await eventually(() => coordinator.find(id).state).toBe('completed');
  expect(pipeline.states).not.toContain('failed');
  const { added, already_member, read } = pipeline.counts(id);
  expect([read, added + already_member]).toEqual([300, 300]);
});

test('where nobody watches, it goes on as soon as the ledger is free, and is never blocked', async () => {
  const { pipeline, coordinator, door, id } = await runningImport(EMBEDDED);
  const letGo = hold(pipeline.dir.ledger(id));
  door.open();
  await eventually(() => pipeline.waits).toEqual([expect.stringMatching(/ledger\.sqlite/)]);
  letGo();
  expect((await coordinator.settled(id)).state).toBe('completed');
  expect(pipeline.states).not.toContain('blocked');
});

test('a held catalog refuses a new import, delays the moves of one that runs, and fails none', async () => {
  const { pipeline, coordinator, door, id } = await runningImport(EMBEDDED);
  const letGo = hold(pipeline.dir.catalog);
  const file = csv(participants(30, 'other'));
  await expect(pipeline.send(file)).rejects.toMatchObject({
    code: 'DATABASE_BUSY',
    facts: { path: pipeline.dir.catalog },
  });
  door.open();
  await eventually(() => pipeline.waits.length).toBeGreaterThan(0);
  letGo();
  expect((await coordinator.settled(id)).state).toBe('completed');
  expect((await pipeline.run(file)).state).toBe('completed');
  expect(pipeline.states).not.toContain('failed');
});

test('what is only to be read does not start by itself after such a wait', async () => {
  const pipeline = await openPipeline({ place: EMBEDDED });
  const { coordinator } = pipeline;
  let letGo = () => {};
  coordinator.events.once('staging', () => {
    letGo = hold(pipeline.dir.catalog);
  });
  const id = await pipeline.send(csv(participants(6_000)), {}, { start: false });
  await eventually(() => pipeline.waits.length).toBeGreaterThan(0);
  letGo();
  await eventually(() => coordinator.find(id).state).toBe('staged');
  expect(pipeline.sandbox.calls.us.requests).toBe(0);
});

test('a coordinator waits for the catalog when it starts', async () => {
  const pipeline = await openPipeline({ place: EMBEDDED });
  await pipeline.stop();
  const letGo = hold(pipeline.dir.catalog);
  const restarted = pipeline.restart();
  await eventually(() => pipeline.waits.length).toBeGreaterThan(0);
  letGo();
  await restarted;
  expect((await pipeline.run(csv(participants(30)))).state).toBe('completed');
});

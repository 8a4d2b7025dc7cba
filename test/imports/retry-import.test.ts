import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readOptions } from '../../src/imports/import-options.ts';
import { csv, EMBEDDED, openPipeline, type Pipeline, participants } from './pipeline-harness.ts';
import { runningImport } from './running-import.ts';

/** Imports 50 rows for a known and an unknown group, of which half fail. */
async function halfFailed(options = {}): Promise<{ pipeline: Pipeline; id: string }> {
  const pipeline = await openPipeline({ place: EMBEDDED, sandbox: { groups: 1 } });
  const { id } = await pipeline.run(csv([...participants(25, 'group-1'), ...participants(25, 'lost')]), options);
  expect(pipeline.counts(id)).toMatchObject({ added: 25, failed: 25 });
  return { pipeline, id };
}

test('a retry is an import of its own of the rows that failed, read as the first one was', async () => {
  const { pipeline, id } = await halfFailed({ guid: 'ignored', encoding: 'utf-8' });
  const { coordinator } = pipeline;
  const again = await coordinator.settled(await coordinator.retry(id));
  expect(again).toMatchObject({ state: 'completed', retryOf: id });
  expect(again.id).not.toBe(id);
  // By a name that one knows, and never by a path on the server.
  expect(again.file).toMatch(/^[^/]+-retry\.csv$/);
  const third = await coordinator.settled(await coordinator.retry(again.id));
  expect(third.file).toBe(again.file);
  const { encoding, ...first } = readOptions(coordinator.find(id));
  expect(readOptions(again)).toEqual({ ...first, format: 'csv' });
  expect(pipeline.rows(again.id).map(({ uid, guid }) => [uid, guid])).toEqual(
    participants(25, 'lost').map(({ uid, guid }) => [uid, guid]),
  );
});

test('a retry may have another bound on errors', async () => {
  const { pipeline, id } = await halfFailed({ maxErrors: { rows: 40 } });
  const { coordinator } = pipeline;
  const options = async (changes: Parameters<typeof coordinator.retry>[1]) =>
    readOptions(coordinator.find(await coordinator.retry(id, changes)));
  expect((await options({ maxErrors: { percent: 5 } })).maxErrors).toEqual({ percent: 5 });
  expect((await options({})).maxErrors).toBeUndefined();
});

test('a retry has its input for itself: it goes on when the import before it is removed', async () => {
  const { pipeline, id } = await halfFailed();
  const { coordinator } = pipeline;
  const again = await coordinator.retry(id);
  await coordinator.remove(id);
  expect(existsSync(pipeline.dir.folder(id))).toBe(false);
  expect(await coordinator.settled(again)).toMatchObject({ state: 'completed', retryOf: null });
  expect(pipeline.counts(again)).toMatchObject({ read: 25, failed: 25 });
});

test('an import that is not over is not retried, nor one that left nothing to send again', async () => {
  const { id, coordinator, door, dir } = await runningImport(EMBEDDED);
  await expect(coordinator.retry(id)).rejects.toMatchObject({
    code: 'WRONG_STATE',
    message: `import ${id} is running and cannot be retried before it has finished; possible now: pause, cancel`,
  });
  door.open();
  await coordinator.settled(id);
  await expect(coordinator.retry(id)).rejects.toMatchObject({
    code: 'NOTHING_TO_SEND',
    facts: { possible: ['delete'] },
  });
  expect(existsSync(dir.folder(id))).toBe(true);
});

test('what was meant for the service is not retried in the sandbox', async () => {
  const { pipeline, id } = await halfFailed();
  await pipeline.stop();
  await pipeline.restart({ asSandbox: true });
  await expect(pipeline.coordinator.retry(id)).rejects.toThrow(expect.objectContaining({ code: 'WRONG_TARGET' }));
});

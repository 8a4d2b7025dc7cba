import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { importOptions } from '../../src/imports/import-options.ts';
import { tempDir } from '../temp-dir.ts';
import { csv, EMBEDDED, openPipeline, type Pipeline, participants } from './pipeline-harness.ts';

/** An import whose input comes through a pipe, as slowly as the test wants: as long as it is not ended, it is read. */
async function slowImport({
  coordinator,
}: Pipeline): Promise<{ id: string; write(text: string): Promise<unknown>; end(): Promise<void> }> {
  const source = join(tempDir(), 'pipe');
  execFileSync('mkfifo', [source]);
  const id = await coordinator.create({ file: source, source, options: importOptions.parse({ region: 'us' }) });
  // Opens when someone reads it: the import is being read from here on.
  const pipe = await open(source, 'w');
  let ended = false;
  const end = async () => {
    if (!ended) await pipe.close();
    ended = true;
  };
  onTestFinished(end);
  return { id, write: (text) => pipe.write(text), end };
}

test('a small file waits for none that is read before it, and a pipe may take its time', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const pipeline = await openPipeline({ place: EMBEDDED, threads: true });
  const { coordinator, counts } = pipeline;
  const slow = [await slowImport(pipeline), await slowImport(pipeline)];
  for (const [index, { write }] of slow.entries()) await write(csv(participants(100, `slow-${index}`)));
  const small = await pipeline.run(csv(participants(30, 'small')));
  expect(small.state).toBe('completed');
  vi.advanceTimersByTime(11 * 60_000);
  for (const { id, end } of slow) {
    expect(coordinator.find(id).state).toBe('staging');
    await end();
    expect((await coordinator.settled(id)).state).toBe('completed');
    expect(counts(id)).toMatchObject({ read: 100, added: 100 });
  }
});

test('a stop begins to read nothing more, and all of it is read when the process is started again', async () => {
  const pipeline = await openPipeline({ place: EMBEDDED, threads: true });
  const ids = [];
  for (let n = 0; n < 5; n += 1) ids.push(await pipeline.send(csv(participants(50, `g${n}`))));
  await pipeline.stop();
  await pipeline.restart();
  expect(await pipeline.coordinator.continueAll()).toEqual([]);
  for (const id of ids) {
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ added: 50 });
  }
  expect(pipeline.sandbox.calls.us.requests).toBe(5 * 2);
});

import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { importOptions } from '../../src/imports/import-options.ts';
import { tempDir } from '../temp-dir.ts';
import { EMBEDDED, eventually, openPipeline } from './pipeline-harness.ts';

/** An input that takes many minutes to read, and never gives its thread a moment to look up: a gigabyte of line ends. */
async function endlessImport() {
  const pipeline = await openPipeline({ place: EMBEDDED, threads: true });
  const source = join(tempDir(), 'endless.csv.gz');
  const piece = gzipSync('\n'.repeat(8_000_000));
  // More rows than are written at once when all are read: the ledger is begun while the rest is read.
  appendFileSync(source, gzipSync(`guid,uid\n${'choir,somebody-with-a-long-name\n'.repeat(20_000)}`));
  for (let n = 0; n < 128; n += 1) appendFileSync(source, piece);
  // Its bounds are raised, or it would be refused after its first megabytes and not have to be stopped.
  const options = importOptions.parse({ region: 'us', bounds: { expansion: 2_000 } });
  const id = await pipeline.coordinator.create({ file: source, source, options });
  await eventually(() => existsSync(`${pipeline.dir.ledger(id)}.part`)).toBe(true);
  return { pipeline, id };
}

test('a file that is being unpacked is cancelled at once, and nothing of it is left', async () => {
  const { pipeline, id } = await endlessImport();
  expect(pipeline.coordinator.find(id).state).toBe('staging');
  expect(await pipeline.coordinator.cancel(id)).toMatchObject({ state: 'cancelled' });
  expect(pipeline.states).toEqual(['staging', 'cancelled']);
  expect(existsSync(`${pipeline.dir.ledger(id)}.part`)).toBe(false);
});

test('a process that is asked to stop while a file is unpacked stops at once; the import is read again when asked for', async () => {
  const { pipeline, id } = await endlessImport();
  await pipeline.stop();
  await pipeline.restart();
  expect(pipeline.coordinator.find(id).state).toBe('staging');
  await pipeline.coordinator.resume(id);
  await pipeline.coordinator.cancel(id);
});

test('a file that stands still ends its import with a code, and leaves its place to others', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { pipeline, id } = await endlessImport();
  // Ten minutes without a message of the thread.
  vi.advanceTimersByTime(10 * 60_000);
  expect(await pipeline.coordinator.settled(id)).toMatchObject({ state: 'rejected', code: 'READING_STALLED' });
  expect(existsSync(`${pipeline.dir.ledger(id)}.part`)).toBe(false);
  expect(await pipeline.run('uid,guid\nann,choir\n')).toMatchObject({ state: 'completed' });
});

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { csv, openPipeline, participants, QUEUE_PLACES } from './pipeline-harness.ts';

/** Bytes that a file or folder takes on a disk with blocks of 4 KiB. */
const blocksOf = (path: string) => Math.ceil(statSync(path).size / 4_096) * 4_096;

test.each(QUEUE_PLACES)('the folder of an import of 20 rows takes at most 40 kB ($name)', async (place) => {
  const pipeline = await openPipeline({ place });
  const { id, state } = await pipeline.run(csv(participants(20)));
  expect(state).toBe('completed');
  await pipeline.stop();
  const folder = pipeline.dir.folder(id);
  const sizes = ['.', ...readdirSync(folder)].map((name) => blocksOf(join(folder, name)));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(40 * 1_024);
});

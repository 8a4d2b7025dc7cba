import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { csv, openPipeline, participants, QUEUE_PLACES } from './pipeline-harness.ts';

test.each(QUEUE_PLACES)('all files of an import of 20 rows take at most 40 kB ($name)', async (place) => {
  const pipeline = await openPipeline({ place });
  const { id, state } = await pipeline.run(csv(participants(20)));
  expect(state).toBe('completed');
  await pipeline.stop();
  const folder = pipeline.dir.folder(id);
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(40_000);
});

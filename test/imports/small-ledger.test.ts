import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { csv, openPipeline, participants, QUEUE_PLACES } from './pipeline-harness.ts';

test.each(QUEUE_PLACES)('the ledger of an import of 20 rows takes at most 40 kB ($name)', async (place) => {
  const pipeline = await openPipeline({ place });
  const { id, state } = await pipeline.run(csv(participants(20)));
  expect(state).toBe('completed');
  await pipeline.stop();
  expect(statSync(pipeline.dir.ledger(id)).size).toBeLessThanOrEqual(40_000);
});

import { expect, test } from 'vitest';
import { csv, openPipeline, type Pipeline, participants, QUEUE_PLACES } from './pipeline-harness.ts';

/** Enough for the withdrawal of what is queued to meet the closing of the ledger: it did in every fourth. */
const IMPORTS = 8;

test.each(QUEUE_PLACES)('a pause that comes with the last answer disturbs nothing ($name)', async (place) => {
  let current: { pipeline: Pipeline; id: string } | undefined;
  const pauses: Promise<unknown>[] = [];
  const pipeline = await openPipeline({
    place,
    chat: (chat) => ({
      ...chat,
      addMembers: async (...call) => {
        const reply = await chat.addMembers(...call);
        // Refused where the import is over already.
        if (current !== undefined) pauses.push(current.pipeline.coordinator.pause(current.id).catch(() => {}));
        return reply;
      },
    }),
  });
  for (let number = 0; number < IMPORTS; number += 1) {
    const id = await pipeline.send(csv(participants(30, `g${number}`)));
    current = { pipeline, id };
    while ((await pipeline.coordinator.settled(id)).state !== 'completed') await pipeline.coordinator.resume(id);
    expect(pipeline.counts(id)).toMatchObject({ read: 30, added: 30 });
  }
  await Promise.all(pauses);
  expect(pauses.length).toBeGreaterThanOrEqual(IMPORTS);
  expect(pipeline.failures).toEqual([]);
});

import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { csv, eventually, openPipeline, participants } from '../imports/pipeline-harness.ts';
import { startRedis } from '../servers/redis.ts';
import { placeIn } from './places.ts';
import { ServiceJournal } from './service-journal.ts';

test('what was sent since the snapshot with which Redis starts again is asked about, and nobody is sent twice', async () => {
  const server = await startRedis({ aof: false });
  onTestFinished(() => server.stop());
  const journal = new ServiceJournal();
  const { door, sent } = journal;
  const pipeline = await openPipeline({ place: placeIn(() => server), concurrency: 2, chat: journal.chat });
  onTestFinished(() => {
    pipeline.failures.length = 0;
  });
  const id = await pipeline.send(csv(participants(500)));
  await door.until(2);
  const redis = new Redis(server.url);
  await redis.save();
  redis.disconnect();
  for (const calls of [4, 6, 8]) {
    door.letIn(2);
    await door.until(calls);
  }
  await eventually(() => pipeline.counts(id).added).toBe(150);
  await server.kill();
  door.open();
  await eventually(() => sent.length).toBe(200);
  await server.start();
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(journal.repeated).toEqual([]);
  expect(sent.length).toBe(500);
  const { added, already_member: already } = pipeline.counts(id);
  expect(added + already).toBe(500);
});

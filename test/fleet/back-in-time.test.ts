import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { openBackend } from '../../src/queue/open-backend.ts';
import { csv, eventually, openPipeline, participants } from '../imports/pipeline-harness.ts';
import { Journal } from '../queue/journal.ts';
import { errand, type Note, notes } from '../queue/queue-harness.ts';
import { startRedis, startRedisProgram } from '../servers/redis.ts';
import { placeIn } from './places.ts';
import { ServiceJournal } from './service-journal.ts';

/** Puts all keys of a running server back, as when its machine is set back to a snapshot; connections do not survive that. */
async function setBack(url: string): Promise<() => Promise<void>> {
  const redis = new Redis(url);
  onTestFinished(() => redis.disconnect());
  redis.on('error', () => {});
  const beats = async () => {
    const [flow = ''] = await redis.keys('*add-members-us-*:flow');
    return Number(await redis.hget(flow, 'beats'));
  };
  const before = await beats();
  const kept = await Promise.all(
    (await redis.keys('*')).map(async (key) => [key, await redis.pttl(key), await redis.dumpBuffer(key)] as const),
  );
  return async () => {
    // It counts a few times a second.
    await expect.poll(beats).toBeGreaterThan(before + 1);
    const all = redis.multi().flushall();
    for (const [key, ms, value] of kept) if (value !== null) all.restore(key, Math.max(0, ms), value);
    await all.exec();
    await redis.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    redis.disconnect();
  };
}

test.each(['starts again with its snapshot', 'is set back while it runs'])(
  'what was sent in a time that Redis has forgotten is asked about, and nobody is sent twice: it %s',
  async (how) => {
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
    const back = await setBack(server.url);
    for (const calls of [4, 6, 8]) {
      door.letIn(2);
      await door.until(calls);
    }
    await eventually(() => pipeline.counts(id).added).toBe(150);
    if (how === 'is set back while it runs') {
      await back();
      door.open();
    } else {
      await server.kill();
      door.open();
      await eventually(() => sent.length).toBe(200);
      await server.start();
    }
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(journal.repeated).toEqual([]);
    expect(sent.length).toBe(500);
    const { added, already_member: already } = pipeline.counts(id);
    expect(added + already).toBe(500);
  },
);

test('a replica that takes the place of its master is another history: a job that it has from there counts as begun', async () => {
  const master = await startRedisProgram();
  onTestFinished(() => master.stop());
  const { port } = new URL(master.url);
  const replica = await startRedisProgram({ settings: { replicaof: `127.0.0.1 ${port}` } });
  onTestFinished(() => replica.stop());
  const before = await openBackend(master.url);
  await before.openQueue<Note>('errands', { name: 'errand', attempts: 1 }, () => {}).add(notes('old'));
  const follows = new Redis(master.url);
  await follows.wait(1, 0);
  follows.disconnect();
  await before.close();
  // A process may have found the replica before its time.
  const backend = await openBackend(replica.url);
  onTestFinished(() => backend.close());
  const queue = backend.openQueue<Note>('errands', { name: 'errand', attempts: 1 }, () => {});
  const adding = queue.add(notes('new'));
  await expect.poll(() => queue.depth()).toMatchObject({ waiting: 1 });
  await master.kill();
  const redis = new Redis(replica.url);
  await redis.replicaof('NO', 'ONE');
  redis.disconnect();
  await adding;
  await queue.add(notes('newer'));
  const runs = new Journal<readonly [id: string, starts: number]>();
  const worker = backend.startWorker({
    queue,
    definitions: [errand(async ({ id, starts }) => runs.note([id, starts]))],
    ports: undefined,
    concurrency: 1,
    onError: () => {},
  });
  const [[, old] = [], , newer] = await runs.until(3);
  expect([old, newer]).toEqual([2, ['newer', 1]]);
  await worker.close();
  await queue.close();
});

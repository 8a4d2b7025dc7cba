import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { csv, openPipeline, participants } from '../imports/pipeline-harness.ts';
import { startRedis } from '../servers/redis.ts';
import { placeIn } from './places.ts';
import { ServiceJournal } from './service-journal.ts';

/** An import of so many members on a Redis of its own, two calls of which wait for the journal's door. */
async function sending(members: number) {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  const journal = new ServiceJournal();
  const pipeline = await openPipeline({ place: placeIn(() => server), concurrency: 2, chat: journal.chat });
  const id = await pipeline.send(csv(participants(members)));
  await journal.door.until(2);
  return { redis, journal, pipeline, id };
}

test('batches whose jobs Redis loses or another program damages are sent all the same, nobody twice', async () => {
  const { redis, journal, pipeline, id } = await sending(400);
  const keys = (await redis.keys(`*:${id}-*`)).filter((key) => !key.endsWith(':lock'));
  const base = keys[0]?.replace(/[^:]*$/, '') ?? '';
  const idle = await redis.zrange(`${base}prioritized`, '0', '-1');
  expect(idle.length).toBe(14);
  const damages = [
    (key: string) => redis.del(key),
    (key: string) => redis.hdel(key, 'name', 'data'),
    (key: string) => redis.hset(key, 'data', '{}'),
    (key: string) => redis.hset(key, 'data', '{"version":99}'),
    (key: string) => redis.hset(key, 'data', 'null'),
    (key: string) => redis.hset(key, 'name', 'of-another-program'),
    (key: string) => redis.hset(key, 'opts', 'not json'),
    (key: string) => redis.hset(key, 'ats', 'NaN'),
    (key: string) => redis.set(key, 'text'),
    (key: string) => redis.zrem(`${base}prioritized`, key.slice(base.length)),
  ];
  await Promise.all(damages.map((damage, at) => damage(`${base}${idle[at]}`)));
  journal.door.open();
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(pipeline.counts(id)).toMatchObject({ added: 400 });
  expect([journal.sent.length, journal.repeated]).toEqual([400, []]);
  // Each is said.
  expect(pipeline.failures.map(({ message }) => message.replace(/^job \S+ /, ''))).toEqual(
    expect.arrayContaining([
      'is lost: Redis has no payload of it any more',
      expect.stringMatching(/^was set aside: its payload cannot be read/),
      'was set aside: its field opts cannot be read',
      'was set aside: its key holds something else',
    ]),
  );
  pipeline.failures.length = 0;
});

test('an import goes on when Redis drops whatever it has to, and has memory again', async () => {
  const { redis, journal, pipeline, id } = await sending(1_000);
  const all = await redis.dbsize();
  await redis.config('SET', 'maxmemory-policy', 'allkeys-random');
  await redis.config('SET', 'maxmemory', '1');
  // Keys are dropped by what writes.
  await expect
    .poll(() =>
      redis
        .set('a', 'b')
        .catch(() => '')
        .then(() => redis.dbsize()),
    )
    .toBeLessThan(all / 2);
  await redis.config('SET', 'maxmemory', '0');
  journal.door.open();
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  const { added, already_member: already } = pipeline.counts(id);
  expect([added + already, journal.repeated]).toEqual([1_000, []]);
  pipeline.failures.length = 0;
});

test.each(['outcomes', 'answers', 'add-members-us', 'lists-us'])(
  'damaged jobs in the queue of %s hold up no import',
  async (queue) => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const redis = new Redis(server.url);
    onTestFinished(() => redis.disconnect());
    const pipeline = await openPipeline({ place: placeIn(() => server) });
    expect((await pipeline.run(csv(participants(30, 'first')))).state).toBe('completed');
    const [meta = ''] = await redis.keys(`*:${queue}-*:meta`);
    const base = meta.replace(/meta$/, '');
    const sound = { name: 'any', data: '{"version":1}', opts: '{}', timestamp: '1', delay: '0', priority: '0' };
    const damages = ['opts', 'progress', 'parent', 'atm', 'ats', 'data', 'stc', 'rjk', 'timestamp'];
    for (const field of damages) {
      await redis.hset(`${base}stray-${field}`, { ...sound, [field]: 'not json' });
      await redis.rpush(`${base}wait`, `stray-${field}`);
    }
    await redis.zadd(`${base}marker`, 0, '0');
    expect((await pipeline.run(csv(participants(30, 'second')))).state).toBe('completed');
    await expect
      .poll(() => redis.hkeys(`${base}set-aside`).then((ids) => ids.toSorted()))
      .toEqual(damages.map((field) => `stray-${field}`).toSorted());
    pipeline.failures.length = 0;
  },
);

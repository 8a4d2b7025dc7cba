import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { checkQueue, openBackend } from '../../src/queue/open-backend.ts';
import { Journal } from '../queue/journal.ts';
import { errand, notes, openOffice } from '../queue/queue-harness.ts';
import { startRedis } from '../servers/redis.ts';

test('a job in Redis that is not JSON is set aside, where doctor finds it, and the jobs behind it run', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const backend = await openBackend(server.url);
  onTestFinished(() => backend.close());
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  const { queue, work, givenUp } = openOffice(backend);
  const errands = queue();
  await errands.add(notes('broken', 'good'));
  const [key = ''] = await redis.keys('*:broken');
  await redis.hset(key, 'data', 'not json');
  const ran = new Journal<string>();
  work(
    errands,
    errand(async ({ id }) => ran.note(id)),
  );
  expect(await ran.until(1)).toEqual(['good']);
  await expect.poll(() => errands.depth()).toEqual({ waiting: 0, delayed: 0, active: 0, setAside: 1 });
  expect(await redis.hget(key, 'data')).toBe('not json');
  const risks = await checkQueue(server.url);
  expect(risks.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(
      /^1 job in the queue cannot be read, such as ".*:broken" \(its payload cannot be read: .+\); see which/,
    ),
  );
  // The line of the log: once, with the reason once.
  await expect
    .poll(() => givenUp)
    .toEqual([
      expect.stringMatching(/^job broken \(errand\) was given up: its payload cannot be read: (?!.*cannot be read)/),
    ]);
});

test('a job in Redis that is not JSON has its priority, and is left to a worker when the jobs around it are withdrawn', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const backend = await openBackend(server.url);
  onTestFinished(() => backend.close());
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  const errands = openOffice(backend).queue();
  await errands.add(notes('broken', 'good').map((job) => ({ ...job, priority: 3 })));
  const [key = ''] = await redis.keys('*:broken');
  await redis.hset(key, 'data', 'not json');
  expect(await errands.firstPriority()).toBe(3);
  expect((await errands.withdraw(() => true)).map(({ id }) => id)).toEqual(['good']);
  expect(await errands.depth()).toEqual({ waiting: 1, delayed: 0, active: 0, setAside: 0 });
});

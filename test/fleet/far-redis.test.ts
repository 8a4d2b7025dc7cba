import { Queue } from 'bullmq';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { prefixOf } from '../../src/queue/bull-backend.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { parseQueueAddress } from '../../src/queue/queue-address.ts';
import { startProxy } from '../campaign/proxy.ts';
import { Journal } from '../queue/journal.ts';
import { errand, notes, openOffice } from '../queue/queue-harness.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

/** A queue that is reached through a slow network. */
async function openFar(delayMs: number) {
  const proxy = await startProxy(Number(new URL(server.url).port), delayMs);
  const far = await openBackend(`redis://127.0.0.1:${proxy.port}`);
  onTestFinished(async () => {
    await far.close();
    await proxy.close();
  });
  return openOffice(far);
}

test('a worker begins the jobs that it has, and does not hold on to them while it fetches more', async () => {
  const { queue, work } = await openFar(20);
  const errands = queue();
  const connection = { url: server.url };
  const nearby = new Queue(errands.name, {
    connection,
    prefix: prefixOf(parseQueueAddress(server.url), errands.name),
  });
  onTestFinished(() => nearby.close());
  // The first question waits for its connection.
  await nearby.getJobCounts('active');
  await errands.add(notes(...Array.from({ length: 60 }, (_, n) => `job ${n}`)));
  const taken = new Journal<number>();
  work(
    errands,
    errand(async () => taken.note((await nearby.getJobCounts('active'))['active'] ?? 0)),
    50,
  );
  const [first] = await taken.until(60);
  // It would have taken all fifty before the first one began.
  expect(first).toBeLessThan(20);
});

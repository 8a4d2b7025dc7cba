import { expect, onTestFinished, test, vi } from 'vitest';
import { openResultQueues } from '../../src/imports/send/result-queues.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { startTestServer } from '../server/test-server.ts';
import { startRedis } from '../servers/redis.ts';

test('results that wait for a minute without one being taken are noticed, and it is over when they are gone', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const backend = await openBackend(server.url);
  onTestFinished(() => backend.close());
  const results = openResultQueues(backend, 'me', () => {});
  onTestFinished(() => results?.close(1_000));
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());

  expect(await results?.areTaken()).toBe(true);
  await results?.outcomes.add([{ id: 'r1', payload: { version: 1, importId: 'i', results: [] } as never }]);
  expect(await results?.areTaken()).toBe(true);
  vi.setSystemTime(Date.now() + 59_000);
  expect(await results?.areTaken()).toBe(true);
  vi.setSystemTime(Date.now() + 2_000);
  expect(await results?.areTaken()).toBe(false);
  await results?.outcomes.withdraw(() => true);
  expect(await results?.areTaken()).toBe(true);
});

test('a server whose results are not taken is not ready, and says what to look at', async () => {
  const server = await startTestServer();
  onTestFinished(() => server.close());
  expect((await server.fetch('/readyz')).status).toBe(200);
  server.coordinator.results.areTaken = async () => false;
  expect(await server.problem('/readyz')).toMatchObject({
    status: 503,
    code: 'BUSY',
    detail: 'Results wait in the queue, and none was taken for a minute.',
    remedy: expect.stringContaining('the server'),
  });
});

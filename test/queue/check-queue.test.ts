import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkQueue, openBackend } from '../../src/queue/open-backend.ts';
import { type RedisConnection, risksOf } from '../../src/queue/redis.ts';
import { startRedis } from '../servers/redis.ts';

test.each([
  ['redis', 5, 'it did not answer within 5 s'],
  ['redis+sentinel', 4, 'All sentinels are unreachable'],
])('a server that never answers is given up, and its connection ends: %s, after %i s', async (scheme, seconds, why) => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const connected = once(server, 'connection');
  const checked = expect(checkQueue(`${scheme}://127.0.0.1:${port}/0`)).rejects.toThrow(why);
  const [socket] = (await connected) as [Socket];
  const closed = once(socket.resume(), 'close');
  await vi.advanceTimersByTimeAsync(seconds * 1_000);
  await checked;
  await closed;
});

test('a database that the server does not have is refused: jobs would go into database 0', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const refused = { code: 'BAD_QUEUE_ADDRESS', message: expect.stringContaining('database 99') };
  await expect(checkQueue(`${server.url}/99`)).rejects.toMatchObject(refused);
  const backend = await openBackend(`${server.url}/99`);
  onTestFinished(() => backend.close());
  await expect(backend.warnings()).rejects.toMatchObject(refused);
  expect(await checkQueue(`${server.url}/3`)).toEqual([]);
});

test.each([
  ['an old server', 'redis_version:6.0.16\nmaxmemory_policy:noeviction', [true]],
  ['the oldest that will do', 'redis_version:6.2.0\nmaxmemory_policy:noeviction\naof_enabled:1', []],
  ['Valkey, which says an old version of Redis too', 'redis_version:6.0.0\nvalkey_version:8.1.0', []],
  ['one that drops keys', 'redis_version:7.2.4\nmaxmemory_policy:allkeys-lru', [true]],
  ['one with snapshots alone', 'redis_version:7.2.4\naof_enabled:0\nrdb_last_save_time:1', [false]],
])('the risks of a server, severe or not: %s', async (_server, info, severe) => {
  const risks = await risksOf({ info: async () => info } as unknown as RedisConnection, { db: 0 });
  expect(risks.map((risk) => risk.severe)).toEqual(severe);
});

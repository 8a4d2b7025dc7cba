import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { openBackend } from '../../src/queue/open-backend.ts';
import { startProxy } from '../campaign/proxy.ts';
import { eventually } from '../eventually.ts';
import { Doorkeeper } from '../imports/doorkeeper.ts';
import { csv, openPipeline, participants } from '../imports/pipeline-harness.ts';
import { startRedis } from '../servers/redis.ts';
import { haveSentinel, startSentinels } from '../servers/sentinel.ts';

/** A server behind a proxy, and its address there. */
async function behindProxy(scheme: 'redis' | 'redis+cluster' | 'redis+sentinel') {
  const server = await startRedis(scheme === 'redis+cluster' ? { settings: { 'cluster-enabled': 'yes' } } : {});
  onTestFinished(() => server.stop());
  const proxy = await startProxy(Number(new URL(server.url).port));
  onTestFinished(() => proxy.close());
  if (scheme === 'redis+cluster') {
    const redis = new Redis(server.url);
    await redis.config('SET', 'cluster-announce-ip', '127.0.0.1');
    await redis.config('SET', 'cluster-announce-port', proxy.port);
    await redis.call('cluster', 'addslotsrange', 0, 16383);
    await eventually(() => redis.call('cluster', 'info')).toContain('cluster_state:ok');
    redis.disconnect();
  }
  if (scheme === 'redis+sentinel') {
    const sentinel = await startSentinels(proxy.port);
    onTestFinished(() => sentinel.stop());
    return { proxy, url: sentinel.url };
  }
  return { proxy, url: `${scheme}://127.0.0.1:${proxy.port}` };
}

/** Real deadlines: a connection that owes an answer counts as lost after 15 s. */
test.each([
  ['redis', 'client'],
  ['redis', 'server'],
  ['redis', 'both'],
  ['redis+cluster', 'both'],
  ['redis+sentinel', 'both'],
] as const)(
  'an import over %s says so and goes on when a firewall swallows what the open connections carry, from: %s',
  async (scheme, side) => {
    if (scheme === 'redis+sentinel' && !haveSentinel()) return;
    const { proxy, url } = await behindProxy(scheme);
    const door = new Doorkeeper();
    const said: string[] = [];
    const place = { name: scheme, open: () => openBackend(url, ({ message }) => said.push(message)) };
    const pipeline = await openPipeline({ place, concurrency: 2, chat: door.chat });
    const id = await pipeline.send(csv(participants(300)));
    await door.until(2);
    proxy.swallow(side);
    door.open();
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    const { added, already_member: already } = pipeline.counts(id);
    expect(added + already).toBe(300);
    // The queue's reports in the meantime are no failures of the import.
    pipeline.failures.length = 0;
    expect(said).toContainEqual(expect.stringContaining('Socket timeout'));
  },
);

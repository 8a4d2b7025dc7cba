import { writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findProgram, programOf } from './needs.ts';
import { freePort, startServerProgram } from './program.ts';
import { startRedisProgram } from './redis.ts';
import type { TestServer } from './server.ts';

const LOOK_MS = 100;
/** Time that a master is silent before its sentinels choose another one, in ms. */
const DOWN_MS = 2_000;

/** Sentinels and their servers are programs of this machine, also where Docker answers. */
export const haveSentinel = () => programOf('redis') !== undefined;

/**
 * Starts sentinels that watch the master at a port, which they name to clients.
 * @param count 1 or 3
 */
export async function startSentinels(masterPort: number, count = 1): Promise<TestServer> {
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const sentinels = await Promise.all(ports.map((port) => startSentinel(port, masterPort, Math.ceil(count / 2))));
  const all = async (act: (sentinel: TestServer) => Promise<void>) => {
    await Promise.all(sentinels.map(act));
  };
  return {
    url: `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/mymaster`,
    stop: () => all((one) => one.stop()),
    kill: () => all((one) => one.kill()),
    start: () => all((one) => one.start()),
    freeze: () => all((one) => one.freeze()),
    thaw: () => all((one) => one.thaw()),
    flush: async () => {},
  };
}

async function startSentinel(port: number, masterPort: number, quorum: number): Promise<TestServer> {
  const dir = await mkdtemp(join(tmpdir(), 'rollcall-sentinel-'));
  const file = join(dir, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `sentinel monitor mymaster 127.0.0.1 ${masterPort} ${quorum}`,
    `sentinel down-after-milliseconds mymaster ${DOWN_MS}`,
    'sentinel failover-timeout mymaster 4000',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const url = `redis://127.0.0.1:${port}`;
  // It writes what it learns into its file.
  const args = [file, '--sentinel'];
  return startServerProgram({
    path: findProgram('redis'),
    args,
    ready: '+monitor master',
    url,
    dir,
    flush: async () => {},
  });
}

export interface Sentinelled extends TestServer {
  /** From now on the replica gets nothing more from its master. */
  lag(): Promise<void>;
}

/** A master, a replica and three sentinels. `kill` ends the master, for good: the replica takes its place. */
export async function startSentinelled(): Promise<Sentinelled> {
  const master = await startRedisProgram();
  const { port } = new URL(master.url);
  const replica = await startRedisProgram({ settings: { replicaof: `127.0.0.1 ${port}` } });
  await untilReplicated(master.url);
  const sentinels = await startSentinels(Number(port), 3);
  await Promise.all(sentinels.url.match(/127\.0\.0\.1:\d+/g)?.map(untilItKnows) ?? []);
  const servers = [sentinels, replica, master];
  return {
    ...master,
    url: sentinels.url,
    stop: async () => {
      for (const server of servers) await server.stop();
    },
    lag: async () => {
      const redis = new Redis(replica.url);
      // A master without a password refuses one.
      await redis.config('SET', 'masterauth', 'none');
      await redis.call('client', 'kill', 'type', 'master');
      while (!(await redis.info('replication')).includes('master_link_status:down')) await sleep(LOOK_MS);
      redis.disconnect();
    },
  };
}

/** Waits until the master has a replica that follows it. */
async function untilReplicated(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.wait(1, 0);
  redis.disconnect();
}

/** Waits until a sentinel knows the replica and both of the others: before that it could choose no other master. */
async function untilItKnows(host: string): Promise<void> {
  const redis = new Redis(`redis://${host}`);
  for (;;) {
    const facts = (await redis.call('sentinel', 'master', 'mymaster')) as string[];
    const [replicas, others] = ['num-slaves', 'num-other-sentinels'].map((name) => facts[facts.indexOf(name) + 1]);
    if (replicas === '1' && others === '2') break;
    await sleep(LOOK_MS);
  }
  redis.disconnect();
}

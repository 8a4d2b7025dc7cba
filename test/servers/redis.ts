import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedisContainer } from './containers.ts';
import { dockerAnswers, findProgram, freePort, type RunningProgram, startProgram } from './program.ts';
import type { TestServer } from './server.ts';

export interface RedisOptions {
  /** Keeps an append-only file, so that jobs are still there after `kill` and `start`. Default: true. */
  readonly aof?: boolean;
  /** Further settings by name, such as `maxmemory-policy`. Default: noeviction. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a Redis or Valkey of this process's own: from Docker where that answers, else as a program of this machine. */
export async function startRedis({ aof = true, settings = {} }: RedisOptions = {}): Promise<TestServer> {
  const all = { 'maxmemory-policy': 'noeviction', save: '', appendonly: aof ? 'yes' : 'no', ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  return (await dockerAnswers()) ? startRedisContainer(args, flush) : startRedisProgram(args);
}

async function startRedisProgram(settings: readonly string[]): Promise<TestServer> {
  const path = findProgram(['redis-server', 'valkey-server']);
  const dir = await mkdtemp(join(tmpdir(), 'rollcall-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, ...settings];
  const start = () => startProgram({ path, args, ready: 'Ready to accept connections' });
  let running: RunningProgram = await start();
  const end = async (signal: NodeJS.Signals) => {
    running.signal(signal);
    await running.ended;
  };
  return {
    url,
    kill: () => end('SIGKILL'),
    start: async () => {
      running = await start();
    },
    freeze: async () => running.signal('SIGSTOP'),
    thaw: async () => running.signal('SIGCONT'),
    flush: () => flush(url),
    stop: async () => {
      await end('SIGKILL');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function flush(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedisContainer } from './containers.ts';
import { findProgram } from './needs.ts';
import { dockerAnswers, freePort, startServerProgram } from './program.ts';
import type { TestServer } from './server.ts';

export interface RedisOptions {
  /** Keeps an append-only file, so that jobs are still there after `kill` and `start`. Default: true. */
  readonly aof?: boolean;
  /** Further settings by name, such as `maxmemory-policy`. Default: noeviction. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a Redis or Valkey of this process's own: from Docker where that answers, else as a program. */
export async function startRedis(options: RedisOptions = {}): Promise<TestServer> {
  if (!(await dockerAnswers())) return startRedisProgram(options);
  return startRedisContainer(argumentsOf(options), { flush, ask: ping });
}

function argumentsOf({ aof = true, settings = {} }: RedisOptions): string[] {
  const all = { 'maxmemory-policy': 'noeviction', save: '', appendonly: aof ? 'yes' : 'no', ...settings };
  return Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
}

/** For servers that must reach each other on this machine. */
export async function startRedisProgram(options: RedisOptions = {}): Promise<TestServer> {
  const path = findProgram('redis');
  const dir = await mkdtemp(join(tmpdir(), 'rollcall-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, ...argumentsOf(options)];
  return startServerProgram({ path, args, ready: 'Ready to accept connections', url, dir, flush: () => flush(url) });
}

async function ping(url: string): Promise<void> {
  const redis = new Redis(url);
  // It tries again by itself.
  redis.on('error', () => {});
  await redis.ping();
  redis.disconnect();
}

async function flush(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}

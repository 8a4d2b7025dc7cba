import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Need, programOf } from './needs.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { setUpFor } from './set-up.ts';

test.each([
  ['redis', 'redis-server'],
  ['postgres', 'postgres'],
  ['chromium', 'chromium-headless-shell'],
] as const)(
  '%s is the fetched one, whatever the PATH has; the PATH is asked where nothing was fetched',
  (need, name) => {
    const root = mkdtempSync(join(tmpdir(), 'rollcall-needs-'));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(root, { recursive: true, force: true });
    });
    const installed = join(root, 'installed', name);
    const fetched = join(root, 'fetched', need, 'bin', name);
    for (const path of [installed, fetched]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
    }
    vi.stubEnv('CHROMIUM_PATH', undefined);
    vi.stubEnv('PATH', dirname(installed));
    expect(programOf(need, join(root, 'fetched'))).toBe(fetched);
    expect(programOf(need, join(root, 'nothing'))).toBe(installed);
  },
);

test.each([
  { aof: true, kept: 'kept' },
  { aof: false, kept: null },
])('a Redis with append-only file $aof is there again after a kill, with what it had: $kept', async ({ aof, kept }) => {
  const server = await startRedis({ aof });
  onTestFinished(() => server.stop());
  const redis = new Redis(server.url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  onTestFinished(() => redis.disconnect());
  redis.on('error', () => {});
  // The file is written once a second unless set otherwise.
  await redis.config('SET', 'appendfsync', 'always');
  await redis.set('word', 'kept');
  await server.kill();
  await server.start();
  expect(await redis.get('word')).toBe(kept);
  await redis.set('word', 'flushed');
  await server.flush();
  expect(await redis.get('word')).toBe(null);
  await server.freeze();
  let answered = false;
  const answer = redis.ping().then(() => {
    answered = true;
  });
  // Time enough for an answer: another server starts, gives one, and ends.
  const other = await startRedis({ aof: false });
  await other.flush();
  await other.stop();
  expect(answered).toBe(false);
  await server.thaw();
  await answer;
});

test('a Postgres is there again after a kill, with what it had', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const ask = async (sql: string) => {
    const client = new Client({ connectionString: server.url });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  await ask('create table words as select 1 as word');
  await server.kill();
  await expect(ask('select 1')).rejects.toThrow('ECONNREFUSED');
  await server.start();
  expect(await ask('select word from words')).toEqual([{ word: 1 }]);
});

test('files that need a server that cannot be had are left out with the reason, and in CI nothing runs', async () => {
  const redis = import.meta.filename;
  const none = join(dirname(redis), '../log.test.ts');
  const get = async (need: Need) => (need === 'redis' ? 'no redis: apt has no network' : undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('CI', undefined);
  expect(await setUpFor([redis, none], get)).toEqual(new Map([[redis, 'no redis: apt has no network']]));
  vi.stubEnv('CI', 'true');
  await expect(setUpFor([redis, none], get)).rejects.toThrow('no redis: apt has no network');
});

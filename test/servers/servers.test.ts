import { Redis } from 'ioredis';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from './postgres.ts';
import { findProgram } from './program.ts';
import { startRedis } from './redis.ts';

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

test('where a server is not installed, the tests fail and name what to install', () => {
  expect(() => findProgram(['no-such-server'])).toThrow(
    'no-such-server, which is not on this machine: install it with `apt-get install redis-server postgresql`, or start Docker',
  );
});

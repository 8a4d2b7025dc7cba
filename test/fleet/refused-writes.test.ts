import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openQueue } from '../../src/app/open-queue.ts';
import { readConfig } from '../../src/platform/config.ts';
import { Doorkeeper } from '../imports/doorkeeper.ts';
import { csv, eventually, openPipeline, participants } from '../imports/pipeline-harness.ts';
import { Journal } from '../queue/journal.ts';
import { type Note, notes } from '../queue/queue-harness.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { newAddress, placeIn } from './places.ts';

/** Redis answers, and refuses writes: for each reason the work on it waits, and goes on by itself. */

let server: TestServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis({ aof: false, settings: { 'enable-protected-configs': 'local' } });
  redis = new Redis(server.url);
  return async () => {
    redis.disconnect();
    await server.stop();
  };
});

/** The ways to refuse, each with how it ends. */
const REFUSALS: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  READONLY: async () => {
    await redis.replicaof('127.0.0.1', 1);
    return () => redis.replicaof('NO', 'ONE');
  },
  NOREPLICAS: async () => {
    await redis.config('SET', 'min-replicas-to-write', '1');
    return () => redis.config('SET', 'min-replicas-to-write', '0');
  },
  OOM: async () => {
    await redis.config('SET', 'maxmemory', '1');
    return () => redis.config('SET', 'maxmemory', '0');
  },
  MISCONF: async () => {
    const [, before = ''] = (await redis.config('GET', 'dir')) as string[];
    const dir = await mkdtemp(join(tmpdir(), 'rollcall-misconf-'));
    await redis.config('SET', 'dir', dir);
    await rm(dir, { recursive: true });
    await redis.config('SET', 'save', '3600 1');
    await redis.bgsave();
    await eventually(() => redis.info('persistence')).toContain('rdb_last_bgsave_status:err');
    return async () => {
      await redis.config('SET', 'dir', before);
      await redis.config('SET', 'save', '');
    };
  },
};

test.each(Object.entries(REFUSALS))(
  'an import waits while Redis refuses writes with %s, says so, and goes on',
  async (code, refuse) => {
    const door = new Doorkeeper();
    const pipeline = await openPipeline({ place: placeIn(() => server), concurrency: 2, chat: door.chat });
    const ends: Error[] = [];
    pipeline.coordinator.events.on('failure', (error) => ends.push(error));
    const said = () => pipeline.failures.map(({ message }) => message).join('\n');
    const id = await pipeline.send(csv(participants(300)));
    await door.until(2);
    const allow = await refuse();
    door.letIn(2);
    await eventually(said).toContain(code);
    // An import that begins meanwhile waits too.
    const other = await pipeline.send(csv(participants(30, 'other')));
    await eventually(() => pipeline.coordinator.find(other).state).toBe('running');
    await allow();
    door.open();
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect((await pipeline.coordinator.settled(other)).state).toBe('completed');
    expect(ends).toEqual([]);
    const { added, already_member: already } = pipeline.counts(id);
    expect([added + already, pipeline.counts(other).added]).toEqual([300, 30]);
    onTestFinished(() => {
      pipeline.failures.length = 0;
    });
  },
);

test('a command says once, and then once a minute, that the queue refuses its work', async () => {
  const warned: string[] = [];
  const config = readConfig({ queue: newAddress(server) });
  const tries = new Journal<string>();
  const backend = await openQueue({ config, warn: (text) => warned.push(text) }, ({ message }) => tries.note(message));
  onTestFinished(() => backend.close());
  warned.length = 0;
  const allow = await REFUSALS['NOREPLICAS']?.();
  const queue = backend.openQueue<Note>('errands', { name: 'errand', attempts: 1 }, () => {});
  const adding = queue.add(notes('a'));
  await tries.until(2);
  expect(warned).toEqual([
    expect.stringMatching(/^the queue's server refuses its work \(NOREPLICAS .*\); calls wait until it does it$/),
  ]);
  await allow?.();
  await adding;
  expect(await queue.depth()).toMatchObject({ waiting: 1 });
  await queue.close();
});

import { once } from 'node:events';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { addMembers } from '../../jobs/add-members.ts';
import type { BatchPayload } from '../../jobs/batch-payload.ts';
import { WORKER_DEATH_NOTICED_MS } from '../../src/queue/job-worker.ts';
import { Journal } from '../queue/journal.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { calls, eventually, openFleet } from './fleet.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

const idle = { waiting: 0, delayed: 0, active: 0, setAside: 0 };

describe('a worker that is asked to stop', () => {
  test('finishes the calls under way and hands back the rest, which another takes: nothing is sent twice', async () => {
    const fleet = await openFleet(server, { latencyMs: 1_000 });
    const first = await fleet.worker(['us'], ['--concurrency', '4']);
    const run = fleet.import(calls(30));
    await eventually(() => fleet.sandbox.calls.us.requests).toBeGreaterThan(0);
    first.child.kill('SIGTERM');
    expect((await first.ended).code).toBe(0);
    const sentByFirst = fleet.calls();
    expect(fleet.sandbox.calls.us.byStatus).toEqual({ 200: sentByFirst });
    expect(sentByFirst).toBeLessThan(30);
    expect((await fleet.queue('us').depth()).active).toBe(0);
    await fleet.worker(['us']);
    expect((await run.ended).code).toBe(0);
    expect(fleet.calls()).toBe(30);
    expect(fleet.rows().map(({ status, attempts }) => [status, attempts])).toEqual(Array(30).fill(['added', 1]));
  });

  test('gives up calls that get no answer after its deadline, and another worker sends them again', async () => {
    const fleet = await openFleet(server, { faults: 'timeout=2' });
    const first = await fleet.worker(['us'], ['--concurrency', '2']);
    const run = fleet.import(calls(2));
    await eventually(() => fleet.calls()).toBe(2);
    first.child.kill('SIGTERM');
    expect((await first.ended).code).toBe(0);
    expect(await fleet.queue('us').depth()).toEqual({ waiting: 2, delayed: 0, active: 0, setAside: 0 });
    await fleet.worker(['us']);
    expect((await run.ended).code).toBe(0);
    // The two calls, a question for each, and the two once more.
    expect(fleet.calls()).toBe(6);
    expect(fleet.rows().map(({ status }) => status)).toEqual(['added', 'added']);
  });

  test('ends although its queue is away, and although it has never been there', async () => {
    const away = await startRedis();
    onTestFinished(() => away.stop());
    const fleet = await openFleet(away);
    const working = await fleet.worker(['us']);
    await away.kill();
    const waiting = fleet.start(['worker', '--region', 'us'], { env: fleet.keys, stays: true });
    await waiting.says('ECONNREFUSED');
    for (const { child, ended } of [working, waiting]) {
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
    }
    await away.start();
  });
});

test('a worker with one region does not touch the jobs of another', async () => {
  const fleet = await openFleet(server);
  await fleet.worker(['eu']);
  fleet.import([...calls(20, 'us'), ...calls(20, 'eu')]);
  await eventually(() => fleet.sandbox.calls.eu.requests).toBe(20);
  await eventually(() => fleet.queue('eu').depth()).toEqual(idle);
  await eventually(() => fleet.queue('us').depth()).toEqual({ ...idle, waiting: 20 });
  expect(fleet.sandbox.calls.us.requests).toBe(0);
});

test('no byte of Redis holds a key, though the service repeats it in its refusals', async () => {
  const fleet = await openFleet(server, {
    behaviour: { echoKey: true, refusedKeyStatus: 403 },
    faults: 'eu:refuse-key',
  });
  await fleet.worker(['us', 'eu']);
  fleet.import([...calls(200, 'us'), ...calls(20, 'eu'), ...calls(20, 'in')]);
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  const keys = Object.values(fleet.sandbox.apps).flatMap(({ apiKey, authOnlyKey }) => [apiKey, authOnlyKey]);
  let seen = 0;
  const look = async () => {
    for (const name of await redis.keys('*')) {
      const dump = await redis.dumpBuffer(name);
      seen += dump?.length ?? 0;
      for (const key of keys)
        expect([name, name.includes(key), dump?.includes(key) ?? false]).toEqual([name, false, false]);
    }
  };
  while (fleet.sandbox.calls.us.requests < 200 || !(await fleet.queue('eu').isPaused())) await look();
  await look();
  expect(seen).toBeGreaterThan(10_000);
});

describe('a job of a newer rollcall', () => {
  const job = { id: 'from-the-future', payload: { version: 2, what: 'unknown' } as unknown as BatchPayload };

  test('is left alone by an older worker, which says so, and costs it no start', async () => {
    const fleet = await openFleet(server);
    await fleet.queue('us').add([job]);
    const old = await fleet.worker(['us']);
    await old.says('a add-members job has version 2 and this rollcall knows 1');
    old.child.kill('SIGTERM');
    await old.ended;
    expect(fleet.calls()).toBe(0);
    const runs = new Journal<{ starts: number; payload: unknown }>();
    const newer = fleet.backend.startWorker({
      queue: fleet.queue('us'),
      definitions: [
        {
          ...addMembers,
          version: 2,
          payload: z.any(),
          process: async ({ starts, payload }) => runs.note({ starts, payload }),
        },
      ],
      ports: undefined as never,
      concurrency: 1,
      onError: () => {},
    });
    onTestFinished(() => newer.close());
    // Otherwise it would pass for a batch with which worker after worker died.
    expect(await runs.until(1)).toEqual([{ starts: 1, payload: job.payload }]);
  });
});

/** Maximum time for which the batches of a killed worker may lie idle, in ms: a promise to the user. */
const BACK_WITHIN_MS = 15_000;

describe('a worker that is killed', () => {
  test('has what it held called again by another', async () => {
    const held = 4;
    const fleet = await openFleet(server, { faults: `timeout=${held}` });
    const doomed = await fleet.worker(['us'], ['--concurrency', String(held)]);
    const run = fleet.import(calls(200));
    await eventually(() => fleet.calls()).toBe(held);
    await fleet.worker(['us']);
    await eventually(() => fleet.calls()).toBeGreaterThan(held);
    doomed.child.kill('SIGKILL');
    expect((await run.ended).code).toBe(0);
    // For each of them, the group was asked first.
    expect(fleet.calls()).toBe(held + held + 200);
    expect(fleet.rows().filter(({ status }) => status !== 'added')).toEqual([]);
  });

  test('is noticed within the time that is promised, even when lock and checks begin at the worst moment', () => {
    expect(WORKER_DEATH_NOTICED_MS).toBeLessThanOrEqual(BACK_WITHIN_MS);
  });
});

test('a batch with which worker after worker dies ends as unconfirmed, and says why', async () => {
  const fleet = await openFleet(server, { faults: 'timeout' });
  const doomed = await fleet.worker(['us']);
  const run = fleet.import([{ guid: 'g', uid: 'u' }]);
  await eventually(() => fleet.calls()).toBe(1);
  doomed.child.kill('SIGKILL');
  await once(doomed.child, 'exit');
  // Nine died before: each takes a lock's time to be noticed.
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  const [key = ''] = await redis.keys(`*add-members-us-*:${fleet.latest().id}-1`);
  expect(await redis.hget(key, 'ats')).toBe('1');
  await redis.hset(key, 'ats', 10);
  await fleet.worker(['us']);
  expect((await run.ended).code).toBe(1);
  expect(fleet.rows()).toMatchObject([{ status: 'unconfirmed', code: 'WORKERS_DIED' }]);
  expect(fleet.calls()).toBe(1);
});

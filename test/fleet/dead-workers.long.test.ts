import { once } from 'node:events';
import { beforeAll, expect, test } from 'vitest';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { calls, eventually, openFleet } from './fleet.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

test('an import whose workers all died is cancelled soon: what they had is unconfirmed, the rest unprocessed', async () => {
  const fleet = await openFleet(server, { latencyMs: 600_000 });
  const worker = await fleet.worker(['us'], ['--concurrency', '2']);
  const run = fleet.import(calls(20));
  await eventually(() => fleet.calls()).toBe(2);
  worker.child.kill('SIGKILL');
  await once(worker.child, 'exit');
  expect((await fleet.run(['cancel'])).code).toBe(0);
  expect((await run.ended).code).toBe(3);
  expect(fleet.latest().state).toBe('cancelled');
  const states = fleet.rows().map(({ status }) => status);
  expect(states.filter((status) => status === 'unconfirmed')).toHaveLength(2);
  expect(states.filter((status) => status === 'unprocessed')).toHaveLength(18);
});

import { expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../servers/redis.ts';
import { calls, eventually, openFleet } from './fleet.ts';

test('a coordinator that is asked to stop ends although its queue is away, and the import can be resumed', async () => {
  const away = await startRedis();
  onTestFinished(() => away.stop());
  const fleet = await openFleet(away, { latencyMs: 200 });
  await fleet.worker(['us'], ['--concurrency', '2']);
  const run = fleet.import(calls(60));
  await eventually(() => fleet.calls()).toBeGreaterThan(3);
  await away.kill();
  run.child.kill('SIGTERM');
  expect((await run.ended).code).toBe(5);
  await away.start();
  expect((await fleet.run(['resume', '--calls-per-minute', '1000000'])).code).toBe(0);
  expect(fleet.rows().map(({ status }) => status)).not.toContain('unprocessed');
});

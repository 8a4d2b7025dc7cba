import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { calls, openFleet } from './fleet.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

test('a worker that is set to another host hands batches back, says why, and another sends them once', async () => {
  const fleet = await openFleet(server);
  const elsewhere = await fleet.worker(['us'], [], { ROLLCALL_HOST: 'chat.invalid' });
  const run = fleet.importHere(calls(3));
  await elsewhere.says(`it is meant for the chat service at ${fleet.sandbox.host}, and this worker calls chat.invalid`);
  elsewhere.child.kill('SIGTERM');
  await elsewhere.ended;
  expect(fleet.calls()).toBe(0);
  await fleet.workerHere(['us']);
  expect((await run).code).toBe(0);
  expect(fleet.rows().map(({ status, attempts, message }) => [status, attempts, message])).toEqual(
    Array(3).fill(['added', 1, '']),
  );
});

test('a worker takes a changed key file up without a restart', async () => {
  const fleet = await openFleet(server);
  const file = join(fleet.root, 'us.key');
  writeFileSync(file, 'revoked-revoked-revoked\n');
  const worker = await fleet.worker(['us'], [], { ROLLCALL_US_API_KEY: '', ROLLCALL_US_API_KEY_FILE: file });
  expect((await fleet.importHere(calls(3))).code).toBe(3);
  expect(fleet.latest().reason).toMatch(/AUTH_ERR_APIKEY_NOT_FOUND.*\(key [0-9a-f]{8}\)/);
  writeFileSync(file, `${fleet.keys['ROLLCALL_US_API_KEY']}\n`);
  expect((await fleet.runHere(['resume'])).code).toBe(0);
  expect(fleet.rows().map(({ status }) => status)).toEqual(['added', 'added', 'added']);
  expect(worker.child.exitCode).toBeNull();
});

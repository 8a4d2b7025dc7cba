import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openReceiver } from '../../src/features/notify/open-receiver.ts';
import { importOptions } from '../../src/imports/import-options.ts';
import { until } from '../cli/workplace.ts';
import { keptSchedule } from '../syncs/kept-schedule.ts';
import { runOver } from '../syncs/run-over.ts';
import { tempDir } from '../temp-dir.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** A receiver that takes nothing until a test lets it. */
async function receiver() {
  let status = 500;
  const server = createServer((request, reply) => {
    request.resume();
    reply.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    receiver: await openReceiver({ address: url }, true),
    accept: () => {
      status = 204;
    },
  };
}

/** The value of a metric with its labels; undefined where it is not exported. */
async function metric(server: TestServer, name: string): Promise<number | undefined> {
  const text = await (await server.fetch('/metrics')).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

async function addSchedule(server: TestServer, name: string, file: string): Promise<void> {
  server.schedules.catalog.add(name, keptSchedule({ file, repair: true, sandbox: true }));
}

test('metrics tell what wakes a person up: schedules, held syncs, regions, notifications', async () => {
  const { receiver: refusing, accept } = await receiver();
  const team = ['ann', 'ben', 'cyd', 'dan', 'eve'];
  const seed = { regions: { us: { members: { team: { participants: team } } } } };
  const server = await startTestServer({ receiver: refusing, sandbox: { groups: 0, users: 3, seed } });
  onTestFinished(() => server.close());
  const read = (name: string) => metric(server, name);
  const file = join(tempDir(), 'members.csv');
  writeFileSync(file, 'guid,uid\nteam,user-1\n');
  await addSchedule(server, 'nightly', file);
  await addSchedule(server, 'weekly', file);
  const runOnce = async () => {
    const { id } = await server.json<{ id: number }>('/v1/schedules/nightly/run', { method: 'POST' });
    await runOver(server.schedules, id);
  };
  const before = Date.now() / 1000;
  await runOnce();
  const success = 'rollcall_schedule_last_success_timestamp_seconds{schedule="nightly"}';
  const succeededAt = await read(success);
  expect(succeededAt).toBeGreaterThan(before - 1);
  expect(await read('rollcall_schedule_unsuccessful_runs{schedule="nightly"}')).toBe(0);

  rmSync(file);
  await runOnce();
  await runOnce();
  expect(await read(success)).toBe(succeededAt);
  expect(await read('rollcall_schedule_unsuccessful_runs{schedule="nightly"}')).toBe(2);
  expect(await read('rollcall_schedule_last_success_timestamp_seconds{schedule="weekly"}')).toBeUndefined();
  expect(await read('rollcall_schedule_next_run_timestamp_seconds{schedule="weekly"}')).toBeGreaterThan(before);
  server.schedules.catalog.setPaused('weekly', true);
  expect(await read('rollcall_schedule_next_run_timestamp_seconds{schedule="weekly"}')).toBeUndefined();
  expect(await read('rollcall_schedule_paused{schedule="weekly"}')).toBe(1);

  expect(await read('rollcall_syncs{state="held"}')).toBe(0);
  const { id } = await server.json<{ id: string }>('/v1/syncs?mode=mirror&missing=remove&name=team.csv', {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'guid,uid\nteam,ann\n',
  });
  await until(() => server.syncs.find(id).state === 'held');
  expect(await read('rollcall_syncs{state="held"}')).toBe(1);

  expect(await read('rollcall_region_stopped{region="us"}')).toBe(0);
  expect(await read('rollcall_service_away{region="us"}')).toBe(0);
  expect(await read('rollcall_workers{region="us"}')).toBe(1);
  expect(await read('rollcall_calls_per_minute{region="us"}')).toBeGreaterThan(900_000);
  expect(await read('rollcall_calls_at_once{region="us"}')).toBeGreaterThan(0);
  expect(await read('rollcall_limited_by{region="us",by="nothing"}')).toBe(1);
  expect(await read('rollcall_staged_rows_total')).toBeGreaterThan(0);

  await until(async () => ((await read('rollcall_notifications_total{result="failed"}')) ?? 0) > 0);
  expect(await read('rollcall_notifications_waiting')).toBeGreaterThan(0);
  expect(await read('rollcall_notifications_oldest_seconds')).toBeGreaterThan(0);
  accept();
  await until(async () => (await read('rollcall_notifications_waiting')) === 0);
  expect(await read('rollcall_notifications_oldest_seconds')).toBe(0);
});

test('rows of all imports that are not over are counted together, by region and outcome', async () => {
  const server = await startTestServer();
  onTestFinished(() => server.close());
  const source = join(tempDir(), 'members.csv');
  writeFileSync(source, 'guid,uid\ng1,ann\ng1,bob\n');
  const options = importOptions.parse({ region: 'us', sandbox: true });
  for (const id of ['one', 'two']) {
    await server.coordinator.create({ id, file: 'members.csv', source, options, start: false });
    await server.coordinator.settled(id);
  }
  expect(await metric(server, 'rollcall_imports{state="staged"}')).toBe(2);
  expect(await metric(server, 'rollcall_rows{region="us",outcome="pending"}')).toBe(4);
});

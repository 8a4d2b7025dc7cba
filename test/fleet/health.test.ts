import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../servers/program.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { calls, eventually, openFleet } from './fleet.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

async function openHealth(sandbox: Parameters<typeof openFleet>[1] = {}) {
  const fleet = await openFleet(server, sandbox);
  const port = await freePort();
  const worker = await fleet.worker(['us'], ['--concurrency', '2', '--health-port', String(port)]);
  const ask = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { status: reply.status, text: await reply.text() };
  };
  const put = (body: string) => ask('/concurrency', { method: 'PUT', body });
  return { fleet, worker, ask, put };
}

test('metrics and log tell of calls, outcomes and the backlog by region, and of no key', async () => {
  const { fleet, worker, ask } = await openHealth({ faults: 'unavailable=1' });
  expect((await fleet.importHere(calls(10))).code).toBe(0);
  const { status, text } = await ask('/metrics');
  expect(status).toBe(200);
  for (const line of [
    // Ten batches, and the list of members before one of them is repeated.
    'rollcall_calls_total{region="us",code=""} 11',
    'rollcall_calls_total{region="us",code="HTTP_503"} 1',
    'rollcall_call_seconds_count{region="us"} 12',
    'rollcall_outcomes_total{region="us",outcome="added"} 10',
    'rollcall_backlog{region="us",state="waiting"} 0',
    'rollcall_limited_seconds{region="us"} 0',
    'rollcall_region_stopped{region="us"} 0',
    'rollcall_service_away{region="us"} 0',
    'rollcall_queue_wait_seconds_count{region="us"} 10',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  const lines = worker
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    // A busy machine may be late with the first answer of Redis.
    .filter(({ msg }) => !msg.startsWith('the queue'));
  expect(lines).toMatchObject([
    { level: 'info', msg: 'worker started', regions: ['us'] },
    {
      level: 'warn',
      msg: 'retry',
      region: 'us',
      import: expect.any(String),
      batch: expect.any(Number),
      code: 'HTTP_503',
    },
  ]);
  for (const key of Object.values(fleet.keys)) expect(text + worker.stdout()).not.toContain(key);
});

test('a worker whose queue does not answer is alive, is not ready, and still tells its metrics', async () => {
  const { ask } = await openHealth();
  expect(await ask('/healthz')).toEqual({ status: 200, text: '{"status":"ok","regions":["us"]}' });
  expect((await ask('/readyz')).status).toBe(200);
  await server.freeze();
  onTestFinished(() => server.thaw());
  expect((await ask('/healthz')).status).toBe(200);
  expect(await ask('/readyz')).toEqual({
    status: 503,
    text: '{"status":"not ready","message":"the queue does not answer"}',
  });
  const { status, text } = await ask('/metrics');
  expect([status, text]).toEqual([200, expect.stringContaining('process_cpu_seconds_total')]);
  expect(text).not.toContain('rollcall_backlog{');
  await server.thaw();
  await eventually(async () => (await ask('/readyz')).status).toBe(200);
});

test('a worker is ready while the service is away, and its metrics tell that it is', async () => {
  const { fleet, ask } = await openHealth({ faults: 'reset-before' });
  const importing = fleet.importHere(calls(4));
  const lines = async () => (await ask('/metrics')).text.split('\n');
  await eventually(lines).toContain('rollcall_service_away{region="us"} 1');
  expect((await ask('/readyz')).status).toBe(200);
  expect(await lines()).toContain('rollcall_region_stopped{region="us"} 0');
  fleet.sandbox.faults.clear();
  expect((await importing).code).toBe(0);
  expect(await lines()).toContain('rollcall_service_away{region="us"} 0');
});

test('concurrency can be raised while it works, beyond what it was started with', async () => {
  const { fleet, put } = await openHealth({ latencyMs: 400 });
  const run = fleet.importHere(calls(60));
  await eventually(() => fleet.sandbox.calls.us.maxConcurrent).toBe(2);
  expect(await put('{"region":"us","concurrency":12}')).toMatchObject({ status: 200 });
  await eventually(() => fleet.sandbox.calls.us.maxConcurrent).toBe(12);
  await run;
});

test('a concurrency that is not valid is refused with what is allowed', async () => {
  const { put } = await openHealth();
  for (const body of [
    '',
    'null',
    '{"region":"us"}',
    '{"region":"eu","concurrency":3}',
    '{"region":"us","concurrency":0}',
  ]) {
    const text = '{"message":"expected {\\"region\\": one of us, \\"concurrency\\": 1 to 1000}"}';
    expect([body, await put(body)]).toEqual([body, { status: 400, text }]);
  }
});

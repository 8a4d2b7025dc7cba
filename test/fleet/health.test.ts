import { beforeAll, expect, onTestFinished, test } from 'vitest';
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
  const worker = await fleet.worker(['us'], ['--concurrency', '2', '--health-port', '0']);
  const [, url] = /Health and metrics: (\S+)\/metrics/.exec(worker.stderr()) ?? [];
  const ask = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(`${url}${path}`, init);
    return { status: reply.status, text: await reply.text() };
  };
  const put = (body: string) => ask('/concurrency', { method: 'PUT', body });
  const lines = async () => (await ask('/metrics')).text.split('\n');
  return { fleet, worker, ask, put, lines };
}

test('metrics and log tell of calls, outcomes and the backlog by region, and of no key', async () => {
  const { fleet, worker, ask, lines } = await openHealth({ faults: 'unavailable=1' });
  expect((await fleet.importHere(calls(10))).code).toBe(0);
  // The import may be over before the worker has counted, and a queue that is late is left out.
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
    await eventually(lines).toContain(line);
  }
  await worker.says('"retry"');
  const logged = worker
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    // A busy machine may be late with the first answer of Redis.
    .filter(({ msg }) => !msg.startsWith('the queue'));
  expect(logged).toMatchObject([
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
  const { status, text } = await ask('/metrics');
  expect(status).toBe(200);
  for (const key of Object.values(fleet.keys)) expect(text + worker.stdout()).not.toContain(key);
});

test('a worker whose queue does not answer is alive, is not ready, and still tells its metrics', async () => {
  const { ask } = await openHealth();
  const readiness = async () => (await ask('/readyz')).status;
  expect(await ask('/healthz')).toEqual({ status: 200, text: '{"status":"ok","regions":["us"]}' });
  await eventually(readiness).toBe(200);
  await server.freeze();
  onTestFinished(() => server.thaw());
  expect((await ask('/healthz')).status).toBe(200);
  const { status: unready, text: why } = await ask('/readyz');
  expect([unready, JSON.parse(why)]).toEqual([
    503,
    { status: 'not ready', message: expect.stringContaining('not answer') },
  ]);
  const { status, text } = await ask('/metrics');
  expect([status, text]).toEqual([200, expect.stringContaining('process_cpu_seconds_total')]);
  expect(text).not.toContain('rollcall_backlog{');
  await server.thaw();
  await eventually(readiness).toBe(200);
});

test('a worker is ready while the service is away, and its metrics tell that it is', async () => {
  const { fleet, ask, lines } = await openHealth({ faults: 'reset-before' });
  const importing = fleet.importHere(calls(4));
  await eventually(lines).toContain('rollcall_service_away{region="us"} 1');
  await eventually(async () => (await ask('/readyz')).status).toBe(200);
  await eventually(lines).toContain('rollcall_region_stopped{region="us"} 0');
  fleet.sandbox.faults.clear();
  expect((await importing).code).toBe(0);
  await eventually(lines).toContain('rollcall_service_away{region="us"} 0');
});

test('concurrency can be raised while it works, beyond what it was started with', async () => {
  const { fleet, put } = await openHealth({ faults: 'slow=600000ms' });
  const run = fleet.importHere(calls(60));
  await eventually(() => fleet.sandbox.calls.us.maxConcurrent).toBe(2);
  expect(await put('{"region":"us","concurrency":12}')).toMatchObject({ status: 200 });
  // The calls under way are answered, and the next ones wait.
  fleet.sandbox.faults.set('slow=600000ms');
  await eventually(() => fleet.sandbox.calls.us.maxConcurrent).toBe(12);
  fleet.sandbox.faults.clear();
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

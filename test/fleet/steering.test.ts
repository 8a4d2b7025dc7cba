import { once } from 'node:events';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openRegionQueue } from '../../src/imports/send/region-queues.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { Doorkeeper } from '../imports/doorkeeper.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { calls, eventually, type Fleet, openFleet } from './fleet.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

const idle = { waiting: 0, delayed: 0, active: 0, setAside: 0 };
const statusOf = async (fleet: Fleet) => (await fleet.runHere(['status'])).stdout;
const resume = ['resume', '--calls-per-minute', '1000000'];

test('a region without a worker and one whose key is refused do not hold up another, and status says what each waits for', async () => {
  const fleet = await openFleet(server);
  await fleet.workerHere(['us']);
  const refused = await fleet.workerHere(['in'], { apiKey: 'wrong-key' });
  const run = fleet.importHere([...calls(60, 'us'), ...calls(60, 'eu'), ...calls(60, 'in')]);
  await eventually(() => fleet.rows().filter(({ status }) => status === 'added').length).toBe(60);
  await eventually(() => fleet.queue('in').isPaused()).toBe(true);
  // A worker finishes a job when its result has been taken.
  await eventually(() => fleet.queue('us').depth()).toEqual(idle);
  const says = (what: RegExp) => eventually(() => statusOf(fleet)).toMatch(what);
  await says(/^us +0 calls in flight, 0 batches queued$/m);
  await says(/^eu +no worker: start one with rollcall worker --region eu, .*60 batches queued/m);
  await says(/^in .*stopped: the service refused the key or plan/m);
  // The worker of eu comes, and what is left is the key.
  await fleet.workerHere(['eu']);
  const { code, stderr } = await run;
  expect([code, stderr]).toEqual([3, expect.stringContaining('in: ')]);
  expect(fleet.latest().state).toBe('blocked');
  expect(fleet.sandbox.calls.eu.requests).toBe(60);
  await refused.stop();
  await fleet.workerHere(['in']);
  expect((await fleet.runHere(resume)).code).toBe(0);
  expect(fleet.sandbox.calls.in.byStatus[200]).toBe(60);
});

test('who is banned is asked in every region for itself: one without a worker does not hold up another', async () => {
  const fleet = await openFleet(server);
  await fleet.workerHere(['us']);
  const run = fleet.importHere([...calls(5, 'us'), ...calls(5, 'eu')], []);
  await eventually(() => fleet.rows().filter(({ status }) => status === 'added').length).toBe(5);
  await fleet.workerHere(['eu']);
  expect((await run).code).toBe(0);
});

test('questions who is banned that no one has answered leave the queue with a pause and with Ctrl-C, and are asked again by resume', async () => {
  const fleet = await openFleet(server);
  const asking = () => eventually(async () => (await fleet.queue('eu').depth()).waiting);
  const run = fleet.import(calls(5, 'eu'), []);
  await asking().toBe(5);
  expect((await fleet.runHere(['pause'])).code).toBe(0);
  expect((await run.ended).code).toBe(5);
  await eventually(() => fleet.queue('eu').depth()).toEqual(idle);
  const again = fleet.start(resume, { stays: true });
  await asking().toBe(5);
  again.child.kill('SIGINT');
  expect((await again.ended).code).toBe(5);
  expect(await fleet.queue('eu').depth()).toEqual(idle);
  await fleet.workerHere(['eu']);
  expect((await fleet.runHere(resume)).code).toBe(0);
  expect(fleet.rows().map(({ status }) => status)).toEqual(Array(5).fill('added'));
  expect(fleet.sandbox.calls.eu.requests).toBe(10);
});

describe('from another process', () => {
  /** An import of 60 calls, of which two are under way. */
  async function runningImport() {
    const fleet = await openFleet(server);
    const door = new Doorkeeper();
    await fleet.workerHere(['us'], { concurrency: 2, door });
    const run = fleet.importHere(calls(60));
    await door.until(2);
    await eventually(() => fleet.queue('us').depth()).toEqual({ ...idle, waiting: 58, active: 2 });
    return { fleet, door, run };
  }

  test('pause takes back what workers in other processes have not begun, and resume sends each batch once', async () => {
    const { fleet, door, run } = await runningImport();
    const pause = fleet.start(['pause']);
    await eventually(() => fleet.queue('us').depth()).toEqual({ ...idle, active: 2 });
    door.open();
    expect((await pause.ended).code).toBe(0);
    expect((await run).code).toBe(5);
    expect(fleet.latest().state).toBe('paused');
    await eventually(() => fleet.queue('us').depth()).toEqual(idle);
    expect(fleet.calls()).toBe(2);
    expect((await fleet.runHere(resume)).code).toBe(0);
    expect(fleet.calls()).toBe(60);
  });

  test('cancel lets calls under way count, and the rest is unprocessed', async () => {
    const { fleet, door, run } = await runningImport();
    const cancel = fleet.start(['cancel']);
    await eventually(() => fleet.queue('us').depth()).toEqual({ ...idle, active: 2 });
    door.open();
    expect((await cancel.ended).code).toBe(0);
    expect((await run).code).toBe(3);
    expect(fleet.calls()).toBe(2);
    expect(fleet.rows().filter(({ status }) => status === 'added')).toHaveLength(2);
    expect(fleet.rows().filter(({ status }) => status === 'unprocessed')).toHaveLength(58);
    await eventually(() => fleet.queue('us').depth()).toEqual(idle);
  });

  test('cancel of an import that no process runs takes its batches out of Redis', async () => {
    const fleet = await openFleet(server);
    const run = fleet.import(calls(60));
    await eventually(() => fleet.queue('us').depth()).toEqual({ ...idle, waiting: 60 });
    run.child.kill('SIGKILL');
    await once(run.child, 'exit');
    expect((await fleet.runHere(['cancel'])).code).toBe(0);
    expect(fleet.latest().state).toBe('cancelled');
    expect(await fleet.queue('us').depth()).toEqual(idle);
    expect(fleet.rows().map(({ status }) => status)).toEqual(Array(60).fill('unprocessed'));
  });
});

test('results wait while the coordinator is away, and a new one records them without sending anything again', async () => {
  const fleet = await openFleet(server);
  const run = fleet.import(calls(60));
  await eventually(() => fleet.queue('us').depth()).toEqual({ ...idle, waiting: 60 });
  run.child.kill('SIGKILL');
  await once(run.child, 'exit');
  await fleet.workerHere(['us']);
  await eventually(() => fleet.calls()).toBe(60);
  await eventually(() => fleet.queue('us').depth()).toEqual(idle);
  expect(fleet.rows().filter(({ status }) => status === 'added')).toEqual([]);
  expect((await fleet.runHere(['resume'])).code).toBe(0);
  expect(fleet.rows().map(({ status }) => status)).toEqual(Array(60).fill('added'));
  expect(fleet.calls()).toBe(60);
});

describe('the budget of a region', () => {
  test('is lowered by a service that promises less than is set', async () => {
    const fleet = await openFleet(server, { rateLimit: { calls: 300, perMs: 60_000 } });
    await fleet.workerHere(['us']);
    expect((await fleet.importHere(calls(5))).code).toBe(0);
    await eventually(() => fleet.queue('us').callsPerMinute()).toBe(300);
  });

  test('waits as long as a 429 asks, and uses up no attempt for it', async () => {
    const fleet = await openFleet(server, { faults: 'too-many=1', latencyMs: 20 });
    await fleet.workerHere(['us'], { concurrency: 1 });
    expect((await fleet.importHere(calls(5))).code).toBe(0);
    expect(fleet.sandbox.calls.us.byStatus).toEqual({ 200: 5, 429: 1 });
    const [first, second] = fleet.rows();
    expect([first?.attempts, second?.attempts].sort()).toEqual([1, 2]);
  });

  test('keeps the longest of the waits that processes ask for at the same time', async () => {
    const { url } = await openFleet(server);
    const backends = await Promise.all([openBackend(url), openBackend(url)]);
    for (const [round, [long, short]] of [
      [600_000, 500],
      [500, 600_000],
      [600_000, 20_000],
    ].entries()) {
      const [here, there] = backends.map((backend) => openRegionQueue(backend, 'us', `round-${round}`, () => {}));
      for (const queue of [here, there]) onTestFinished(() => queue?.close());
      await here?.setCallsPerMinute(600);
      await Promise.all([here?.limitedForMs(), there?.limitedForMs()]);
      await Promise.all([here?.slowDown(long ?? 0), there?.slowDown(short ?? 0)]);
      await here?.slowDown(1_000);
      await eventually(() => there?.limitedForMs()).toBeGreaterThan(300_000);
    }
    for (const backend of backends) onTestFinished(() => backend.close());
  });
});

test('coordinator and worker warn of a server that may lose jobs', async () => {
  const careless = await startRedis({ aof: false, settings: { 'maxmemory-policy': 'allkeys-lru' } });
  onTestFinished(() => careless.stop());
  const fleet = await openFleet(careless);
  const worker = await fleet.worker(['us']);
  const { stderr } = await fleet.importHere(calls(1));
  for (const warning of ['keeps no append-only file', 'maxmemory-policy allkeys-lru']) {
    await worker.says(warning);
    expect(stderr).toContain(warning);
  }
});

import { beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/membership/membership.ts';
import { sumOfOutcomes } from '../../src/membership/outcome.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { eventually } from '../eventually.ts';
import { WAIT_MS } from '../hangs.ts';
import { describeBudgets } from '../imports/budgets-suite.ts';
import { Doorkeeper } from '../imports/doorkeeper.ts';
import { csv, EMBEDDED, openPipeline, participants, reached } from '../imports/pipeline-harness.ts';
import { runningImport } from '../imports/running-import.ts';
import { describeBullWorker } from '../queue/bull-worker-suite.ts';
import { describeCircuit } from '../queue/circuit-suite.ts';
import { describeJobQueue } from '../queue/job-queue-suite.ts';
import { describeJobWorker } from '../queue/job-worker-suite.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { newAddress, placeIn } from './places.ts';

/** The promises of the pipeline for every place of its jobs. */
function describePipeline(place: Parameters<typeof openPipeline>[0]['place']): void {
  test('a mixed file: every row gets the outcome that it deserves, and the groups are as asked', async () => {
    const { run, rows, sandbox, counts } = await openPipeline({ place });
    const scopes: readonly Scope[] = ['participant', 'admin', 'moderator', 'ban'];
    const asked = Array.from({ length: 240 }, (_, n) => ({
      region: (['us', 'eu', 'in'] as const)[n % 3] ?? 'us',
      guid: `team-${n % 7}`,
      uid: `user-${n}`,
      scope: scopes[n % 4] ?? 'participant',
    }));
    const repeated = asked.slice(0, 30).map((row) => ({ ...row, uid: row.uid.toUpperCase() }));
    const { id, state } = await run(csv([...asked, ...repeated, { guid: 'team-1', uid: 'not an id!' }]));
    expect(state).toBe('completed');
    expect(rows(id).map(({ status }) => status)).toEqual([
      ...asked.map(({ scope }) => (scope === 'ban' ? 'banned' : 'added')),
      ...repeated.map(() => 'duplicate'),
      'invalid',
    ]);
    for (const { region, guid, uid, scope } of asked) expect(sandbox.members(region, guid).get(uid)).toBe(scope);
    expect(sumOfOutcomes(counts(id))).toBe(271);
  });

  test('faults of every kind: every row has one outcome in the end, and the groups are as asked', async () => {
    const faults = 'reset-after=2,reset-midway=2,reset-before=2,timeout=2,error=2,truncated=2,not-json=2,too-many=1';
    const { run, counts, sandbox } = await openPipeline({
      place,
      sandbox: { faults },
      askBeforeRepeat: 'never',
      timeouts: { headersMs: 2_000 },
    });
    const { id, state } = await run(csv(participants(400)));
    expect(state).toBe('completed');
    const { added, already_member: already, unconfirmed } = counts(id);
    expect([added + already, unconfirmed]).toEqual([400, 0]);
    expect(sandbox.members('us', 'g').size).toBe(400);
  });

  test('in silence, with lost answers: every row has one outcome, and nobody who is a member is said to have failed', async () => {
    const faults = 'reset-after=1,error=1,truncated=1,too-many=1';
    const { run, rows, counts, sandbox } = await openPipeline({
      place,
      callsPerMinute: null,
      sandbox: { faults, behaviour: { importsPerMinute: 100_000 } },
    });
    const asked = Array.from({ length: 400 }, (_, n) => ({ guid: `team-${n % 30}`, uid: `user-${n}` }));
    const { id, state } = await run(csv(asked), { silent: true });
    expect(state).toBe('completed');
    const { added, already_member: already } = counts(id);
    expect(added + already).toBe(400);
    for (const { guid, uid } of rows(id)) expect(sandbox.members('us', guid).has(uid)).toBe(true);
  });

  test('pause lets the calls under way answer, and resume sends the rest, each batch once', async () => {
    const { id, door, coordinator, sandbox, counts, openRegions } = await runningImport(place);
    const paused = reached(coordinator, id, 'paused');
    await coordinator.pause(id);
    door.letIn(2);
    await paused;
    expect(sandbox.calls.us.requests).toBe(2);
    expect(await openRegions.get('us')?.queue.depth()).toMatchObject({ waiting: 0, delayed: 0 });
    door.open();
    await coordinator.resume(id);
    expect((await coordinator.settled(id)).state).toBe('completed');
    expect(counts(id)).toMatchObject({ added: 300 });
    expect(sandbox.calls.us.requests).toBe(12);
  });

  test('cancel: calls under way count, the rest is unprocessed', async () => {
    const { id, door, coordinator, sandbox, counts } = await runningImport(place);
    await coordinator.cancel(id);
    door.open();
    expect((await coordinator.settled(id)).state).toBe('cancelled');
    expect(counts(id)).toMatchObject({ added: 50, unprocessed: 250 });
    expect(sandbox.calls.us.requests).toBe(2);
  });

  test('a refused key blocks its region while others complete, and resume goes on when it is fixed', async () => {
    const pipeline = await openPipeline({ place, apiKeys: { eu: 'wrong-key' } });
    const rows = [...participants(100), ...participants(100).map((row) => ({ ...row, region: 'eu' as const }))];
    const { id, state, reason } = await pipeline.run(csv(rows));
    expect([state, reason]).toEqual(['blocked', expect.stringContaining('eu: ')]);
    expect(pipeline.counts(id)).toMatchObject({ added: 100, unprocessed: 100 });
    await pipeline.stop();
    await pipeline.restart();
    await pipeline.coordinator.resume(id);
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ added: 200 });
  });

  test('a refused group: its rows say so, the rest of its batches is not sent, and other groups are', async () => {
    const door = new Doorkeeper();
    const pipeline = await openPipeline({ place, sandbox: { groups: 1 }, concurrency: 1, chat: door.chat });
    const { send, counts, coordinator, sandbox } = pipeline;
    const id = await send(csv([...participants(500, 'nowhere'), ...participants(50, 'group-1')]));
    await door.until(1);
    door.letIn(1);
    // One batch more may be under way.
    await eventually(() => counts(id).failed).toBeGreaterThanOrEqual(500 - 25);
    door.open();
    expect((await coordinator.settled(id)).state).toBe('completed');
    expect(counts(id)).toMatchObject({ failed: 500, added: 50 });
    expect(sandbox.calls.us.requests).toBeLessThanOrEqual(2 + 2);
  });

  test('a new coordinator goes on where the one before was stopped, and sends no batch twice', async () => {
    const { id, door, pipeline, sandbox, counts } = await runningImport(place);
    // Longer than the calls that are let through may take.
    const stopped = pipeline.coordinator.stop(WAIT_MS);
    door.open();
    await stopped;
    await pipeline.restart();
    await pipeline.coordinator.resume(id);
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(counts(id)).toMatchObject({ added: 300 });
    expect(sandbox.calls.us.requests).toBe(12);
  });
}

describe('the pipeline on the embedded queue', () => describePipeline(EMBEDDED));

describe('on Redis', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
    return () => server.stop();
  });
  const open = () => openBackend(newAddress(server));

  describe('the pipeline', () => describePipeline(placeIn(() => server)));
  describe('budgets', () => describeBudgets(placeIn(() => server)));
  describe('jobs in a queue', () => describeJobQueue('Redis', open));
  describe('running jobs', () => describeJobWorker('Redis', open));
  describe('running jobs of others', () => describeBullWorker(() => newAddress(server)));
  describe('the circuit', () => describeCircuit('Redis', open));
});

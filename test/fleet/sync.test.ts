import { beforeAll, expect, test } from 'vitest';
import { members } from '../cli/workplace.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { eventually, openFleet } from './fleet.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

const uids = (count: number) => Array.from({ length: count }, (_, at) => `u${at}`);

test('groups are listed and changed by workers in other processes, for a coordinator without any key; what a wiped queue has lost is asked again', async () => {
  const participants = uids(1_200);
  const fleet = await openFleet(server, {
    users: 'any',
    groups: 0,
    seed: { regions: { us: { members: { team: { participants, usersToBan: ['mallory'] } } } } },
  });
  // No one works yet: the question waits in the queue, and is lost with it.
  const wanted = [...uids(1_195), 'new1', 'new2'];
  const file = fleet.file(
    'members.csv',
    members([...wanted.map((uid) => ['team', uid] as const), ['team', 'u0', 'admin']]),
  );
  const mirror = ['--mode', 'mirror', '--missing', 'remove', '--apply'];
  const run = fleet.runHere(['sync', file, ...mirror, '--json']);
  await eventually(async () => (await fleet.queue('us').depth()).waiting).toBe(1);
  await fleet.queue('us').withdraw(() => true);
  await fleet.workerHere(['us']);
  const { code, stdout, stderr } = await run;
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(JSON.parse(stdout)).toMatchObject({
    state: 'applied',
    totals: { actions: { add: 2, change: 1, remove: 5 } },
    import: { rows: { added: 2, changed: 1, removed: 5 } },
  });
  const now = fleet.sandbox.members('us', 'team');
  expect([now.size, now.get('u0'), now.get('mallory'), now.has('u1199'), now.has('new1')]).toEqual([
    1_198,
    'admin',
    'ban',
    false,
    true,
  ]);
});

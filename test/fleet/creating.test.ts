import { beforeAll, expect, test } from 'vitest';
import { createOptions } from '../../src/options/create-options.ts';
import { csv, openPipeline } from '../imports/pipeline-harness.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { placeIn } from './places.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

test('users and groups are created over Redis as on the embedded queue', async () => {
  const { run, rows, summary, sandbox } = await openPipeline({
    place: placeIn(() => server),
    sandbox: {
      users: 0,
      groups: 0,
      seed: { users: ['ann', { uid: 'off', deactivated: true }] },
      faults: 'too-many=1,reset-created=1',
    },
  });
  const create = createOptions.parse({
    users: true,
    groups: true,
    reactivate: true,
    userNameFrom: 'uid',
    groupNameFrom: 'guid',
  });
  const file = csv(['ann', 'new', 'off'].map((uid) => ({ guid: 'team', uid })));
  const { id, state } = await run(file, { create });
  expect(state).toBe('completed');
  for (const { status } of rows(id)) expect(['added', 'already_member']).toContain(status);
  expect([...sandbox.members('us', 'team').keys()].toSorted()).toEqual(['ann', 'new', 'off']);
  expect(summary(id).created).toEqual({ users: 1, groups: 1, reactivated: 1 });
});

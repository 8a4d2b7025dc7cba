import { beforeAll, expect, test } from 'vitest';
import { openPipeline } from '../imports/pipeline-harness.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { placeIn } from './places.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

const seed = { regions: { us: { members: { team: { participants: ['pat', 'pit'] } } } } };

test('an import of edits does over Redis what it does on the embedded queue', async () => {
  const { run, rows, sandbox } = await openPipeline({
    place: placeIn(() => server),
    sandbox: { seed, faults: 'reset-after=1,too-many=1' },
    concurrency: 1,
  });
  const lines = ['pat,,remove', 'pit,admin,change', 'new,participant,add'];
  const { id } = await run(`guid,uid,scope,action\n${lines.map((line) => `team,${line}`).join('\n')}\n`, {
    edits: true,
  });
  // The first call was carried out and its answer lost: its group is asked.
  const first = rows(id).find(({ code }) => code === 'FOUND_IN_GROUP');
  expect(first).toMatchObject({ attempts: 1, message: expect.stringContaining('earlier call') });
  expect(rows(id).map(({ status }) => status)).toEqual(['removed', 'changed', 'added']);
  expect(Object.fromEntries(sandbox.members('us', 'team'))).toEqual({ pit: 'admin', new: 'participant' });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Overview } from '../../src/api/overview.ts';
import { DEFAULT_FLAGS } from '../../src/syncs/plan-flags.ts';
import { syncOptionsToJson } from '../../src/syncs/sync-options.ts';
import { reached } from '../imports/pipeline-harness.ts';
import { tempDir } from '../temp-dir.ts';
import { readEvents } from './event-source.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  const seed = { regions: { us: { members: { team: { participants: ['user-1', 'user-2', 'user-3'] } } } } };
  server = await startTestServer({ sandbox: { groups: 'any', users: 5, latencyMs: 20, seed } });
});
afterAll(() => server.close());

const overview = () => server.json<Overview>('/v1/overview');

async function schedule(name: string, text: string | undefined, apply = true): Promise<number> {
  const file = join(tempDir(), `${name}.csv`);
  if (text !== undefined) writeFileSync(file, text);
  const reading = { format: 'auto', mapping: {}, defaults: { region: 'us' } } as const;
  await server.schedules.add({
    ...{ name, cron: '30 2 * * *', tz: 'UTC', file, source: file, headers: {}, protectFile: null },
    ...{ maxSource: 1_000_000, repair: true, catchUp: false },
    options: syncOptionsToJson({ reading, flags: DEFAULT_FLAGS, limits: {}, apply, sandbox: true }),
  });
  const { id } = await server.json<{ id: number }>(`/v1/schedules/${name}/run`, { method: 'POST' });
  await server.schedules.over(id);
  return id;
}

test('nothing to tell is told as that', async () => {
  expect(await overview()).toEqual({
    imports: 0,
    queued: 0,
    ...{ running: [], waiting: [], recent: [], syncs: [], syncsUnderWay: [], nights: [], failing: [] },
    needs: { imports: 0, syncs: 0, schedules: 0 },
  });
});

test('an import that runs has an estimate, one that waits is listed, one that is over is among the recent ones', async () => {
  const rows = Array.from({ length: 300 }, (_, at) => `g${at},user-1`).join('\n');
  const long = await server.upload(`guid,uid\n${rows}\n`, 'name=long.csv');
  await reached(server.coordinator, long.id, 'running');
  const checked = await server.run('guid,uid\nteam,user-2\n', 'dryRun=true&name=checked.csv');
  const now = await overview();
  expect(now.running).toMatchObject([{ id: long.id, etaSeconds: expect.any(Number), stoppedRegions: [] }]);
  expect(now.waiting).toMatchObject([{ id: checked.id, state: 'staged' }]);
  expect(now.needs).toEqual({ imports: 1, syncs: 0, schedules: 0 });
  await server.json(`/v1/imports/${long.id}/cancel`, { method: 'POST' });
  await server.settled(long.id);
  expect(await overview()).toMatchObject({ imports: 2, running: [], recent: [{ id: long.id, state: 'cancelled' }] });
});

test('a code that fails in import after import is told with the latest of them', async () => {
  await server.run('guid,uid\nteam,nobody-1\n');
  expect((await overview()).failing).toEqual([]);
  const { id } = await server.run('guid,uid\nteam,nobody-2\nteam,nobody-3\n');
  expect((await overview()).failing).toEqual([{ code: 'ERR_UID_NOT_FOUND', imports: 2, rows: 3, latest: id }]);
});

test('each schedule has the result of its last run: put in place, waiting for a decision, failed', async () => {
  await schedule('good', 'guid,uid\nteam,user-4\n');
  await schedule('plans', 'guid,uid\nteam,user-5\n', false);
  await schedule('gone', undefined);
  const { nights, needs, syncs } = await overview();
  expect(nights.map(({ name, result }) => [name, result])).toEqual([
    ['gone', 'failed'],
    ['good', 'ok'],
    ['plans', 'waits'],
  ]);
  expect(nights[0]).toMatchObject({ unsuccessful: 1, lastSuccess: null, run: { sync: null } });
  expect(needs).toMatchObject({ syncs: 1, schedules: 1 });
  expect(syncs).toMatchObject([{ state: 'planned', schedule: 'plans' }]);
});

test('who follows the lists hears of a sync that moves', async () => {
  const source = await readEvents(`${server.url}/v1/events`);
  const { id } = await server.json<{ id: string }>('/v1/syncs?name=told.csv', {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'guid,uid\nteam,user-1\n',
  });
  await server.syncs.settled(id);
  await source.next(({ name, data }) => name === 'sync' && data.id === id && data.state !== 'planning');
  source.close();
});

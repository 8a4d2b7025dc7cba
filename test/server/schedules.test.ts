import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RegionStatus } from '../../src/api/region-status.ts';
import type { KeptSettings, ScheduleView } from '../../src/features/schedule/operations.ts';
import { withList } from '../chat/with-list.ts';
import { keptSchedule } from '../syncs/kept-schedule.ts';
import { runOver } from '../syncs/run-over.ts';
import { tempDir } from '../temp-dir.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** The service tells who is a member when this has resolved. */
let mayAnswer = Promise.resolve();
let server: TestServer;
beforeAll(async () => {
  const seed = { regions: { us: { members: { team: { participants: [] } } } } };
  server = await startTestServer({
    sandbox: { groups: 0, users: 3, seed },
    chat: (chat) =>
      withList(chat, 'members', async (page) => {
        await mayAnswer;
        return page();
      }),
  });
});
afterAll(() => server.close());

function add(name: string, file: string, more?: Partial<KeptSettings>) {
  server.schedules.catalog.add(name, keptSchedule({ file, repair: true, sandbox: true, ...more }));
}

const post = (path: string) => server.json<ScheduleView>(`/v1/schedules/${path}`, { method: 'POST' });
const list = async () => (await server.json<{ schedules: ScheduleView[] }>('/v1/schedules')).schedules;

test('a schedule is listed with its next times, run at once, and its history has the plan and how many rows are not in place', async () => {
  const file = join(tempDir(), 'members.csv');
  writeFileSync(file, 'guid,uid\nteam,user-1\nteam,nobody\n');
  add('nightly', file);
  const [nightly] = await list();
  expect(nightly).toMatchObject({ name: 'nightly', tz: 'Europe/Rome', paused: false, lastRun: null });
  expect(nightly?.next).toHaveLength(3);

  const answer = Promise.withResolvers<void>();
  mayAnswer = answer.promise;
  const run = await server.json<{ id: number }>('/v1/schedules/nightly/run', { method: 'POST' });
  expect(run).toMatchObject({ state: 'running', who: 'local' });
  expect(await server.problem('/v1/schedules/nightly/run', { method: 'POST' })).toMatchObject({
    code: 'SCHEDULE_RUNNING',
    detail: expect.stringContaining('nightly is'),
  });
  answer.resolve();
  await runOver(server.schedules, run.id);
  expect(await server.json('/v1/schedules/nightly/history')).toMatchObject({
    runs: [
      {
        id: run.id,
        state: 'ran',
        sync: { state: 'applied', totals: { actions: { add: 2 } } },
        reason: expect.stringMatching(/^applied: .*; 1 row /),
      },
    ],
  });
  expect(await list()).toMatchObject([{ lastRun: { id: run.id } }]);
});

test('a paused schedule has no next time, and a removed one is gone; both are on record', async () => {
  add('weekly', join(tempDir(), 'none.csv'));
  expect(await post('weekly/pause')).toMatchObject({ paused: true, next: [] });
  expect(await post('weekly/resume')).toMatchObject({ paused: false });
  expect((await server.fetch('/v1/schedules/weekly', { method: 'DELETE' })).status).toBe(204);
  expect((await list()).map(({ name }) => name)).not.toContain('weekly');
  const { entries } = await server.json<{ entries: { action: string; target: string }[] }>('/v1/audit?limit=3');
  expect(entries.map(({ action, target }) => `${action} ${target}`)).toEqual([
    'schedule.remove weekly',
    'schedule.resume weekly',
    'schedule.pause weekly',
  ]);
});

test('an edit while it runs applies from the next run', async () => {
  const file = join(tempDir(), 'members.csv');
  writeFileSync(file, 'guid,uid\nteam,user-2\n');
  add('edited', file);
  const { id } = await server.json<{ id: number }>('/v1/schedules/edited/run', { method: 'POST' });
  const edited = await server.json<ScheduleView>('/v1/schedules/edited', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ cron: '0 3 * * *', tz: 'Europe/Rome', file, repair: true, version: 1 }),
  });
  expect(edited).toMatchObject({ version: 2, cron: '0 3 * * *', apply: false });
  // It was begun with `apply`.
  expect(await runOver(server.schedules, id)).toMatchObject({ reason: expect.stringContaining('applied') });
  const next = await server.json<{ id: number }>('/v1/schedules/edited/run', { method: 'POST' });
  expect(await runOver(server.schedules, next.id)).toMatchObject({ reason: expect.not.stringContaining('applied') });
});

test('an address is shown without its query, which may be a secret', async () => {
  add('remote', 'https://files.example/members.csv?key=secret');
  expect((await list()).find(({ name }) => name === 'remote')?.file).toBe('https://files.example/members.csv');
});

test('a schedule that there is not is said to be unknown', async () => {
  for (const verb of ['run', 'pause', 'resume']) {
    const problem = await server.problem(`/v1/schedules/none/${verb}`, { method: 'POST' });
    expect(problem).toMatchObject({ code: 'UNKNOWN_SCHEDULE', status: 404 });
  }
  expect(await server.problem('/v1/schedules/none/history')).toMatchObject({ code: 'UNKNOWN_SCHEDULE' });
});

test('a schedule shows what its runs may create; an edit keeps what it is given back, and its runs create it', async () => {
  const file = join(tempDir(), 'choir.csv');
  writeFileSync(file, 'guid,uid\nchoir,user-1\n');
  add('creating', file, { createGroups: true, groupNameFrom: 'guid', maxCreate: 'groups=100%' });
  const create = { users: false, groups: true, reactivate: false, maxCreate: 'groups=100%' };
  const { name, ...before } = await server.json<ScheduleView>('/v1/schedules/creating');
  expect(before.create).toEqual(create);
  const edited = await server.json<ScheduleView>(`/v1/schedules/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...before, cron: '0 3 * * *' }),
  });
  expect(edited).toEqual({ ...before, name, cron: '0 3 * * *', version: 2, next: edited.next });
  const run = await server.json<{ id: number }>('/v1/schedules/creating/run', { method: 'POST' });
  expect(await runOver(server.schedules, run.id)).toMatchObject({
    state: 'ran',
    reason: expect.stringContaining('applied'),
  });
  expect([...server.sandbox.members('us', 'choir').keys()]).toEqual(['user-1']);
});

test('a run that meets an outage of the service while it is planned waits, and carries out its plan when the service is back', async () => {
  const file = join(tempDir(), 'members.csv');
  writeFileSync(file, 'guid,uid\nteam,user-1\nteam,user-2\nteam,user-3\n');
  add('outage', file);
  server.sandbox.faults.set('reset-before');
  const { id } = await server.json<{ id: number }>('/v1/schedules/outage/run', { method: 'POST' });
  const circuit = async () =>
    (await server.json<{ regions: RegionStatus[] }>('/v1/regions')).regions.map((region) => region.circuit?.state);
  await expect.poll(circuit).toContain('open');
  server.sandbox.faults.clear();
  expect(await runOver(server.schedules, id)).toMatchObject({
    state: 'ran',
    reason: expect.stringMatching(/^applied: /),
  });
  expect([...server.sandbox.members('us', 'team').keys()].toSorted()).toEqual(['user-1', 'user-2', 'user-3']);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SendingPlan } from '../../src/api/imports.ts';
import type { Overview } from '../../src/api/overview.ts';
import { openCatalog } from '../../src/imports/catalog.ts';
import { reached } from '../imports/pipeline-harness.ts';
import { keptSchedule } from '../syncs/kept-schedule.ts';
import { runOver } from '../syncs/run-over.ts';
import { syncSettled } from '../syncs/sync-settled.ts';
import { tempDir } from '../temp-dir.ts';
import { readEvents } from './event-source.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeEach(async () => {
  const seed = { regions: { us: { members: { team: { participants: ['user-1', 'user-2', 'user-3'] } } } } };
  server = await startTestServer({ sandbox: { groups: 'any', users: 5, latencyMs: 20, seed } });
});
afterEach(() => server.close());

/** One call for each of many rows: it runs until it is paused or cancelled. */
const long = (prefix: string) =>
  `guid,uid\n${Array.from({ length: 4_000 }, (_, at) => `${prefix}${at},user-1`).join('\n')}\n`;
const overview = () => server.json<Overview>('/v1/overview');
const dismiss = (id: string) => act('dismiss', id);
const act = (action: string, id: string) =>
  server.json<{ results: { problem?: { code: string } }[] }>('/v1/imports/actions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action, ids: [id] }),
  });
const attention = async () => (await overview()).attention.map(({ id }) => id);

async function schedule(name: string, text: string | undefined, apply = true): Promise<number> {
  const file = join(tempDir(), `${name}.csv`);
  if (text !== undefined) writeFileSync(file, text);
  server.schedules.catalog.add(name, keptSchedule({ file, tz: 'UTC', repair: true, apply, sandbox: true }));
  const { id } = await server.json<{ id: number }>(`/v1/schedules/${name}/run`, { method: 'POST' });
  await runOver(server.schedules, id);
  return id;
}

test('nothing to report is shown as that', async () => {
  expect(await overview()).toEqual({
    imports: 0,
    queued: 0,
    running: [],
    waiting: [],
    attention: [],
    recent: [],
    syncs: [],
    syncsUnderWay: [],
    schedules: 0,
    failedRuns: [],
    ready: { imports: [], syncs: [] },
    needs: { imports: 0, syncs: 0, schedules: 0 },
  });
});

test('an import that runs has an estimate, one that was only checked is ready, one that is over is among the recent ones', async () => {
  const checked = await server.run('guid,uid\nteam,user-2\n', 'dryRun=true&name=checked.csv');
  const { id } = await server.upload(long('g'), 'name=long.csv');
  await reached(server.coordinator, id, 'running');
  const now = await overview();
  expect(now.running).toMatchObject([{ id, etaSeconds: expect.any(Number), stoppedRegions: [] }]);
  expect(now.ready.imports).toMatchObject([{ id: checked.id, state: 'staged' }]);
  expect(now.waiting).toEqual([]);
  expect(now.needs).toEqual({ imports: 0, syncs: 0, schedules: 0 });
  await server.json(`/v1/imports/${id}/cancel`, { method: 'POST' });
  await server.settled(id);
  // A person has ended it: what was not sent needs no one.
  expect(await overview()).toMatchObject({
    imports: 2,
    running: [],
    attention: [],
    recent: [{ id, state: 'cancelled' }],
  });
});

test('a running import names its stopped regions, also if nothing ran when the overview was asked for first', async () => {
  await overview();
  server.sandbox.faults.set('eu:refuse-key');
  const rows = Array.from({ length: 4_000 }, (_, at) => `g${at},user-1,us\n`).join('');
  const { id } = await server.upload(`guid,uid,region\nteam,user-1,eu\n${rows}`, 'name=stopped.csv');
  await reached(server.coordinator, id, 'running');
  await expect.poll(async () => (await overview()).running.map((one) => one.stoppedRegions)).toEqual([['eu']]);
});

test('an import whose first rows were sent asks for a decision; one that a person has paused does not', async () => {
  const tried = await server.upload('guid,uid\nteam,user-1\nchoir,user-2\n', 'name=tried.csv&first=1');
  await reached(server.coordinator, tried.id, 'paused');
  const rested = await server.upload(long('p'), 'name=rested.csv');
  await reached(server.coordinator, rested.id, 'running');
  await server.json(`/v1/imports/${rested.id}/pause`, { method: 'POST' });
  await reached(server.coordinator, rested.id, 'paused');
  const { needs, waiting, ready } = await overview();
  expect(needs).toEqual({ imports: 1, syncs: 0, schedules: 0 });
  expect(waiting.map(({ id }) => id)).toEqual([tried.id]);
  expect(ready.imports.map(({ id }) => id)).toContain(rested.id);
});

test('a schedule whose last run failed is listed; neither is one that is in place, nor one that waits for a decision', async () => {
  await schedule('good', 'guid,uid\nteam,user-4\n');
  await schedule('plans', 'guid,uid\nteam,user-5\n', false);
  await schedule('gone', undefined);
  const { schedules, failedRuns, needs, syncs } = await overview();
  expect(schedules).toBe(3);
  expect(failedRuns).toMatchObject([{ schedule: 'gone', state: 'failed', unsuccessful: 1, sync: null }]);
  expect(needs).toMatchObject({ syncs: 1, schedules: 1 });
  expect(syncs).toMatchObject([{ state: 'planned', schedule: 'plans' }]);
});

test('a run that was skipped can be made up for once the run before it is over', async () => {
  const { catalog } = server.schedules;
  catalog.add('nightly', keptSchedule({ file: 'm.csv', sandbox: true }));
  const run = {
    schedule: 'nightly',
    who: '',
    reason: '',
    at: '2026-11-20T04:00:00.000Z',
    dueAt: '2026-11-20T04:00:00.000Z',
  };
  const { id } = catalog.addRun({ ...run, state: 'running' });
  catalog.addRun({ ...run, state: 'skipped-running' });
  const next = async () => (await overview()).failedRuns.map((failed) => failed.next.map(({ operation }) => operation));
  expect(await next()).toEqual([[]]);
  catalog.changeRun(id, { state: 'failed', reason: '' });
  expect(await next()).toEqual([['run']]);
});

test('a plan that a person makes to look at waits for no decision; one that a guard holds does', async () => {
  const plan = async (query: string, text: string) => {
    const { id } = await server.json<{ id: string }>(`/v1/syncs?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: text,
    });
    await syncSettled(server.syncs, id);
    return id;
  };
  const looked = await plan('name=looked.csv', 'guid,uid\nteam,user-5\n');
  const now = await overview();
  expect(now.needs.syncs).toBe(0);
  expect(now.ready.syncs.map(({ id }) => id)).toEqual([looked]);
  const held = await plan('name=held.csv&mode=mirror', 'guid,uid\nteam,user-1\nteam,\n');
  const then = await overview();
  expect(then.needs.syncs).toBe(1);
  expect(then.syncs[0]).toMatchObject({ id: held, state: 'held' });
  expect(then.ready.syncs.map(({ id }) => id)).toEqual([looked]);
});

test('who follows the lists hears of a sync that moves', async () => {
  const source = await readEvents(`${server.url}/v1/events`);
  const { id } = await server.json<{ id: string }>('/v1/syncs?name=stopped.csv', {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'guid,uid\nteam,user-1\n',
  });
  await syncSettled(server.syncs, id);
  await source.next(({ name, data }) => name === 'sync' && data.id === id && data.state !== 'planning');
  source.close();
});

test('who follows the lists hears of schedules that are made and run, and how long an import will take', async () => {
  const source = await readEvents(`${server.url}/v1/events`);
  const heard = source.next(({ name }) => name === 'schedules');
  await schedule('heard', 'guid,uid\nteam,user-4\n');
  await heard;
  const { id } = await server.upload(long('l'), 'name=left.csv');
  await source.next(
    ({ name, data }) =>
      name === 'imports' &&
      data.imports.some(
        (one: { id: string; etaSeconds?: number | null }) => one.id === id && typeof one.etaSeconds === 'number',
      ),
  );
  source.close();
});

test('an import that ended with rows that need attention needs a person until it is dismissed', async () => {
  const { id } = await server.run('guid,uid\nteam,nobody\nteam,user-1\nteam,\n', 'name=wrong.csv');
  expect(await overview()).toMatchObject({ attention: [{ id }], needs: { imports: 1 } });
  expect((await dismiss(id)).results).toMatchObject([{ id, state: 'completed' }]);
  expect(await overview()).toMatchObject({ attention: [], needs: { imports: 0 } });
  const { entries } = await server.json<{ entries: unknown[] }>('/v1/audit?search=import.dismiss');
  expect(entries[0]).toMatchObject({ action: 'import.dismiss', target: id });
  // More rows than were dismissed.
  const catalog = openCatalog(server.dir.catalog);
  catalog.setProblems(id, [{ code: 'ERR_UID_NOT_FOUND', rows: 3 }]);
  catalog.close();
  expect(await attention()).toEqual([id]);
});

test('rows that were sent again need attention in the import that sent them, and only there', async () => {
  const { id } = await server.run('guid,uid\nteam,nobody-again\n', 'name=again.csv');
  expect(await attention()).toEqual([id]);
  const retry = await server.json<{ id: string }>(`/v1/imports/${id}/retry`, { method: 'POST' });
  await server.settled(retry.id);
  expect(await attention()).toEqual([retry.id]);
  // More rows are more harm.
  const more = await server.run('guid,uid\nteam,nobody\nteam,no-one\n', 'name=more.csv');
  await server.run('guid,uid\nteam,nobody\n', 'name=fewer.csv');
  expect((await attention())[0]).toBe(more.id);
});

test('an import that is not over cannot be dismissed', async () => {
  const checked = await server.run('guid,uid\nteam,\n', 'dryRun=true&name=open.csv');
  expect((await dismiss(checked.id)).results).toMatchObject([{ problem: { code: 'WRONG_STATE' } }]);
});

test('what is left to send is not said to concern more groups than it has rows', async () => {
  const rows = Array.from({ length: 12 }, (_, at) => `room-${at},user-1\n`).join('');
  const { id } = await server.run(`guid,uid\n${rows}`, 'name=first.csv&first=10');
  const plan = await server.json<SendingPlan>(`/v1/imports/${id}/sending`);
  expect(plan).toMatchObject({ rows: 2, groups: 2, calls: 2 });
});

test('what a retry takes is said as what a first sending takes: rows, groups and calls', async () => {
  const missing = Array.from({ length: 30 }, (_, at) => `choir,absent-${at}\n`).join('');
  const { id } = await server.run(`guid,uid\nteam,user-1\nteam,absent\n${missing}`, 'name=again.csv');
  const plan = await server.json<SendingPlan>(`/v1/imports/${id}/sending`);
  expect(plan).toMatchObject({ rows: 31, groups: 2, calls: 3, sandbox: true });
});

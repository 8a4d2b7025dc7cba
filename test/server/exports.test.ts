import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportFile, openExportStore } from '../../src/features/export/export-store.ts';
import type { ExportView } from '../../src/features/export/operations.ts';
import { openExports } from '../../src/features/export/running-exports.ts';
import { eventually } from '../eventually.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  const members = { team: { owner: 'boss', participants: ['anna'], usersToBan: ['mallory'] } };
  server = await startTestServer({
    sandbox: { users: 0, groups: 0, seed: { users: [{ uid: 'anna', name: 'Anna' }], regions: { us: { members } } } },
  });
});
afterAll(() => server.close());

const begin = (body: object) =>
  server.json<ExportView>('/v1/exports', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const ended = async (id: string): Promise<ExportView> => {
  const view = () => server.json<ExportView>(`/v1/exports/${id}`);
  await eventually(async () => (await view()).underWay).toBe(false);
  return view();
};

test('an export is begun, looked at, downloaded as rows that an import reads, and deleted', async () => {
  const { id } = await begin({ regions: ['us'], users: true });
  expect(await ended(id)).toMatchObject({
    state: 'completed',
    lists: ['members', 'groups', 'users'],
    totals: { groups: 1, members: 2, banned: 1, users: 3 },
  });
  const download = await server.fetch(`/v1/exports/${id}/members`);
  expect(download.headers.get('content-disposition')).toBe(`attachment; filename="${id}-members.csv"`);
  const text = await download.text();
  expect(text).toMatch(/^uid,guid,scope,region,name,.*\nanna,team,participant,us,Anna,/);
  expect(await server.run(text)).toMatchObject({ state: 'completed', rows: { already_member: 2, banned: 1 } });
  const users = await (await server.fetch(`/v1/exports/${id}/users?format=ndjson`)).text();
  expect(JSON.parse(users.split('\n')[0] ?? '')).toMatchObject({ uid: 'anna', name: 'Anna' });
  expect((await server.json<{ exports: ExportView[] }>('/v1/exports')).exports.map((one) => one.id)).toContain(id);
  expect((await server.fetch(`/v1/exports/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await server.problem(`/v1/exports/${id}`)).toMatchObject({ code: 'UNKNOWN_EXPORT', status: 404 });
});

test('an export that the service refuses can go on later, and gives nothing until it is whole', async () => {
  server.sandbox.faults.set('refuse-key');
  const { id } = await begin({ regions: ['us'] });
  expect(await ended(id)).toMatchObject({ state: 'stopped', reason: expect.stringContaining('AUTH_ERR') });
  server.sandbox.faults.clear();
  const resume = `/v1/exports/${id}/resume`;
  expect(await server.problem(`/v1/exports/${id}/members`)).toMatchObject({
    code: 'WRONG_STATE',
    remedy: `Continue it with POST ${resume}.`,
  });
  await server.fetch(resume, { method: 'POST' });
  expect(await ended(id)).toMatchObject({ state: 'completed', totals: { members: 2 } });
  expect(await server.problem(resume, { method: 'POST' })).toMatchObject({ remedy: 'Download its lists.' });
  expect(await server.problem(`/v1/exports/${id}/users`)).toMatchObject({
    remedy: 'Ask for one of the lists in `possible`, or begin another export.',
    possible: ['members', 'groups'],
  });
});

test('what cannot be exported is refused', async () => {
  const post = (body: object) =>
    server.problem('/v1/exports', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect(await post({ regions: ['mars'] })).toMatchObject({ status: 400 });
  expect(await post({ groups: [] })).toMatchObject({ status: 400 });
  expect(await post({ users: true, groupsOnly: true })).toMatchObject({ code: 'BAD_OPTION', field: 'groupsOnly' });
  expect(await server.problem('/v1/exports/export-..%2F..%2Fcatalog')).toMatchObject({ status: 404 });
});

test('an export whose file is damaged is shown as such, hides no other, and can be deleted', async () => {
  const damaged = await begin({ regions: ['us'] });
  const whole = await begin({ regions: ['us'] });
  await Promise.all([ended(damaged.id), ended(whole.id)]);
  writeFileSync(exportFile(server.dir.export(damaged.id)), 'x'.repeat(8_192));
  const { exports } = await server.json<{ exports: ExportView[] }>('/v1/exports');
  expect(exports.map(({ id }) => id)).toContain(whole.id);
  const unreadable = exports.find(({ id }) => id === damaged.id);
  expect(unreadable).toMatchObject({ state: 'unreadable', underWay: false, totals: null });
  expect(unreadable?.reason).toBe('its file is damaged: delete the export, and begin another');
  expect(await server.json(`/v1/exports/${damaged.id}`)).toEqual(unreadable);
  expect((await server.fetch(`/v1/exports/${damaged.id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await server.problem(`/v1/exports/${damaged.id}`)).toMatchObject({ code: 'UNKNOWN_EXPORT' });
});

test('an export whose process was killed before it began hides no other', async () => {
  const folder = server.dir.export('export-killed');
  mkdirSync(folder, { recursive: true });
  openExportStore(folder).close();
  const { exports } = await server.json<{ exports: ExportView[] }>('/v1/exports');
  expect(exports.find(({ id }) => id === 'export-killed')).toMatchObject({ state: 'unreadable' });
  expect((await server.fetch('/v1/exports/export-killed', { method: 'DELETE' })).status).toBe(204);
});

test('an export is deleted when the time that it is kept is over', async () => {
  const { id } = await begin({ regions: ['us'] });
  await ended(id);
  const exports = openExports({
    dir: server.dir,
    coordinator: {} as never,
    events: { progressed: () => () => {}, tell: () => {} },
    onError: () => {},
    keepMs: 0,
  });
  await eventually(() => existsSync(server.dir.export(id))).toBe(false);
  await exports.stop();
});

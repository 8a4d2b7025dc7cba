import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImportView, SendingPlan } from '../../src/api/imports.ts';
import type { RowsPage } from '../../src/api/rows.ts';
import type { CheckView } from '../../src/features/check/operations.ts';
import { readOptions } from '../../src/imports/import-options.ts';
import { findFailing, leaveOut } from '../../src/imports/stage/leave-out.ts';
import { eventually } from '../eventually.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    sandbox: { users: 0, groups: 0, seed: { users: ['anna', 'bob'], groups: ['team'] } },
  });
});
afterAll(() => server.close());

const done = async (id: string): Promise<CheckView> => {
  const view = () => server.json<CheckView>(`/v1/imports/${id}/check`);
  await eventually(async () => (await view()).underWay).toBe(false);
  return view();
};

test('an import that was read and not sent is checked, and its rows and groups can be downloaded', async () => {
  const { id } = await server.run('uid,guid\nanna,team\nghost,team\nbob,none\n', 'dryRun=true');
  expect(await server.problem(`/v1/imports/${id}/check`)).toMatchObject({ code: 'NO_CHECK_YET', status: 409 });
  const begun = await server.fetch(`/v1/imports/${id}/check`, { method: 'POST' });
  expect([begun.status, begun.headers.get('location')]).toEqual([202, `/v1/imports/${id}/check`]);
  expect(await done(id)).toMatchObject({
    state: 'done',
    summary: { wouldFail: true, rows: { read: 3, add: 1, fail: 2 }, users: { unknown: 1 }, groups: { missing: 1 } },
  });
  const rows = await (await server.fetch(`/v1/imports/${id}/check/rows`)).text();
  expect(rows.split('\n').slice(0, 3)).toEqual([
    'row,region,guid,uid,scope,check,now,code,reason,value',
    '2,us,team,anna,participant,add,not a member,,,',
    '3,us,team,ghost,participant,fail,not a member,ERR_UID_NOT_FOUND,the user does not exist,',
  ]);
  const list = await server.json<RowsPage>(`/v1/imports/${id}/rows`);
  expect(list.rows.map(({ check }) => check)).toEqual(['add', 'fail:ERR_UID_NOT_FOUND', 'fail:ERR_GUID_NOT_FOUND']);
  expect(await (await server.fetch(`/v1/imports/${id}/check/groups`)).text()).toContain('us,none,,,,no,,1,0,1,');
});

test('a check makes no more calls than it may, says what the rest costs, and goes on when more are allowed', async () => {
  const { id } = await server.run('uid,guid\nanna,team\nbob,team\n', 'dryRun=true');
  await server.fetch(`/v1/imports/${id}/check?maxCalls=1`, { method: 'POST' });
  expect(await done(id)).toMatchObject({ state: 'priced', calls: 1, price: { us: 5 }, summary: null });
  expect(await server.problem(`/v1/imports/${id}/check/rows`)).toMatchObject({ code: 'NO_CHECK_YET' });
  await server.fetch(`/v1/imports/${id}/check`, { method: 'POST' });
  expect(await done(id)).toMatchObject({ state: 'done', summary: { wouldFail: false, rows: { add: 2 } } });
});

test('what was sent is not checked, and a number of calls must be one', async () => {
  const { id } = await server.run('uid,guid\nanna,team\n');
  expect(await server.problem(`/v1/imports/${id}/check`, { method: 'POST' })).toMatchObject({ code: 'WRONG_STATE' });
  expect(await server.problem(`/v1/imports/${id}/check?maxCalls=0`, { method: 'POST' })).toMatchObject({
    code: 'BAD_OPTION',
    field: 'maxCalls',
  });
  expect(await server.problem('/v1/imports/none/check', { method: 'POST' })).toMatchObject({ code: 'UNKNOWN_IMPORT' });
  const edits = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"edits":[]}' };
  expect((await server.problem(`/v1/imports/${id}/corrections/rows`, edits)).detail).toBe(
    'edits is []: it must not be empty.',
  );
  const look = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'uid,guid\n' };
  for (const [size, allowed] of [
    ['abc', 'it must be a number'],
    ['0', 'it must be more than 0'],
    ['1.5', 'it must be a whole number'],
  ]) {
    expect((await server.problem(`/v1/look?size=${size}`, look)).detail).toBe(`size is "${size}": ${allowed}.`);
  }
});

test('a check of an import that would create without names is refused with what to do, and none is begun', async () => {
  const { id } = await server.run('uid,guid\nnew-4,team\n', 'dryRun=true&createUsers=true');
  const refused = {
    code: 'CREATE_WITHOUT_NAME',
    detail: 'No column has names for the users to create (columns: "uid", "guid").',
    remedy: 'Map one with `createMap=name=COLUMN`, or take their UIDs for names with `userNameFrom=uid`.',
  };
  expect(await server.problem(`/v1/imports/${id}/check`, { method: 'POST' })).toMatchObject(refused);
  expect(await server.problem(`/v1/imports/${id}/check`)).toMatchObject({ code: 'NO_CHECK_YET' });
  expect(await server.problem(`/v1/imports/${id}/resume`, { method: 'POST' })).toMatchObject(refused);
  await server.json(`/v1/imports/${id}/resume?userNameFrom=uid`, { method: 'POST' });
  expect(await server.settled(id)).toMatchObject({ state: 'completed', created: { users: 1 } });
});

test('a check of an import with rows in a region without an app is refused, and none is begun', async () => {
  const { id } = await server.run('uid,guid,region\nanna,team,us\nbob,team,in\n', 'dryRun=true');
  expect(await server.problem(`/v1/imports/${id}/check`, { method: 'POST' })).toMatchObject({
    code: 'REGION_WITHOUT_APP',
    detail: 'Rows are for region in, which has no app.',
  });
  expect(await server.problem(`/v1/imports/${id}/check`)).toMatchObject({ code: 'NO_CHECK_YET' });
});

test('all rows but those that would fail are sent; what that takes is told before', async () => {
  const { id } = await server.run('uid,guid\nanna,team\nghost,team\nbob,none\nbob,team\n', 'dryRun=true');
  const without = `/v1/imports/${id}/resume?leaveOutFailing=true`;
  expect(await server.problem(without, { method: 'POST' })).toMatchObject({
    code: 'NO_CHECK_YET',
    status: 409,
    detail: `Import ${id} was not checked with the service, so it is not known which rows would fail; nothing was sent.`,
  });
  expect(await server.problem(`/v1/imports/${id}/sending?leaveOutFailing=true`)).toMatchObject({
    code: 'NO_CHECK_YET',
  });
  await server.fetch(`/v1/imports/${id}/check`, { method: 'POST' });
  await done(id);
  const plan = (query: string) => server.json<SendingPlan>(`/v1/imports/${id}/sending${query}`);
  expect(await plan('')).toMatchObject({ rows: 4, leftOut: 0, groups: 2, calls: 2 });
  expect(await plan('?leaveOutFailing=true')).toMatchObject({ rows: 2, leftOut: 2, groups: 1, calls: 1 });
  expect(await plan('?createUsers=true&createGroups=true&maxCreate=users=1,groups=1')).toMatchObject({
    rows: 4,
    calls: 4,
  });
  expect(await server.problem(`${without}&createUsers=true`, { method: 'POST' })).toMatchObject({
    code: 'NO_CHECK_YET',
    detail: expect.stringContaining('other options'),
  });
  await server.json(without, { method: 'POST' });
  const { rows, calls } = await server.settled(id);
  expect([rows.read, rows.skipped, rows.failed, calls]).toEqual([4, 2, 0, 1]);
  const list = await server.json<RowsPage>(`/v1/imports/${id}/rows?status=skipped&code=LEFT_OUT`);
  expect(list.rows.map(({ uid, message }) => [uid, message])).toEqual([
    ['ghost', 'not sent: the check found that the user does not exist (ERR_UID_NOT_FOUND)'],
    ['bob', 'not sent: the check found that the group does not exist (ERR_GUID_NOT_FOUND)'],
  ]);
  expect(server.access.audit({ limit: 10 }).find(({ action }) => action === 'import.resume')).toMatchObject({
    target: id,
    detail: 'leaveOutFailing=true to=sandbox',
  });
  expect(await server.problem(without, { method: 'POST' })).toMatchObject({
    code: 'WRONG_STATE',
    detail: `Import ${id} is completed and no rows can be left out: only before anything is sent.`,
  });
  expect(await server.problem(`/v1/imports/${id}/sending?leaveOutFailing=true`)).toMatchObject({ code: 'WRONG_STATE' });
});

test('after a start that was interrupted, rows that are left out already are not said to fail', async () => {
  const { id } = await server.run('uid,guid\nanna,team\nghost,team\n', 'dryRun=true');
  await server.fetch(`/v1/imports/${id}/check`, { method: 'POST' });
  await done(id);
  const view = () => server.json<ImportView>(`/v1/imports/${id}`);
  expect((await view()).checkedRows).toMatchObject({ canBeSent: 1, wouldFail: 1 });
  const options = readOptions(server.coordinator.find(id));
  leaveOut({ id, folder: server.dir.folder(id), options }, findFailing);
  expect(await view()).toMatchObject({
    state: 'staged',
    rows: { skipped: 1 },
    checkedRows: { canBeSent: 1, wouldFail: 0 },
  });
});

test('a refused start changes nothing: the options of the next one count', async () => {
  const at = (id: string, query: string) => [`/v1/imports/${id}/resume?${query}`, { method: 'POST' }] as const;
  const { id } = await server.run('uid,guid,name\nnew-1,newer,New One\n', 'dryRun=true');
  expect(await server.problem(...at(id, 'leaveOutFailing=true'))).toMatchObject({ code: 'NO_CHECK_YET' });
  await server.json(...at(id, 'createUsers=true&createGroups=true&groupNameFrom=guid'));
  expect(await server.settled(id)).toMatchObject({
    state: 'completed',
    rows: { added: 1, failed: 0 },
    created: { users: 1, groups: 1 },
  });

  expect(await server.problem(...at(id, 'createUsers=true&userNameFrom=uid'))).toMatchObject({ code: 'WRONG_STATE' });
  expect(readOptions(server.coordinator.find(id)).create).not.toMatchObject({ userNameFrom: 'uid' });

  const nameless = await server.run('uid,guid\nnew-2,team\n', 'dryRun=true');
  expect(await server.problem(...at(nameless.id, 'createUsers=true'))).toMatchObject({ code: 'CREATE_WITHOUT_NAME' });
  await server.json(...at(nameless.id, ''));
  expect(await server.settled(nameless.id)).toMatchObject({ state: 'completed', rows: { failed: 1 } });
});

test('an import that waits after its first rows creates from then on, if it is resumed so', async () => {
  const { id } = await server.run('uid,guid,name\nanna,team,\nnew-3,team,New Three\n', 'first=1');
  expect(await server.json(`/v1/imports/${id}`)).toMatchObject({ state: 'paused', code: 'FIRST_ROWS' });
  await server.json(`/v1/imports/${id}/resume?createUsers=true`, { method: 'POST' });
  expect(await server.settled(id)).toMatchObject({ state: 'completed', rows: { failed: 0 }, created: { users: 1 } });
});

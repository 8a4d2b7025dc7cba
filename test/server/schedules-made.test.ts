import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FileLook } from '../../src/api/look.ts';
import type { Overview } from '../../src/api/overview.ts';
import type { NewSchedule, ScheduleView } from '../../src/features/schedule/operations.ts';
import type { SyncView } from '../../src/features/sync/api.ts';
import { createAuthority } from '../chat/tls-authority.ts';
import { runOver } from '../syncs/run-over.ts';
import { syncSettled } from '../syncs/sync-settled.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** Schedules that are made over the API: what they may read, who may make them, and two who edit at once. */

const root = mkdtempSync(join(tmpdir(), 'rollcall-test-'));
const exports = join(root, 'exports');
const elsewhere = join(root, 'exports-of-others');
const authority = await createAuthority();
let server: TestServer;
let source: Server;
let address = '';
/** The requests to the source: each path, and the token that came with it. */
const asked: (readonly [path: string, token: string | undefined])[] = [];
let redirectTo = '';

beforeAll(async () => {
  for (const folder of [exports, elsewhere]) mkdirSync(folder);
  for (const path of [join(exports, 'members.csv'), join(elsewhere, 'secret.csv')]) {
    writeFileSync(path, 'guid,uid\nteam,user-1\nteam,user-2\n');
  }
  symlinkSync(elsewhere, join(exports, 'out'));
  symlinkSync(join(elsewhere, 'secret.csv'), join(exports, 'linked.csv'));
  writeFileSync(join(root, 'ca.pem'), authority.ca);
  source = createServer(await authority.issue(['localhost']), (request, reply) => {
    asked.push([request.url ?? '', request.headers.authorization]);
    if (request.url?.startsWith('/files/moved') === true) {
      return void reply.writeHead(302, { location: redirectTo }).end();
    }
    reply.end('guid,uid\nteam,user-3\n');
  });
  source.listen(0, '127.0.0.1');
  await once(source, 'listening');
  address = `https://localhost:${(source.address() as AddressInfo).port}`;
  server = await startTestServer({
    tokenRequired: true,
    settings: { sources: [exports, `${address}/files/`] },
    caFile: join(root, 'ca.pem'),
    sandbox: { groups: 0, users: 3, seed: { regions: { us: { members: { team: { participants: ['user-2'] } } } } } },
  });
});
afterAll(async () => {
  await server.close();
  source.closeAllConnections();
  source.close();
  rmSync(root, { recursive: true, force: true });
});

const as = (role: 'viewer' | 'operator', method: string, body?: object): RequestInit => ({
  method,
  headers: {
    authorization: `Bearer ${server.token(role, `the ${role}`)}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});
const plain = { cron: '30 2 * * *', tz: 'Europe/Rome', file: join(exports, 'members.csv') };
const newSchedule = (changes: Partial<NewSchedule> = {}): NewSchedule => ({
  name: 'nightly',
  ...plain,
  ...changes,
});
const add = (changes?: Partial<NewSchedule>) =>
  server.json<ScheduleView>('/v1/schedules', as('operator', 'POST', newSchedule(changes)));
const refused = (changes: Partial<NewSchedule>) =>
  server.problem('/v1/schedules', as('operator', 'POST', newSchedule({ name: 'never', ...changes })));
const edit = (body: object) => as('operator', 'PUT', { ...plain, ...body });
const audit = async () =>
  (
    await server.json<{ entries: { action: string; target: string; detail: string; who: string }[] }>(
      '/v1/audit',
      as('operator', 'GET'),
    )
  ).entries;

describe('what a schedule made over the API reads', () => {
  test.each([
    ['a file elsewhere', () => '/etc/passwd'],
    ['a way up', () => `${exports}/../exports-of-others/secret.csv`],
    ['a folder whose name only begins alike', () => join(elsewhere, 'secret.csv')],
    ['a linked folder', () => join(exports, 'out', 'secret.csv')],
    ['what is not there in a linked folder', () => join(exports, 'out', 'none', 'secret.csv')],
    ['a linked file', () => join(exports, 'linked.csv')],
    ['alternatives in a pattern', () => `${exports}/{a,b}/*.csv`],
    ['another host', () => 'https://files.example/members.csv'],
    ['another folder of the host', () => `${address}/private/members.csv`],
    ['a way up in an address', () => `${address}/files/../private/members.csv`],
    ['an encoded way up', () => `${address}/files/%2e%2e/private/members.csv`],
    ['an encoded slash', () => `${address}/files/..%2fprivate/members.csv`],
    ['another scheme', () => 'file:///etc/passwd'],
    ['an address with a password', () => 'https://ann:root:@files.example/members.csv'],
    ['an address of a database with a password', () => 'postgres://ann:root:/x@db.example/app'],
  ])('is never %s', async (_what, file) => {
    const problem = await refused({ file: file() });
    expect(['SOURCE_NOT_ALLOWED', 'BAD_OPTION']).toContain(problem.code);
    expect(problem.field).toBe('file');
    expect(JSON.stringify(problem)).not.toContain('root:');
  });

  test('is checked again when it runs: a link that came later is not followed, neither is a redirect to elsewhere', async () => {
    mkdirSync(join(exports, 'later'));
    await add({ name: 'links', file: `${exports}/later/*.csv` });
    symlinkSync(join(elsewhere, 'secret.csv'), join(exports, 'later', 'x.csv'));
    await add({ name: 'moved', file: `${address}/files/moved.csv` });
    redirectTo = `${address}/private/members.csv`;
    const reasonOf = async (name: string) => {
      const { id } = await server.json<{ id: number }>(`/v1/schedules/${name}/run`, as('operator', 'POST'));
      return (await runOver(server.schedules, id)).reason;
    };
    expect(await reasonOf('links')).toContain('*.csv"');
    expect(await reasonOf('moved')).toContain('ROLLCALL_SOURCES allows');
    expect(asked.map(([path]) => path)).not.toContain('/private/members.csv');
    redirectTo = `${address}/files/behind.csv`;
    expect(await reasonOf('moved')).toContain('planned');
  });

  test('may not take any secret of the environment along; one that is named for it is, and neither it nor a query comes back', async () => {
    const file = `${address}/files/members.csv?key=s3cret`;
    expect(await refused({ file, headers: { authorization: 'HOME' } })).toMatchObject({
      code: 'BAD_OPTION',
      field: 'headers',
      remedy: expect.stringContaining('SOURCE_'),
    });
    vi.stubEnv('SOURCE_TEST_TOKEN', 'Bearer t0ken');
    onTestFinished(() => void vi.unstubAllEnvs());
    const made = await add({ name: 'remote', file, headers: { authorization: 'SOURCE_TEST_TOKEN' } });
    expect(made.file).toBe(`${address}/files/members.csv`);
    // Edited as it is shown, it keeps its query.
    await server.json('/v1/schedules/remote', edit({ ...settingsOf(made), cron: '@daily', version: 1 }));
    const { id } = await server.json<{ id: number }>('/v1/schedules/remote/run', as('operator', 'POST'));
    await runOver(server.schedules, id);
    expect(asked.at(-1)).toEqual(['/files/members.csv?key=s3cret', 'Bearer t0ken']);
    const said = JSON.stringify([
      await server.json('/v1/schedules', as('operator', 'GET')),
      await server.json('/v1/schedules/remote/history', as('operator', 'GET')),
      await audit(),
    ]);
    expect(said).not.toContain('s3cret');
    expect(said).not.toContain('t0ken');
  });
});

test('what is missing or cannot be used in a schedule is named as the field that it is', async () => {
  expect(await refused({ name: 'Nightly run' })).toMatchObject({
    status: 400,
    code: 'BAD_OPTION',
    field: 'name',
    detail: '"Nightly run" cannot be the name of a schedule.',
    remedy: expect.stringContaining('lower-case letters'),
  });
  expect(await refused({ file: '' })).toMatchObject({ field: 'file', detail: 'file is "": it must not be empty.' });
  const { tz: _, ...timeless } = newSchedule();
  expect(await server.problem('/v1/schedules', as('operator', 'POST', timeless))).toMatchObject({
    field: 'tz',
    detail: 'tz is missing.',
  });
});

const settingsOf = ({ cron, tz, file, headers, apply }: ScheduleView) => ({ cron, tz, file, headers, apply });

test('a server without sources makes none, and names the setting', async () => {
  const closed = await startTestServer();
  try {
    for (const file of [join(exports, 'members.csv'), 'https://files.example/members.csv', 'members.csv']) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const problem = await closed.problem('/v1/schedules', { ...init, body: JSON.stringify(newSchedule({ file })) });
      expect(problem).toMatchObject({ code: 'SOURCE_NOT_ALLOWED', status: 403 });
      expect(problem.detail).toContain('ROLLCALL_SOURCES');
    }
  } finally {
    await closed.close();
  }
});

test('a schedule is tried before it is made: the plan is there with its numbers, and nothing is sent', async () => {
  const tried = { file: plain.file, apply: true };
  const before = await server.json<Overview>('/v1/overview', as('operator', 'GET'));
  const trying = async (body: object) => {
    const { id } = await server.json<SyncView>('/v1/schedules/try', as('operator', 'POST', body));
    await syncSettled(server.syncs, id);
    return server.json<SyncView>(`/v1/syncs/${id}`, as('operator', 'GET'));
  };
  expect(await trying(tried)).toMatchObject({
    state: 'tried',
    importId: null,
    apply: false,
    totals: { actions: { add: 1, keep: 1 } },
  });
  writeFileSync(join(exports, 'wrong.csv'), 'guid,uid\nteam,not one!\n');
  const held = await trying({ file: join(exports, 'wrong.csv') });
  expect(held).toMatchObject({ state: 'tried', guards: [{ guard: 'empty-file' }], actions: [] });
  // Nobody has to decide about a try.
  const { needs, ready } = await server.json<Overview>('/v1/overview', as('operator', 'GET'));
  expect({ needs, ready }).toEqual({ needs: before.needs, ready: before.ready });
  const approval = as('operator', 'POST', { reason: 'all of it' });
  expect(await server.problem(`/v1/syncs/${held.id}/approve`, approval)).toMatchObject({ status: 409 });
  expect([...server.sandbox.members('us', 'team').keys()]).not.toContain('user-1');
  const gone = { ...tried, file: `${exports}/gone.csv` };
  expect(await server.problem('/v1/schedules/try', as('operator', 'POST', gone))).toMatchObject({
    code: 'BAD_OPTION',
    field: 'file',
  });
});

test('the file of a schedule is looked at before it is made, from a folder and an address, and nothing is kept', async () => {
  const look = (body: object) => server.json<FileLook>('/v1/schedules/look', as('operator', 'POST', body));
  writeFileSync(join(exports, 'rooms.csv'), 'Raum;Wer\nteam;user-1\n');
  const before = readdirSync(join(server.dir.root, 'syncs'));
  const plainly = await look({ file: join(exports, 'rooms.csv') });
  expect(plainly).toMatchObject({ facts: { delimiter: ';' }, preview: { missing: ['uid', 'guid'] }, problem: null });
  const mapped = await look({ file: join(exports, 'rooms.csv'), map: 'uid=Wer,guid=Raum' });
  expect(mapped.preview?.rows).toMatchObject([{ uid: 'user-1', guid: 'team', original: { Raum: 'team' } }]);
  const fetched = await look({ file: `${address}/files/members.csv` });
  expect(fetched.preview?.rows).toMatchObject([{ uid: 'user-3' }]);
  const wrong = await look({ file: join(exports, 'rooms.csv'), format: 'json' });
  expect(wrong).toMatchObject({ preview: null, problem: { status: 400 } });
  expect(readdirSync(join(server.dir.root, 'syncs'))).toEqual(before);
  const refusedLook = (file: string) => server.problem('/v1/schedules/look', as('operator', 'POST', { file }));
  expect(await refusedLook(join(exports, 'linked.csv'))).toMatchObject({ code: 'SOURCE_NOT_ALLOWED' });
  expect(await refusedLook(join(elsewhere, 'secret.csv'))).toMatchObject({ code: 'SOURCE_NOT_ALLOWED' });
  writeFileSync(join(exports, 'empty.csv'), '');
  expect(await refusedLook(join(exports, 'empty.csv'))).toMatchObject({ code: 'BAD_OPTION', field: 'file' });
});

test('a schedule keeps of which system its file is an export, until an edit takes that away', async () => {
  const made = await add({ name: 'export', exportOf: 'slack', map: 'guid=channel,uid=user' });
  expect(made).toMatchObject({ exportOf: 'slack' });
  const after = await server.json<ScheduleView>('/v1/schedules/export', edit({ version: 1 }));
  expect(after.exportOf).toBeUndefined();
  expect(await refused({ exportOf: 'nobody' as never })).toMatchObject({ code: 'BAD_OPTION', field: 'exportOf' });
});

test('a schedule may be sent back as another version of the API has shown it', async () => {
  const made = await add({ name: 'shown' });
  // A run had fewer fields once.
  const shown = { ...made, lastRun: { id: 1, state: 'ran' }, next: null, tz: 'Europe/Rome' };
  const edited = await server.json<ScheduleView>('/v1/schedules/shown', edit(shown));
  expect(edited).toMatchObject({ tz: 'Europe/Rome', lastRun: null, createdAt: made.createdAt });
});

test('who has seen an older version overwrites nothing', async () => {
  const made = await add({ name: 'shared', 'limit.groupRemovalsPercent': '30' });
  expect(made).toMatchObject({ version: 1, restricted: true, 'limit.groupRemovalsPercent': '30' });
  const first = await server.json<ScheduleView>(
    '/v1/schedules/shared',
    edit({ cron: '0 4 * * *', mode: 'mirror', version: 1 }),
  );
  expect(first).toMatchObject({ version: 2, cron: '0 4 * * *', mode: 'mirror' });
  const late = await server.problem('/v1/schedules/shared', edit({ tz: 'UTC', version: 1 }));
  expect(late).toMatchObject({
    code: 'EDITED_MEANWHILE',
    status: 409,
    detail: expect.stringContaining('version 2'),
  });
  // The same once more changes nothing, and is not an edit.
  const again = edit({ cron: '0 4 * * *', mode: 'mirror', version: 2 });
  const same = await server.json<ScheduleView>('/v1/schedules/shared', again);
  expect(same).toMatchObject({
    version: 2,
    tz: 'Europe/Rome',
  });
  const [last, ...others] = await audit();
  expect(last).toMatchObject({ action: 'schedule.edit', target: 'shared', who: 'the operator' });
  expect(last?.detail).toContain('cron=0 4 * * *');
  expect(others.map(({ action, target }) => `${action} ${target}`)).not.toContain('schedule.edit shared');
});

test('a schedule that was edited looks at the groups again, although its file is the same', async () => {
  await add({ name: 'again', apply: true });
  const run = async () => {
    const { id } = await server.json<{ id: number }>('/v1/schedules/again/run', as('operator', 'POST'));
    return (await runOver(server.schedules, id)).state;
  };
  expect([await run(), await run()]).toEqual(['ran', 'skipped-unchanged']);
  await server.json('/v1/schedules/again', edit({ apply: true, allowDemotion: true, version: 1 }));
  expect(await run()).toBe('ran');
});

test('a schedule is made with what a sync may create, its runs create it, and an edit changes and ends that', async () => {
  const file = join(exports, 'rooms.csv');
  writeFileSync(file, 'guid,uid,Room,Nick\nattic,neo,The Attic,Neo\n');
  const createMap = 'name=Nick,group_name=Room';
  const creating = {
    createUsers: true,
    createGroups: true,
    createMap,
    groupType: 'private',
    userRole: 'default',
  } as const;
  const made = await add({ name: 'creates', file, apply: true, ...creating, maxCreate: 'users=5,groups=50%' });
  expect(made).toMatchObject({
    ...creating,
    groupMembers: true,
    create: { users: true, groups: true, reactivate: false, maxCreate: 'users=5,groups=50%' },
  });
  const { id } = await server.json<{ id: number }>('/v1/schedules/creates/run', as('operator', 'POST'));
  const held = await runOver(server.schedules, id);
  expect(held.reason).toContain('1 group');
  // The answer is taken as the next request, and changed.
  const { name, ...given } = made;
  const edited = await server.json<ScheduleView>(`/v1/schedules/${name}`, edit({ ...given, maxCreate: '10' }));
  expect(edited.create?.maxCreate).toBe('users=10,groups=10');
  const again = await server.json<{ id: number }>('/v1/schedules/creates/run', as('operator', 'POST'));
  expect((await runOver(server.schedules, again.id)).reason).toContain('applied');
  expect([...server.sandbox.members('us', 'attic').keys()]).toEqual(['neo']);
  const ended = await server.json<ScheduleView>('/v1/schedules/creates', edit({ file, version: 2 }));
  expect(ended.create).toBeNull();
});

test.each([
  ['cron', { cron: '61 * * * *' }],
  ['tz', { tz: 'Europe/Roma' }],
  ['missing', { missing: 'remove' }],
  ['limit.groupRemovalsPercent', { 'limit.groupRemovalsPercent': '120' }],
  ['delimiter', { delimiter: ';;' }],
  ['shape', { shape: '{"identities":{}}' }],
  // Only a person on the machine may give these.
  ['protectFile', { protectFile: '/etc/passwd' }],
  ['identities', { identities: '/etc/passwd' }],
  ['groups', { groups: '/etc/passwd' }],
  ['sourceSettings', { sourceSettings: { keyFile: '/root/.ssh/id_rsa' } }],
  ['sandbox', { sandbox: true }],
  ['file', { file: 'members.csv' }],
  ['createMap', { createUsers: true, createMap: 'nickname=Nick' }],
  ['groupDescription', { createGroups: true, groupDescription: 'x'.repeat(3_001) }],
  ['maxCreate', { createUsers: true, maxCreate: 'many' }],
] as const)('a wrong %s is named, with what is allowed', async (field, changes) => {
  expect(await refused(changes)).toMatchObject({ code: 'BAD_OPTION', field, status: 400 });
});

test('a viewer makes, edits and tries none', async () => {
  const bodies = [
    ['POST', '/v1/schedules', newSchedule({ name: 'mine' })],
    ['PUT', '/v1/schedules/shared', { ...plain, version: 2 }],
    ['POST', '/v1/schedules/try', { file: plain.file }],
    ['POST', '/v1/schedules/look', { file: plain.file }],
  ] as const;
  for (const [method, path, body] of bodies) {
    expect(await server.problem(path, as('viewer', method, body))).toMatchObject({ code: 'ROLE_TOO_LOW' });
  }
});

test('the next five times are those of the clocks in the zone', async () => {
  const query = new URLSearchParams({ cron: '30 2 * * 1-5', tz: 'Europe/Rome' });
  const { next } = await server.json<{ next: string[] }>(`/v1/schedules/next?${query}`, as('viewer', 'GET'));
  expect(next).toHaveLength(5);
  const bad = new URLSearchParams({ cron: 'whenever', tz: 'Europe/Rome' });
  expect(await server.problem(`/v1/schedules/next?${bad}`, as('viewer', 'GET'))).toMatchObject({ field: 'cron' });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlanAction, planDocument, type SyncGroup, type SyncView } from '../../src/features/sync/api.ts';
import { withList } from '../chat/with-list.ts';
import { syncSettled } from '../syncs/sync-settled.ts';
import { startTestServer, type TestServer } from './test-server.ts';

const TEAM = ['ann', 'ben', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal'];

/** The service tells who is a member when this has resolved. */
let mayAnswer = Promise.resolve();
let server: TestServer;
beforeAll(async () => {
  const members = Object.fromEntries(
    ['team', 'undone', 'put-away', 'half', 'crew', 'band'].map((guid) => [guid, { participants: TEAM }]),
  );
  server = await startTestServer({
    sandbox: { groups: 0, seed: { regions: { us: { members } } } },
    chat: (chat) =>
      withList(chat, 'members', async (page) => {
        await mayAnswer;
        return page();
      }),
  });
});
afterAll(() => server.close());

const members = (guid: string) => [...server.sandbox.members('us', guid).keys()].toSorted();
const rows = (guid: string, uids: readonly string[]) => `guid,uid\n${uids.map((uid) => `${guid},${uid}\n`).join('')}`;
const headers = { 'content-type': 'text/csv' };
const post = (path: string, body?: object) => ({
  path,
  init: {
    method: 'POST',
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  },
});
const did = ({ path, init }: ReturnType<typeof post>) => server.json<SyncView>(path, init);
const refused = ({ path, init }: ReturnType<typeof post>) => server.problem(path, init);

async function settled({ id }: Pick<SyncView, 'id'>): Promise<SyncView> {
  await syncSettled(server.syncs, id);
  return server.json(`/v1/syncs/${id}`);
}

const begin = (content: string, query: string) =>
  server.json<SyncView>(`/v1/syncs?${query}`, { method: 'POST', body: content, headers });
const sync = async (content: string, query: string) => settled(await begin(content, query));

const MIRROR = 'mode=mirror&missing=remove';

test('a new sync is planned, and offers nothing meanwhile', async () => {
  const answer = Promise.withResolvers<void>();
  mayAnswer = answer.promise;
  const made = await begin(rows('crew', TEAM), MIRROR);
  expect(made).toMatchObject({ state: 'planning', actions: [] });
  answer.resolve();
  expect(await settled(made)).toMatchObject({ state: 'unchanged' });
});

test('a plan to which a guard objects is held, approved with a reason on record, carried out by an import, and undone', async () => {
  const held = await sync(rows('team', ['ann', 'ben', 'zoe']), `${MIRROR}&name=team.csv&apply=true`);
  expect(held).toMatchObject({
    state: 'held',
    code: 'GUARDS_OBJECT',
    file: 'team.csv',
    actions: ['approve', 'reject'],
    importId: null,
    totals: { actions: { add: 1, remove: 6 } },
    findings: [{ guard: expect.stringContaining('group'), guid: 'team', value: 6, limit: 3 }],
  });
  expect(members('team')).toEqual(TEAM);

  const path = `/v1/syncs/${held.id}`;
  expect(await refused(post(`${path}/apply`))).toMatchObject({
    code: 'SYNC_HELD',
    status: 409,
    possible: ['approve', 'reject'],
  });
  for (const body of [{}, { reason: ' ' }, { reason: 7 }]) {
    expect(await refused(post(`${path}/approve`, body))).toMatchObject({ code: 'BAD_OPTION', field: 'reason' });
  }
  const reason = 'the team has moved';
  expect(await did(post(`${path}/approve`, { reason }))).toMatchObject({ state: 'applying' });
  const applied = await settled(held);
  expect(applied).toMatchObject({
    state: 'applied',
    importId: held.id,
    approved: { by: 'local', reason },
    actions: [],
  });
  expect(applied.moves.map(({ state, who }) => [state, who])).toEqual([
    ['planning', 'local'],
    ['held', ''],
    ['applying', 'local'],
    ['applied', ''],
  ]);
  expect(members('team')).toEqual(['ann', 'ben', 'zoe']);
  expect(await server.json(`/v1/imports/${held.id}`)).toMatchObject({ rows: { added: 1, removed: 6 } });

  const undo = await settled(await did(post(`/v1/imports/${held.id}/undo`)));
  expect(undo).toMatchObject({ state: 'planned', undoOf: held.id, mode: 'undo', actions: ['apply', 'reject'] });
  await did(post(`/v1/syncs/${undo.id}/apply`));
  expect(await settled(undo)).toMatchObject({ state: 'applied' });
  expect(members('team')).toEqual(TEAM);

  const { entries } = await server.json<{ entries: { action: string; target: string; detail: string }[] }>(
    '/v1/audit?limit=4',
  );
  expect(entries.map(({ action, target, detail }) => [action, target, detail])).toEqual([
    ['sync.apply', undo.id, 'file=team.csv to=sandbox'],
    ['import.undo', undo.id, `of ${held.id} to=sandbox`],
    ['sync.approve', held.id, `${reason} to=sandbox`],
    ['sync.create', held.id, expect.stringContaining('file=team.csv mode=mirror')],
  ]);
});

test('members of a sync with a name are downloaded, and users who left are let back, on record; an unknown name is refused', async () => {
  await sync(rows('band', [...TEAM, 'zoe']), 'syncName=nightly&apply=true');
  const made = await server.fetch('/v1/syncs/named/nightly/members');
  expect([made.headers.get('content-type'), (await made.text()).split('\n').map((line) => line.slice(0, 23))]).toEqual([
    'text/csv; charset=utf-8',
    ['region,guid,uid,scope,a', 'us,band,zoe,participant', ''],
  ]);
  const { path, init } = post('/v1/syncs/named/nightly/bring-back', { uids: ['zoe'] });
  expect((await server.fetch(path, init)).status).toBe(204);
  const { entries } = await server.json<{ entries: { action: string; detail: string }[] }>('/v1/audit?limit=1');
  expect(entries).toMatchObject([{ action: 'sync.bring-back', detail: 'nightly: zoe to=sandbox' }]);
  expect(await refused(post(path, { uids: ['ann'] }))).toMatchObject({ code: 'NOT_FOUND', status: 404 });
  expect(await server.problem('/v1/syncs/named/other/members')).toMatchObject({ code: 'NOT_FOUND', status: 404 });
});

test('a plan that is rejected stays one', async () => {
  const planned = await sync(rows('put-away', [...TEAM, 'zoe']), 'name=put-away.csv');
  expect(planned).toMatchObject({ state: 'planned', totals: { changes: 1 }, findings: [] });
  await did(post(`/v1/syncs/${planned.id}/reject`, { reason: 'Zoe has left' }));
  expect(await settled(planned)).toMatchObject({ state: 'rejected', reason: 'Zoe has left', actions: [] });
  expect(await refused(post(`/v1/syncs/${planned.id}/apply`))).toMatchObject({ code: 'WRONG_STATE', possible: [] });
  expect(members('put-away')).toEqual(TEAM);
});

test('guards compare a file with the last one of its name, and with no other', async () => {
  const half = (name: string) => sync(rows('half', TEAM.slice(0, 4)), `mode=mirror&name=${name}`);
  expect((await sync(rows('half', TEAM), 'mode=mirror&name=roster.csv')).state).toBe('unchanged');
  expect((await half('other.csv')).state).toBe('unchanged');
  expect(await half('roster.csv')).toMatchObject({ state: 'held', findings: [{ guard: 'shrunk-file', value: 4 }] });
});

describe('of a plan', () => {
  let plan: SyncView;
  const at = (rest: string) => `/v1/syncs/${plan.id}${rest}`;
  beforeAll(async () => {
    const file = `guid,uid,scope\n${['ann', 'zoe', 'yan'].map((uid) => `crew,${uid},admin\n`).join('')}nowhere,ann,admin\ncrew,"<img src=x>",admin\n`;
    plan = await sync(file, `mode=mirror&name=plan.csv&protect=ben&protect=cyd,dan&limit.failedListings=1`);
    expect(plan.protect).toEqual(['ben', 'cyd', 'dan']);
    expect(plan.limits).toEqual({ failedListings: 1 });
  });

  test('every action is given once over all its pages, by group and UID', async () => {
    const all: PlanAction[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: { actions: PlanAction[]; nextCursor: string | null } = await server.json(
        at(`/actions?limit=3${more}`),
      );
      expect(page.actions.length).toBeLessThanOrEqual(3);
      all.push(...page.actions);
      cursor = page.nextCursor;
    }
    const document = planDocument.parse(await server.json(at('/plan?format=json')));
    expect(all).toEqual(document.actions);
    expect(all.length).toBeGreaterThan(9);
  });

  test('actions are chosen by what is done, group and region', async () => {
    const chosen = async (query: string) =>
      (await server.json<{ actions: PlanAction[] }>(at(`/actions?${query}`))).actions.map(({ uid }) => uid);
    expect(await chosen('action=add,change')).toEqual(expect.arrayContaining(['ann', 'yan', 'zoe']));
    expect(await chosen('action=report')).toHaveLength(7);
    expect(await chosen('guid=CREW&limit=1')).toHaveLength(1);
    expect(await chosen('region=eu')).toEqual([]);
    expect(await chosen('guid=nobodys')).toEqual([]);
  });

  test('its groups are counted, and one that the service does not know says so', async () => {
    const page = await server.json<{ groups: SyncGroup[]; nextCursor: string | null }>(at('/groups?limit=1'));
    expect(page.groups).toMatchObject([
      { guid: 'crew', listing: 'listed', problem: '', members: 8, actions: { change: 1, report: 7 } },
    ]);
    const rest = await server.json<typeof page>(at(`/groups?limit=1&cursor=${page.nextCursor}`));
    expect(rest).toMatchObject({
      groups: [{ guid: 'nowhere', listing: 'not_found', problem: expect.stringContaining('the group') }],
      nextCursor: null,
    });
    expect((await server.json<typeof page>(at('/groups?action=remove'))).groups.map(({ guid }) => guid)).toEqual([
      'nowhere',
    ]);
  });

  test('it is downloaded as CSV under the name of its file', async () => {
    const response = await server.fetch(at('/plan'));
    expect(response.headers.get('content-disposition')).toContain(`filename="plan-${plan.id}-plan.csv"`);
    const [header, ...lines] = (await response.text()).trim().split('\n');
    expect(header?.trim()).toBe('region,group,uid,action,from,to,reason');
    expect(lines.filter((line) => line.startsWith('us,crew,'))).toHaveLength(
      plan.totals === null ? 0 : Object.values(plan.totals.actions).reduce((sum, count) => sum + count),
    );
  });

  test.each(['/actions?cursor=abc', '/groups?cursor=x'])('a cursor that was not given is refused: %s', async (rest) => {
    expect(await server.problem(at(rest))).toMatchObject({ code: 'BAD_CURSOR', status: 400 });
  });
});

test('the list gives every sync once over all its pages, newest first, of the states that are asked for', async () => {
  const page = (query: string) => server.json<{ syncs: SyncView[]; nextCursor: string | null }>(`/v1/syncs?${query}`);
  const { syncs, nextCursor } = await page('limit=200');
  expect(nextCursor).toBeNull();
  expect(syncs.length).toBeGreaterThan(5);
  const first = await page('limit=2');
  const second = await page(`limit=2&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
  expect([...first.syncs, ...second.syncs].map(({ id }) => id)).toEqual(syncs.slice(0, 4).map(({ id }) => id));
  const times = syncs.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted().reverse());
  expect(new Set((await page('state=held,rejected')).syncs.map(({ state }) => state))).toEqual(
    new Set(['held', 'rejected']),
  );
  expect(await server.problem('/v1/syncs?cursor=abc')).toMatchObject({ code: 'BAD_CURSOR' });
});

test.each([
  ['missing=remove', 'missing', 'mode add'],
  ['mode=sync', 'mode', 'add, mirror'],
  ['limit.groupRemovalsPercent=120', 'limit.groupRemovalsPercent', 'a percentage from 0 to 100'],
  ['limit.groupRemovals=1.5', 'limit.groupRemovals', 'a whole number from 0'],
  ['limit.nothing=1', 'limit.nothing', 'no option'],
  ['protect=ann,,ben', 'protect', 'UIDs'],
  ['dryRun=true', 'dryRun', 'no option'],
  ['delimiter=ab', 'delimiter', 'one character'],
])('an upload with %s is refused', async (query, field, says) => {
  const problem = await server.problem(`/v1/syncs?${query}`, { method: 'POST', body: 'guid,uid\n', headers });
  expect(problem).toMatchObject({ code: 'BAD_OPTION', status: 400, field });
  expect(problem.detail).toContain(says);
});

test('the same upload under one Idempotency-Key makes one sync, and the key means another thing for an import', async () => {
  const body = rows('crew', TEAM);
  const init = { method: 'POST', body, headers: { ...headers, 'idempotency-key': 'k-1' } };
  const first = await server.json<SyncView>('/v1/syncs?name=twice.csv', init);
  const again = await server.fetch('/v1/syncs?name=twice.csv', init);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
  expect(((await again.json()) as SyncView).id).toBe(first.id);
  expect(await server.problem('/v1/imports?name=twice.csv', init)).toMatchObject({ code: 'KEY_REUSED' });
  await settled(first);
});

test('a file that cannot be read fails the sync with its reason, and has no plan', async () => {
  const failed = await sync('a,b\n1,2\n', 'name=broken.csv');
  expect(failed).toMatchObject({ state: 'failed', totals: null, actions: [] });
  expect(failed.reason).toContain('column');
  for (const rest of ['/groups', '/actions', '/plan']) {
    expect(await server.problem(`/v1/syncs/${failed.id}${rest}`)).toMatchObject({ code: 'NO_PLAN_YET', status: 409 });
  }
  expect(server.leftovers()).toEqual([]);
});

test('what there is not is said to be unknown, and what is not over is not undone', async () => {
  for (const rest of ['', '/groups', '/actions', '/plan']) {
    expect(await server.problem(`/v1/syncs/none${rest}`)).toMatchObject({ code: 'UNKNOWN_SYNC', status: 404 });
  }
  expect(await refused(post('/v1/syncs/none/apply'))).toMatchObject({ code: 'UNKNOWN_SYNC' });
  expect(await refused(post('/v1/imports/none/undo'))).toMatchObject({ code: 'UNKNOWN_IMPORT' });
  const { id } = await server.run('guid,uid\ncrew,ann\n', 'dryRun=true');
  expect(await refused(post(`/v1/imports/${id}/undo`))).toMatchObject({
    code: 'CANNOT_UNDO',
    possible: ['resume', 'cancel', 'delete'],
  });
});

test('a sync creates what is missing, and its plan says what; more than maxCreate allows is held', async () => {
  const file = 'guid,uid,group_name\nnew-room,ann,The Room\n';
  const held = await sync(file, 'createGroups=true&groupType=private&maxCreate=groups=0&apply=true');
  expect(held).toMatchObject({
    state: 'held',
    totals: { unlisted: 0, create: { groups: 1, users: 0, reactivated: 0, calls: 2 } },
    create: { users: false, groups: true, reactivate: false, maxCreate: 'groups=0' },
    findings: [{ guard: 'created-groups', value: 1, limit: 0 }],
  });
  const path = `/v1/syncs/${held.id}`;
  expect(await server.json(`${path}/groups`)).toMatchObject({
    groups: [{ guid: 'new-room', problem: '', creates: { name: 'The Room', type: 'private', owner: '' } }],
  });
  const plan = planDocument.parse(await server.json(`${path}/plan?format=json`));
  expect(plan.actions).toMatchObject([{ uid: 'ann', action: 'add', reason: 'absent_with_group' }]);
  await did(post(`${path}/approve`, { reason: 'a new room' }));
  expect(await settled(held)).toMatchObject({ state: 'applied' });
  expect(members('new-room')).toEqual(['ann']);
  expect(await server.json(`/v1/imports/${held.id}`)).toMatchObject({ created: { groups: 1, users: 0 } });
  for (const max of ['many', 'users=5,users=100']) {
    const query = `createGroups=true&maxCreate=${max}`;
    const wrong = await server.problem(`/v1/syncs?${query}`, { method: 'POST', body: file, headers });
    expect(wrong).toMatchObject({ code: 'BAD_OPTION', field: 'maxCreate' });
  }
});

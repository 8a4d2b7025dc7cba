import { describe, expect, test } from 'vitest';
import { openSandbox, uids } from './open-sandbox.ts';

/** Reading groups, members and users: shapes from public knowledge, not contract. */

const uidsOf = (json: { data: { uid: string }[] }) => json.data.map(({ uid }) => uid);

describe('members', () => {
  test('pages hold 100 unless set otherwise, and together everyone once in the order of joining', async () => {
    const { ask } = await openSandbox({
      seed: { regions: { us: { members: { team: { participants: uids(230) } } } } },
    });
    const pages = [1, 2, 3, 4].map((page) => ask('GET', `/v3/groups/team/members?page=${page}`));
    const replies = (await Promise.all(pages)).map(({ json }) => json);
    expect(replies.flatMap(uidsOf)).toEqual(uids(230));
    expect(replies.map(({ meta }) => meta.pagination.count)).toEqual([100, 100, 30, 0]);
    expect(replies[2].meta.pagination).toEqual({
      total: 230,
      count: 30,
      per_page: 100,
      current_page: 3,
      total_pages: 3,
    });
  });

  test.each(['perPage=0', 'perPage=1001', 'perPage=x', 'page=0', 'page=-1', 'page='])(
    '%s is refused',
    async (query) => {
      const { ask } = await openSandbox();
      const { status, json } = await ask('GET', `/v3/groups/group-1/members?${query}`);
      expect([status, Object.keys(json.error.details)]).toEqual([400, [query.split('=')[0]]]);
    },
  );

  test('scopes filters, and each member carries its scope and the time of joining', async () => {
    const { add, ask } = await openSandbox({ users: 9, groups: 1, now: () => 1_800_000_000_500 });
    await add('group-1', { admins: ['user-1'], moderators: ['user-2'], participants: ['user-3'] });
    const { json } = await ask('GET', '/v3/groups/group-1/members?scopes=admin,moderator');
    expect(uidsOf(json)).toEqual(['user-1', 'user-2']);
    expect(json.data[0]).toMatchObject({ name: 'user-1', status: 'offline', scope: 'admin', joinedAt: 1_800_000_000 });
    expect(uidsOf((await ask('GET', '/v3/groups/group-1/members?status=available')).json)).toEqual([]);
  });

  test('on behalf of a user outside the group the list is refused', async () => {
    const { ask } = await openSandbox();
    const { status, json } = await ask('GET', '/v3/groups/group-1/members', { headers: { onBehalfOf: 'user-1' } });
    expect([status, json.error.code]).toEqual([401, 'ERR_GROUP_NOT_JOINED']);
  });
});

describe('groups', () => {
  test('a group tells how many members it has, and the acting user its own place', async () => {
    const { add, ask } = await openSandbox();
    await add('group-1', { admins: ['user-1'], usersToBan: ['user-2'] });
    const plain = (await ask('GET', '/v3/groups/group-1')).json.data;
    expect(plain).toMatchObject({ guid: 'group-1', membersCount: 1, hasJoined: false, owner: 'app_system' });
    const own = (await ask('GET', '/v3/groups/group-1', { headers: { onBehalfOf: 'user-1' } })).json.data;
    expect(own).toMatchObject({ hasJoined: true, scope: 'admin', joinedAt: expect.any(Number) });
  });

  test('a created group can be filled', async () => {
    const { add, ask } = await openSandbox();
    const { json } = await ask('POST', '/v3/groups', { body: { guid: 'Club', name: 'The club', type: 'private' } });
    expect(json.data).toMatchObject({ guid: 'club', name: 'The club', type: 'private', membersCount: 0 });
    expect((await add('club', { admins: ['user-1'] })).status).toBe(200);
  });
});

describe('users and messages', () => {
  test('searchKey is the start of a UID or a name', async () => {
    const { ask } = await openSandbox();
    await ask('POST', '/v3/users', { body: { uid: 'x', name: 'User-10 of old' } });
    expect(uidsOf((await ask('GET', '/v3/users?searchKey=user-10')).json)).toEqual(['user-10', 'user-100', 'x']);
  });

  test('a UID that cannot be one is refused', async () => {
    const { ask } = await openSandbox();
    const { status, json } = await ask('POST', '/v3/users', { body: { uid: 'a b', name: 'A' } });
    expect([status, Object.keys(json.error.details)]).toEqual([400, ['uid']]);
  });

  test('a message to a group takes the next id of the app and the conversation of the group', async () => {
    const { add, ask } = await openSandbox();
    await add('group-1', { participants: ['user-1'] });
    const body = { receiver: 'group-1', receiverType: 'group', type: 'text', data: { text: 'hello' } };
    const { json } = await ask('POST', '/v3/messages', { body, headers: { onBehalfOf: 'user-1' } });
    expect(json.data).toMatchObject({ id: '2', conversationId: 'group_group-1', sender: 'user-1' });
  });

  test.each([
    [{ receiver: 'nobody', receiverType: 'user' }, 404, 'ERR_UID_NOT_FOUND'],
    [{ receiver: 'nowhere', receiverType: 'group' }, 404, 'ERR_GUID_NOT_FOUND'],
    [{ receiver: 'user-1', receiverType: 'planet' }, 400, 'ERR_BAD_REQUEST'],
  ])('a message to %j is refused with %i %s', async (to, status, code) => {
    const { ask } = await openSandbox();
    const reply = await ask('POST', '/v3/messages', { body: { ...to, type: 'text', data: {} } });
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
  });
});

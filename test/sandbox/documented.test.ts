import { describe, expect, test } from 'vitest';
import { openSandbox } from './open-sandbox.ts';

/** Public documentation beyond the contract is followed, or refused by its name: nothing is ignored in silence. */

const open = () => openSandbox({ users: 5, groups: 3 });
const names = (json: { data: { guid?: string; uid?: string }[] }) => json.data.map(({ guid, uid }) => guid ?? uid);

describe('lists', () => {
  test.each(['true', 'True', 'TRUE', '1'])('hasJoined=%s gives the groups of the acting user alone', async (on) => {
    const { ask, add } = await open();
    await add('group-2', { participants: ['user-1'] });
    const groupsOf = async (uid: string) =>
      names((await ask('GET', `/v3/groups?hasJoined=${on}`, { headers: { onBehalfOf: uid } })).json);
    expect([await groupsOf('user-1'), await groupsOf('user-2')]).toEqual([['group-2'], []]);
  });

  test.each(['true', 'True', '1'])('onlyDeactivated=%s gives the deactivated alone', async (on) => {
    const { ask } = await open();
    await ask('DELETE', '/v3/users', { body: { uidsToDeactivate: ['user-3'] } });
    expect(names((await ask('GET', `/v3/users?onlyDeactivated=${on}`)).json)).toEqual(['user-3']);
  });

  test('sortBy and sortOrder order them', async () => {
    const { ask } = await open();
    await ask('PUT', '/v3/groups/group-2', { body: { name: 'Zoo' } });
    await ask('PUT', '/v3/users/user-2', { body: { name: 'aaa' } });
    expect(names((await ask('GET', '/v3/groups?sortBy=name&sortOrder=DESC')).json)[0]).toBe('group-2');
    expect(names((await ask('GET', '/v3/users?sortBy=name')).json)[0]).toBe('user-2');
  });

  test.each([
    ['/v3/groups?hasJoined=perhaps', 'hasJoined'],
    ['/v3/groups?hasJoined=true', 'hasJoined'],
    ['/v3/groups?sortBy=colour', 'sortBy'],
    ['/v3/groups?sortBy=name&sortOrder=up', 'sortOrder'],
    ['/v3/groups?affix=append', 'affix'],
    ['/v3/users?onlyDeactivated=perhaps', 'onlyDeactivated'],
    ['/v3/users?updatedAt=1', 'updatedAt'],
  ])('%s is refused by name', async (path, name) => {
    const { ask } = await open();
    const { status, json } = await ask('GET', path);
    expect([status, Object.keys(json.error.details)]).toEqual([400, [name]]);
  });

  test('a banned user comes with the time of the ban', async () => {
    const { ask, add } = await openSandbox({ users: 3, groups: 1, now: () => 1_800_000_000_500 });
    await add('group-1', { participants: ['user-1'], usersToBan: ['user-2'] });
    await ask('POST', '/v3/groups/group-1/bannedusers/user-1');
    const { data } = (await ask('GET', '/v3/groups/group-1/bannedusers')).json;
    expect(data).toMatchObject([{ bannedAt: 1_800_000_000 }, { bannedAt: 1_800_000_000 }]);
  });
});

describe('users and groups', () => {
  test('a user is changed field by field, and fields can be unset', async () => {
    const { ask } = await open();
    const link = 'https://a.example/b';
    const changed = await ask('PUT', '/v3/users/user-1', {
      body: { name: 'Ann', link, metadata: { a: 1 }, tags: ['x'] },
    });
    expect(changed.json.data).toMatchObject({ uid: 'user-1', name: 'Ann', link, metadata: { a: 1 }, tags: ['x'] });
    const unset = await ask('PUT', '/v3/users/user-1', { body: { unset: ['link', 'metadata'] } });
    expect(unset.json.data).toMatchObject({ name: 'Ann', tags: ['x'] });
    expect(Object.keys(unset.json.data)).not.toContain('link');
    expect((await ask('PUT', '/v3/users/user-1', { body: { unset: ['uid'] } })).json.error.details).toHaveProperty(
      'unset',
    );
    expect((await ask('PUT', '/v3/users/nobody', { body: { name: 'x' } })).json.error.code).toBe('ERR_UID_NOT_FOUND');
    expect((await ask('PUT', '/v3/users/user-1', { body: { role: 'king' } })).json.error.code).toBe(
      'ERR_ROLE_NOT_FOUND',
    );
  });

  test('a group is changed field by field', async () => {
    const { ask } = await open();
    const body = { name: 'Choir', description: 'We sing', tags: ['x'], owner: 'user-1', type: 'private' };
    expect((await ask('PUT', '/v3/groups/group-1', { body })).json.data).toMatchObject({ guid: 'group-1', ...body });
    expect((await ask('GET', '/v3/groups/group-1')).json.data).toMatchObject(body);
    expect((await ask('PUT', '/v3/groups/none', { body })).json.error.code).toBe('ERR_GUID_NOT_FOUND');
    expect((await ask('PUT', '/v3/groups/group-1', { body: { owner: 'nobody' } })).json.error.code).toBe(
      'ERR_UID_NOT_FOUND',
    );
    expect((await ask('PUT', '/v3/groups/group-1', { body: { type: 'password' } })).json.error.code).toBe(
      'ERR_EMPTY_GROUP_PASS',
    );
  });

  test.each([
    ['{}', {}],
    ['permanent: false', { permanent: false }],
  ])('deleting a user with %s deactivates', async (_, body) => {
    const { ask } = await open();
    expect((await ask('DELETE', '/v3/users/user-1', { body })).json.data).toMatchObject({
      success: true,
      message: expect.stringContaining('deactivated'),
    });
    expect(names((await ask('GET', '/v3/users?onlyDeactivated=true')).json)).toEqual(['user-1']);
  });

  test('withAuthToken gives a new user a token', async () => {
    const { ask } = await open();
    const made = await ask('POST', '/v3/users', { body: { uid: 'ann', name: 'Ann', withAuthToken: true } });
    expect(made.json.data.authToken).toMatch(/^ann_\d{10}[0-9a-f]{40}$/);
    const plain = await ask('POST', '/v3/users', { body: { uid: 'bob', name: 'Bob' } });
    expect(Object.keys(plain.json.data)).not.toContain('authToken');
  });

  test('a role is folded to lower case', async () => {
    const { ask } = await open();
    const { status, json } = await ask('POST', '/v3/users', { body: { uid: 'ann', name: 'Ann', role: 'Default' } });
    expect([status, json.data.role]).toEqual([200, 'default']);
  });
});

test('a token keeps what it is tied to, and other fields are refused by name', async () => {
  const { ask } = await open();
  const tied = { platform: 'ios', userAgent: 'phone', appInfo: { version: '1' } };
  const token = await ask('POST', '/v3/users/user-1/auth_tokens', { body: { force: true, ...tied } });
  expect(token.json.data).toMatchObject({ uid: 'user-1', ...tied });
  const other = await ask('POST', '/v3/users/user-1/auth_tokens', { body: { deviceId: 'x' } });
  expect([other.status, Object.keys(other.json.error.details)]).toEqual([400, ['deviceId']]);
  expect((await ask('POST', '/v3/users/user-1/auth_tokens')).status).toBe(200);
});

test.each([{}, { text: '' }, { text: '  ' }])('a text message with the data %o is refused', async (data) => {
  const { ask } = await open();
  const body = { receiver: 'user-2', receiverType: 'user', type: 'text', data };
  const { status, json } = await ask('POST', '/v3/messages', { body });
  expect([status, json.error.code]).toEqual([400, 'ERR_EMPTY_MESSAGE_TEXT']);
});

test('a version that is not v3 is refused by name', async () => {
  const { ask } = await open();
  const { status, json } = await ask('GET', '/v3.0/users');
  expect([status, json.error.code]).toEqual([404, 'ERR_INVALID_API_VERSION']);
  expect(json.error.message).toContain('v3.0');
});

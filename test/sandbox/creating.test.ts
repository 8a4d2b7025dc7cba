import { describe, expect, test } from 'vitest';
import { addMembersReply } from '../../src/chat/contract.ts';
import type { Behaviour } from '../../src/sandbox/behaviour.ts';
import { parseSeed } from '../../src/sandbox/seed.ts';
import { type Chat, openSandbox, uids } from './open-sandbox.ts';

/** Creating users and groups, and who is deactivated: shapes from public knowledge, not contract. */

const listed = async ({ ask }: Chat, path: string): Promise<string[]> =>
  (await ask('GET', path)).json.data.map((one: { uid?: string; guid?: string }) => one.uid ?? one.guid);

describe('a group that is created with members', () => {
  const members = { admins: ['user-1'], participants: ['user-2', 'nobody'], usersToBan: ['user-3'] };
  const body = { guid: 'Club', name: 'The club', members };

  test('has them, and the reply says per UID what became of it; one who is unknown does no harm', async () => {
    const { ask, sandbox } = await openSandbox();
    const { status, json } = await ask('POST', '/v3/groups', { body });
    expect([status, json.data.guid, json.data.name]).toEqual([200, 'club', 'The club']);
    const { data } = addMembersReply.parse({ data: json.data.members });
    expect(data.admins?.['user-1']).toMatchObject({ success: true });
    expect(data.participants?.['nobody']).toMatchObject({ success: false, error: { code: 'ERR_UID_NOT_FOUND' } });
    expect(Object.fromEntries(sandbox.members('us', 'club'))).toEqual({
      'user-1': 'admin',
      'user-2': 'participant',
      'user-3': 'ban',
    });
  });

  test.each<[Behaviour['membersOfNewGroup'], number, number, boolean]>([
    ['add-silently', 200, 3, false],
    ['ignore', 200, 0, false],
    ['refuse', 400, 0, false],
  ])('membersOfNewGroup: %s', async (membersOfNewGroup, status, size, inReply) => {
    const { ask, sandbox } = await openSandbox({ users: 100, behaviour: { membersOfNewGroup } });
    const reply = await ask('POST', '/v3/groups', { body });
    expect([reply.status, sandbox.members('us', 'club').size]).toEqual([status, size]);
    expect('members' in (reply.json.data ?? {})).toBe(inReply);
  });

  test('25 are the most', async () => {
    const { ask } = await openSandbox();
    const reply = await ask('POST', '/v3/groups', { body: { ...body, members: { participants: uids(26) } } });
    expect([reply.status, reply.json.error.code]).toEqual([400, 'ERR_BAD_REQUEST']);
  });
});

describe('a group', () => {
  test('belongs to the named owner, who is an admin, and must exist', async () => {
    const { ask, sandbox } = await openSandbox();
    const made = await ask('POST', '/v3/groups', { body: { guid: 'g', name: 'G', owner: 'user-1' } });
    expect(made.json.data).toMatchObject({ owner: 'user-1', membersCount: 1 });
    expect(Object.fromEntries(sandbox.members('us', 'g'))).toEqual({ 'user-1': 'admin' });
    const refused = await ask('POST', '/v3/groups', { body: { guid: 'h', name: 'H', owner: 'nobody' } });
    expect([refused.status, refused.json.error.code]).toEqual([404, 'ERR_UID_NOT_FOUND']);
  });

  test('of the type password needs one', async () => {
    const { ask } = await openSandbox();
    const body = { guid: 'g', name: 'G', type: 'password' };
    expect((await ask('POST', '/v3/groups', { body })).json.error.code).toBe('ERR_EMPTY_GROUP_PASS');
    expect((await ask('POST', '/v3/groups', { body: { ...body, password: 'x' } })).status).toBe(200);
  });

  test('groupType: required refuses one without a type', async () => {
    const { ask } = await openSandbox({ behaviour: { groupType: 'required' } });
    expect((await ask('POST', '/v3/groups', { body: { guid: 'g', name: 'G' } })).status).toBe(400);
  });

  test('can be listed, and deleted', async () => {
    const chat = await openSandbox();
    expect(await listed(chat, '/v3/groups')).toEqual(['group-1', 'group-2', 'group-3']);
    expect(await listed(chat, '/v3/groups?types=private')).toEqual([]);
    expect((await chat.ask('DELETE', '/v3/groups/group-2')).json.data.success).toBe(true);
    expect(await listed(chat, '/v3/groups?perPage=1&page=2')).toEqual(['group-3']);
  });
});

describe('a user', () => {
  test('is created with every field, and shown with them', async () => {
    const chat = await openSandbox({ seed: { roles: ['staff'] } });
    const profile = {
      name: 'Ann',
      avatar: 'https://example.org/a.png',
      role: 'staff',
      tags: ['x'],
      metadata: { '@private': { email: 'a@example.org' } },
    };
    expect((await chat.ask('POST', '/v3/users', { body: { uid: 'Ann', ...profile } })).json.data.uid).toBe('ann');
    expect((await chat.ask('GET', '/v3/users/ann')).json.data).toMatchObject(profile);
  });

  test('with a role that does not exist is refused', async () => {
    const { ask } = await openSandbox();
    const { status, json } = await ask('POST', '/v3/users', { body: { uid: 'ann', name: 'Ann', role: 'boss' } });
    expect([status, json.error.code]).toEqual([404, 'ERR_ROLE_NOT_FOUND']);
  });

  test('who is deactivated is unknown to every call, and cannot be created; reactivated, everything is as before', async () => {
    const chat = await openSandbox({ users: 3, groups: 1 });
    const { ask, add } = chat;
    const off = await ask('DELETE', '/v3/users', { body: { uidsToDeactivate: ['user-1'] } });
    expect(off.json.data.deactivatedUids).toEqual(['user-1']);
    const refusal = (await add('group-1', { participants: ['user-1'] })).json.data.participants['user-1'];
    expect(refusal.error.code).toBe('ERR_UID_NOT_FOUND');
    const created = await ask('POST', '/v3/users', { body: { uid: 'user-1', name: 'Again' } });
    expect(created.json.error.code).toBe('ERR_UID_ALREADY_EXISTS');
    expect(await listed(chat, '/v3/users')).toEqual(['user-2', 'user-3']);
    expect(await listed(chat, '/v3/users?withDeactivated=true')).toEqual(['user-1', 'user-2', 'user-3']);
    expect(await listed(chat, '/v3/users?onlyDeactivated=true')).toEqual(['user-1']);

    const on = await ask('PUT', '/v3/users', { body: { uidsToActivate: ['user-1', 'user-2', 'nobody'] } });
    expect(on.json.data).toEqual({ reactivatedUids: ['user-1'], nonDeactivatedUids: ['user-2', 'nobody'] });
    expect((await add('group-1', { participants: ['user-1'] })).json.data.participants['user-1'].success).toBe(true);
  });

  test('who is deleted for good is gone from its groups', async () => {
    const { ask, add, sandbox } = await openSandbox();
    await add('group-1', { participants: ['user-1', 'user-2'] });
    await ask('DELETE', '/v3/users/user-1', { body: { permanent: true } });
    expect([...sandbox.members('us', 'group-1').keys()]).toEqual(['user-2']);
    expect((await ask('GET', '/v3/groups/group-1')).json.data.membersCount).toBe(1);
    expect((await ask('POST', '/v3/users', { body: { uid: 'user-1', name: 'New' } })).status).toBe(200);
  });
});

test('a key of the scope authOnly creates users, and no groups', async () => {
  const { ask, sandbox } = await openSandbox();
  const headers = { apikey: sandbox.apps.us.authOnlyKey };
  expect((await ask('POST', '/v3/users', { headers, body: { uid: 'ann', name: 'Ann' } })).status).toBe(200);
  expect((await ask('POST', '/v3/groups', { headers, body: { guid: 'g', name: 'G' } })).status).toBe(403);
});

test('reset-created: what is created stays, and the reply is lost', async () => {
  const { ask, add, sandbox } = await openSandbox({ users: 3, groups: 1, faults: 'reset-created=1' });
  expect((await add('group-1', { participants: ['user-1'] })).status).toBe(200);
  await expect(ask('POST', '/v3/users', { body: { uid: 'ann', name: 'Ann' } })).rejects.toThrow();
  expect(sandbox.user('us', 'ann')).toMatchObject({ name: 'Ann' });
});

describe('a seed', () => {
  test('gives users names, roles and tags, and groups names and types; some users are deactivated', async () => {
    const text = JSON.stringify({
      users: ['ann', { uid: 'Bob', name: 'Bob B.', role: 'staff', tags: ['x'], deactivated: true }],
      groups: [{ guid: 'team', name: 'The team', type: 'private', description: 'All of us' }],
      regions: { us: { members: { team: { owner: 'ann', participants: ['bob'] } } } },
    });
    const chat = await openSandbox({ seed: parseSeed(text, 'seed.json') });
    expect((await chat.ask('GET', '/v3/groups/team')).json.data).toMatchObject({
      name: 'The team',
      type: 'private',
      owner: 'ann',
      membersCount: 2,
    });
    expect(chat.sandbox.user('us', 'bob')).toMatchObject({ name: 'Bob B.', role: 'staff', tags: ['x'] });
    expect(await listed(chat, '/v3/users')).toEqual(['ann']);
    expect(await listed(chat, '/v3/groups/team/members')).toEqual(['bob', 'ann']);
  });

  test.each([
    ['{"users":[{"uid":"a b"}]}', 'users.0.uid: "a b" cannot be an id'],
    ['{"users":[{"name":"Ann"}]}', 'users.0: uid: Invalid input'],
    ['{"groups":[{"guid":"g","type":"secret"}]}', 'groups.0: type: Invalid option'],
  ])('%s is refused with the place and the reason', (text, problem) => {
    expect(() => parseSeed(text, 'seed.json')).toThrow(problem);
  });
});

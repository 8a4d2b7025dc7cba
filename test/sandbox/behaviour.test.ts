import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../../src/sandbox/behaviour.ts';
import { type Chat, openSandbox, uids } from './open-sandbox.ts';

/** Each switch in each position that is not its default. */
const withSwitch = (behaviour: Partial<Behaviour>): Promise<Chat> => openSandbox({ users: 100, groups: 3, behaviour });

describe('size of a call', () => {
  test('maxUidsPerCall moves the limit', async () => {
    const { add } = await withSwitch({ maxUidsPerCall: 2 });
    expect((await add('group-1', { admins: uids(2) })).status).toBe(200);
    expect((await add('group-1', { admins: uids(3) })).status).toBe(400);
  });

  test('tooManyUids: truncate works off the first 25 and is silent about the rest', async () => {
    const { add, sandbox } = await withSwitch({ tooManyUids: 'truncate' });
    const { status, json } = await add('group-1', { admins: uids(20), participants: uids(10, 21) });
    expect(status).toBe(200);
    expect(Object.keys(json.data.participants)).toEqual(uids(5, 21));
    expect(sandbox.members('us', 'group-1').size).toBe(25);
  });

  test('maxBodyBytes moves the limit of a body', async () => {
    const { add } = await withSwitch({ maxBodyBytes: 29 });
    expect((await add('group-1', { admins: ['user-1'] })).status).toBe(200);
    expect((await add('group-1', { admins: ['user-2', 'user-3'] })).status).toBe(400);
  });
});

describe('shape of the reply', () => {
  test('replyLists: all gives the four lists, empty ones as objects', async () => {
    const { add } = await withSwitch({ replyLists: 'all' });
    const { data } = (await add('group-1', { admins: ['user-1'] })).json;
    expect(Object.keys(data)).toEqual(['admins', 'moderators', 'participants', 'usersToBan']);
    expect(data.participants).toEqual({});
  });

  test('2.1 by default the reply has the lists that were given, and no others', async () => {
    const { add } = await openSandbox();
    const { data } = (await add('group-1', { admins: ['user-1'], usersToBan: ['user-2'] })).json;
    expect(Object.keys(data)).toEqual(['admins', 'usersToBan']);
  });

  test('emptyList: array writes an empty list as []', async () => {
    const { add } = await withSwitch({ replyLists: 'all', emptyList: 'array' });
    expect((await add('group-1', { admins: ['user-1'] })).json.data.moderators).toEqual([]);
  });

  test('replyUids: as-sent gives UIDs back as the request wrote them', async () => {
    const { add } = await withSwitch({ replyUids: 'as-sent' });
    expect(Object.keys((await add('group-1', { admins: ['User-1'] })).json.data.admins)).toEqual(['User-1']);
  });

  test('capitalIds: unknown knows users and groups by their ids in lower case only', async () => {
    const { add, ask } = await withSwitch({ capitalIds: 'unknown' });
    expect((await add('Group-1', { admins: ['user-1'] })).json.error.code).toBe('ERR_GUID_NOT_FOUND');
    const { admins } = (await add('group-1', { admins: ['User-1', 'user-2'] })).json.data;
    expect(admins).toMatchObject({ 'user-1': { error: { code: 'ERR_UID_NOT_FOUND' } }, 'user-2': { success: true } });
    expect((await ask('GET', '/v3/users/User-1')).json.error.code).toBe('ERR_UID_NOT_FOUND');
    expect((await ask('GET', '/v3/users/user-1')).json.data.uid).toBe('user-1');
  });

  test('failureEntry: without-code keeps the message', async () => {
    const { add } = await withSwitch({ failureEntry: 'without-code' });
    const { nobody } = (await add('group-1', { admins: ['nobody'] })).json.data.admins;
    expect(nobody.error).not.toHaveProperty('code');
    expect(nobody).toMatchObject({ success: false, error: { message: expect.any(String) } });
  });

  test('failureEntry: without-success has the error alone', async () => {
    const { add } = await withSwitch({ failureEntry: 'without-success' });
    expect(Object.keys((await add('group-1', { admins: ['nobody'] })).json.data.admins.nobody)).toEqual(['error']);
  });

  test('actionSender: acting-user makes the user of onBehalfOf the sender', async () => {
    const { add } = await withSwitch({ actionSender: 'acting-user' });
    await add('group-1', { admins: ['user-1'] });
    const { data } = (await add('group-1', { admins: ['user-2'] }, { onBehalfOf: 'user-1' })).json;
    expect(data.admins['user-2'].data.sender).toBe('user-1');
    expect(data.admins['user-2'].data.data.entities.by.entity.uid).toBe('user-1');
  });
});

describe('bans and full groups', () => {
  test('by default adding a banned user lifts the ban', async () => {
    const { add, sandbox } = await openSandbox();
    await add('group-1', { usersToBan: ['user-1'] });
    expect((await add('group-1', { participants: ['user-1'] })).json.data.participants['user-1'].success).toBe(true);
    expect(sandbox.members('us', 'group-1').get('user-1')).toBe('participant');
  });

  test('addingBanned: refuse keeps the ban', async () => {
    const { add, sandbox } = await withSwitch({ addingBanned: 'refuse' });
    await add('group-1', { usersToBan: ['user-1'] });
    const { participants } = (await add('group-1', { participants: ['user-1'] })).json.data;
    expect(participants['user-1'].error.code).toBe('ERR_BANNED_GROUPMEMBER');
    expect(sandbox.members('us', 'group-1').get('user-1')).toBe('ban');
  });

  test('by default a full group refuses each further UID, and bans still work', async () => {
    const { add } = await withSwitch({ maxGroupMembers: 2 });
    const { data } = (await add('group-1', { participants: uids(3), usersToBan: ['user-9'] })).json;
    expect(data.participants['user-2'].success).toBe(true);
    expect(data.participants['user-3'].error.code).toBe('ERR_NO_VACANCY');
    expect(data.usersToBan['user-9'].success).toBe(true);
  });

  test('fullGroup: refuse-call refuses a call with more new members than there is room for', async () => {
    const { add, sandbox } = await withSwitch({ maxGroupMembers: 2, fullGroup: 'refuse-call' });
    const { status, json } = await add('group-1', { participants: uids(3) });
    expect([status, json.error.code]).toEqual([403, 'ERR_PLAN_QUOTA_RESTRICTION']);
    expect(sandbox.members('us', 'group-1').size).toBe(0);
    expect((await add('group-1', { participants: uids(2) })).status).toBe(200);
    expect((await add('group-1', { participants: uids(2) })).status).toBe(200);
  });

  test('listBanned: by default the list of members holds the banned, and can leave them out', async () => {
    const seed = { regions: { us: { members: { team: { participants: ['pat'], usersToBan: ['bea'] } } } } };
    const listed = async ({ ask }: Chat) =>
      (await ask('GET', '/v3/groups/team/members')).json.data.map(({ uid }: { uid: string }) => uid);
    expect(await listed(await openSandbox({ seed }))).toEqual(['pat', 'bea']);
    expect(await listed(await openSandbox({ seed, behaviour: { listBanned: false } }))).toEqual(['pat']);
  });
});

test('readDelayMs: new members show up in reads only after that time', async () => {
  let now = 1_800_000_000_000;
  const { add, ask } = await openSandbox({ users: 5, groups: 1, behaviour: { readDelayMs: 3000 }, now: () => now });
  const seen = async () => [
    (await ask('GET', '/v3/groups/group-1/members')).json.meta.pagination.total,
    (await ask('GET', '/v3/groups/group-1')).json.data.membersCount,
  ];
  await add('group-1', { participants: uids(2) });
  now += 2999;
  expect(await seen()).toEqual([0, 0]);
  now += 1;
  expect(await seen()).toEqual([2, 2]);
});

describe('what a page says about its list', () => {
  test.each([
    ['right', { pagination: { total: 100, count: 10, per_page: 10, current_page: 1, total_pages: 10 } }],
    ['odd', { pagination: { total: 0, count: 10, per_page: 10, current_page: 1, total_pages: 1 } }],
    ['absent', undefined],
  ] as const)('pagination: %s', async (pagination, meta) => {
    const { ask } = await withSwitch({ pagination });
    const { json } = await ask('GET', '/v3/users?perPage=10');
    expect([json.data.length, json.meta]).toEqual([10, meta]);
  });
});

describe('statuses', () => {
  test.each([403, 404] as const)(
    'refusedKeyStatus: %s for a key that is missing or unknown',
    async (refusedKeyStatus) => {
      const { ask } = await withSwitch({ refusedKeyStatus });
      expect((await ask('GET', '/v3/users', { headers: { apikey: undefined } })).status).toBe(refusedKeyStatus);
      expect((await ask('GET', '/v3/users', { headers: { apikey: 'x' } })).status).toBe(refusedKeyStatus);
    },
  );

  test('keyScopeStatus: 401 for a key whose scope does not suffice', async () => {
    const { ask, sandbox } = await withSwitch({ keyScopeStatus: 401 });
    expect((await ask('GET', '/v3/users', { headers: { apikey: sandbox.apps.us.authOnlyKey } })).status).toBe(401);
  });

  test('echoKey: a refusal repeats the key only when that is asked for', async () => {
    const refusal = async ({ ask, sandbox }: Chat) => {
      const apikey = sandbox.apps.us.authOnlyKey;
      return (await ask('GET', '/v3/users', { headers: { apikey } })).text.includes(apikey);
    };
    expect(await refusal(await openSandbox())).toBe(false);
    expect(await refusal(await withSwitch({ echoKey: true }))).toBe(true);
  });

  test('unknownGroupStatus: 400 for a group that does not exist', async () => {
    const { add } = await withSwitch({ unknownGroupStatus: 400 });
    const { status, json } = await add('nowhere', { admins: ['user-1'] });
    expect([status, json.error.code]).toEqual([400, 'ERR_GUID_NOT_FOUND']);
  });

  test.each([400, 409] as const)('duplicateStatus: %s for a user or group that exists', async (duplicateStatus) => {
    const { ask } = await withSwitch({ duplicateStatus });
    const user = await ask('POST', '/v3/users', { body: { uid: 'USER-1', name: 'One' } });
    expect([user.status, user.json.error.code]).toEqual([duplicateStatus, 'ERR_UID_ALREADY_EXISTS']);
    const group = await ask('POST', '/v3/groups', { body: { guid: 'Group-1', name: 'One' } });
    expect([group.status, group.json.error.code]).toEqual([duplicateStatus, 'ERR_GUID_ALREADY_EXISTS']);
  });
});

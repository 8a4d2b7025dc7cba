import { describe, expect, test } from 'vitest';
import { openSandbox, uids } from './open-sandbox.ts';

/** Additions of public knowledge to the contract of add members: the sandbox's defaults, none of them contract. */

describe('the body', () => {
  test.each([
    ['an unknown list', { owners: ['user-1'] }, 'owners'],
    ['an unknown list with a dangerous name', '{"__proto__":["user-1"]}', '__proto__'],
    ['a UID that is no string', { admins: [7] }, 'admins'],
    ['a list that is no array', { admins: 'user-1' }, 'admins'],
    ['an array', [], 'body'],
    ['broken JSON', '{"admins":', 'body'],
    ['nothing', '', 'body'],
  ])('%s is refused with 400 and the field in details', async (_what, body, field) => {
    const { add, sandbox } = await openSandbox();
    const { status, json } = await add('group-1', body);
    expect([status, json.error.code, json.error.source]).toEqual([400, 'ERR_BAD_REQUEST', 'chat-api']);
    expect(Object.keys(json.error.details)).toEqual([field]);
    expect(sandbox.members('us', 'group-1').size).toBe(0);
  });

  test('a body of more than 10 KB is refused', async () => {
    const { add } = await openSandbox();
    const { status, json } = await add('group-1', { admins: ['x'.repeat(10_240)] });
    expect([status, json.error.code]).toEqual([400, 'ERR_BAD_REQUEST']);
  });

  test('25 UIDs over all lists together are taken', async () => {
    const { add, sandbox } = await openSandbox();
    await add('group-1', { admins: uids(10), participants: uids(10, 11), usersToBan: uids(5, 21) });
    expect(sandbox.members('us', 'group-1').size).toBe(25);
  });

  test('26 UIDs over all lists together are refused whole', async () => {
    const { add, sandbox } = await openSandbox();
    const { status, json } = await add('group-1', {
      admins: uids(10),
      participants: uids(10, 11),
      usersToBan: uids(6, 21),
    });
    expect([status, Object.keys(json.error.details)]).toEqual([400, ['admins', 'participants', 'usersToBan']]);
    expect(sandbox.members('us', 'group-1').size).toBe(0);
  });
});

describe('the group', () => {
  test.each(['nowhere', 'no%20where', '%F0%9F%92%A9'])('an unknown GUID is refused with 404: %s', async (guid) => {
    const { add } = await openSandbox();
    const { status, json } = await add(guid, { admins: ['user-1'] });
    expect([status, json.error.code]).toEqual([404, 'ERR_GUID_NOT_FOUND']);
  });

  test('a GUID is found in any case', async () => {
    const { add } = await openSandbox();
    const { json } = await add('GROUP-1', { admins: ['user-1'] });
    expect(json.data.admins['user-1'].data.receiver).toBe('group-1');
  });

  test('a broken percent escape in the path leads nowhere', async () => {
    const { add } = await openSandbox();
    expect((await add('%E0%A4%A', { admins: ['user-1'] })).status).toBe(404);
  });
});

describe('UIDs', () => {
  test('they are found in any case and come back in lower case', async () => {
    const { add, sandbox } = await openSandbox();
    expect(Object.keys((await add('group-1', { admins: ['USER-1'] })).json.data.admins)).toEqual(['user-1']);
    expect([...sandbox.members('us', 'group-1').keys()]).toEqual(['user-1']);
  });

  test.each([
    [['admins', 'moderators', 'participants', 'usersToBan'], 'admins', 'admin'],
    [['moderators', 'participants', 'usersToBan'], 'moderators', 'moderator'],
    [['participants', 'usersToBan'], 'participants', 'participant'],
  ])('a UID in %j counts under %s alone', async (lists, winner, scope) => {
    const { add, sandbox } = await openSandbox();
    const { data } = (await add('group-1', Object.fromEntries(lists.map((list) => [list, ['user-1']])))).json;
    expect(Object.keys(data).filter((list) => Object.keys(data[list]).length > 0)).toEqual([winner]);
    expect(sandbox.members('us', 'group-1').get('user-1')).toBe(scope);
  });

  test('a UID that stands twice in one list is added once', async () => {
    const { add } = await openSandbox();
    const { data } = (await add('group-1', { participants: ['user-1', 'USER-1', 'user-2'] })).json;
    expect(Object.keys(data.participants)).toEqual(['user-1', 'user-2']);
    expect(data.participants['user-2'].data.data.entities.for.entity.membersCount).toBe(2);
  });

  test('names that JavaScript objects inherit are ordinary UIDs', async () => {
    const { add, sandbox } = await openSandbox({ users: 'any', groups: 1 });
    const reply = await add('group-1', { participants: ['__proto__', 'constructor'] });
    expect(reply.text).toContain('"__proto__":{"success":true');
    expect([...sandbox.members('us', 'group-1').keys()]).toEqual(['__proto__', 'constructor']);
  });
});

describe('a refused UID', () => {
  test('an unknown user has a whole error in its entry', async () => {
    const { add } = await openSandbox();
    expect((await add('group-1', { admins: ['nobody'] })).json.data.admins.nobody).toEqual({
      success: false,
      error: {
        code: 'ERR_UID_NOT_FOUND',
        message: 'The user with UID nobody does not exist.',
        devMessage: 'The user with UID nobody does not exist.',
        source: 'chat-api',
      },
    });
  });

  test.each(['admins', 'moderators', 'participants'])(
    'a member cannot be added again under %s, and keeps its scope',
    async (list) => {
      const { add, sandbox } = await openSandbox();
      await add('group-1', { moderators: ['user-1'] });
      const { data } = (await add('group-1', { [list]: ['user-1'] })).json;
      expect(data[list]['user-1'].error.code).toBe('ERR_ALREADY_JOINED');
      expect(sandbox.members('us', 'group-1').get('user-1')).toBe('moderator');
    },
  );

  test('a refused UID takes no message id', async () => {
    const { add } = await openSandbox();
    await add('group-1', { participants: ['user-1'] });
    const { participants } = (await add('group-1', { participants: ['user-1', 'user-2'] })).json.data;
    expect(participants['user-2'].data.id).toBe('2');
  });
});

describe('bans', () => {
  test('a ban ends a membership and lowers membersCount', async () => {
    const { add, ask, sandbox } = await openSandbox();
    await add('group-1', { participants: ['user-1', 'user-2'] });
    await add('group-1', { usersToBan: ['user-1'] });
    expect(sandbox.members('us', 'group-1').get('user-1')).toBe('ban');
    expect((await ask('GET', '/v3/groups/group-1')).json.data.membersCount).toBe(1);
  });

  test('a ban of a banned user is refused', async () => {
    const { add } = await openSandbox();
    await add('group-1', { usersToBan: ['user-1'] });
    const { usersToBan } = (await add('group-1', { usersToBan: ['user-1'] })).json.data;
    expect(usersToBan['user-1'].error.code).toBe('ERR_ALREADY_BANNED');
  });

  test('an unknown user cannot be banned', async () => {
    const { add } = await openSandbox();
    const { usersToBan } = (await add('group-1', { usersToBan: ['nobody'] })).json.data;
    expect(usersToBan.nobody.error.code).toBe('ERR_UID_NOT_FOUND');
  });
});

describe('on behalf of a user', () => {
  const seed = {
    regions: {
      us: {
        users: ['new', 'out'],
        members: { team: { admins: ['ann'], moderators: ['mo'], participants: ['pat'], usersToBan: ['bea'] } },
      },
    },
  };

  test.each([
    ['ann', 'admins', 200, undefined],
    ['ann', 'usersToBan', 200, undefined],
    ['mo', 'participants', 403, 'ERR_GROUP_NO_SCOPE_CLEARANCE'],
    ['mo', 'usersToBan', 200, undefined],
    ['mo', 'moderators', 403, 'ERR_GROUP_NO_SCOPE_CLEARANCE'],
    ['mo', 'admins', 403, 'ERR_GROUP_NO_SCOPE_CLEARANCE'],
    ['pat', 'participants', 403, 'ERR_GROUP_NO_CLEARANCE'],
    ['bea', 'participants', 401, 'ERR_GROUP_NOT_JOINED'],
    ['new', 'admins', 401, 'ERR_GROUP_NOT_JOINED'],
    // The user joins.
    ['new', 'participants', 200, undefined],
    ['nobody', 'participants', 404, 'ERR_UID_NOT_FOUND'],
  ])('%s using %s is answered with %s', async (onBehalfOf, list, status, code) => {
    const { add, sandbox } = await openSandbox({ seed });
    const reply = await add('team', { [list]: ['new'] }, { onBehalfOf });
    expect([reply.status, reply.json.error?.code]).toEqual([status, code]);
    expect(sandbox.members('us', 'team').has('new')).toBe(status === 200);
  });

  test('a moderator adds participants where the switch says so', async () => {
    const { add } = await openSandbox({ seed, behaviour: { moderatorsAdd: 'participants' } });
    expect((await add('team', { participants: ['new'] }, { onBehalfOf: 'mo' })).status).toBe(200);
  });

  test('a user joins a public group by adding itself, and no other', async () => {
    const { ask, add, sandbox } = await openSandbox({ seed });
    const { json } = await add('team', { participants: ['New'] }, { onBehalfOf: 'new' });
    expect(json.data.participants.new.data.data.action).toBe('joined');
    expect(sandbox.members('us', 'team').get('new')).toBe('participant');
    await ask('PUT', '/v3/groups/team', { body: { type: 'private' } });
    for (const [uid, code] of [
      ['out', 'ERR_GROUP_JOIN_NOT_ALLOWED'],
      ['bea', 'ERR_BANNED_GROUPMEMBER'],
    ] as const) {
      const reply = await add('team', { participants: [uid] }, { onBehalfOf: uid });
      expect([reply.status, reply.json.error.code]).toEqual([403, code]);
    }
    await ask('PUT', '/v3/groups/team', { body: { type: 'password', password: 'x' } });
    const reply = await add('team', { participants: ['out'] }, { onBehalfOf: 'out' });
    expect(reply.json.error.code).toBe('ERR_WRONG_GROUP_PASS');
  });

  test('or is refused like any stranger, where the switch says so', async () => {
    const { add } = await openSandbox({ seed, behaviour: { selfActions: 'refuse' } });
    const reply = await add('team', { participants: ['new'] }, { onBehalfOf: 'new' });
    expect([reply.status, reply.json.error.code]).toEqual([401, 'ERR_GROUP_NOT_JOINED']);
  });

  test('what the scope does not allow is refused with the call, or for the user alone', async () => {
    const lists = { admins: ['new'], usersToBan: ['pat', 'ann'] };
    const whole = await openSandbox({ seed });
    expect((await whole.add('team', lists, { onBehalfOf: 'mo' })).status).toBe(403);
    const each = await openSandbox({ seed, behaviour: { clearance: 'per-uid' } });
    const { json } = await each.add('team', lists, { onBehalfOf: 'mo' });
    expect(json.data).toMatchObject({
      admins: { new: { success: false, error: { code: 'ERR_GROUP_NO_SCOPE_CLEARANCE' } } },
      usersToBan: { pat: { success: true }, ann: { success: false, error: { code: 'ERR_GROUP_NO_CLEARANCE' } } },
    });
  });

  test('no one bans itself', async () => {
    const { add } = await openSandbox({ seed });
    const reply = await add('team', { usersToBan: ['ann'] }, { onBehalfOf: 'ann' });
    expect([reply.status, reply.json.error.code]).toEqual([403, 'ERR_GROUP_NO_SELF_ACTION']);
  });

  test('the group is changed by moderators and admins, deleted by admins, and keeps its owner', async () => {
    const { ask } = await openSandbox({ seed });
    const as = (onBehalfOf: string, method: string, body?: unknown) =>
      ask(method, '/v3/groups/team', { body, headers: { onBehalfOf } });
    expect((await as('pat', 'PUT', { name: 'A' })).json.error.code).toBe('ERR_GROUP_NO_MODERATOR_SCOPE');
    expect((await as('mo', 'PUT', { name: 'B', owner: 'mo' })).json.data).toMatchObject({
      name: 'B',
      owner: 'app_system',
    });
    expect((await as('mo', 'DELETE')).json.error.code).toBe('ERR_GROUP_NO_ADMIN_SCOPE');
    expect((await as('ann', 'DELETE')).status).toBe(200);
  });

  test('the owner of a group acts without being a member', async () => {
    const { ask, add } = await openSandbox();
    await ask('POST', '/v3/groups', { body: { guid: 'own', name: 'Own', owner: 'user-1' } });
    expect((await add('own', { admins: ['user-2'] }, { onBehalfOf: 'user-1' })).status).toBe(200);
  });
});

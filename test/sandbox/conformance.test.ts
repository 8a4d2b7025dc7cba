import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { addMembersReply } from '../../src/chat/contract.ts';
import { REGIONS } from '../../src/membership/membership.ts';
import { openSandbox, uids } from './open-sandbox.ts';

/** User as embedded in an action message. Timestamps are integers of unknown unit. */
const userEntity = z.looseObject({
  uid: z.string(),
  name: z.string(),
  role: z.string(),
  avatar: z.string().optional(),
  status: z.string(),
  createdAt: z.int(),
  updatedAt: z.int().optional(),
});

/** Group as embedded in an action message. */
const groupEntity = z.looseObject({
  guid: z.string(),
  name: z.string(),
  icon: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  type: z.string(),
  owner: z.string(),
  membersCount: z.int(),
  conversationId: z.string(),
  createdAt: z.int(),
  updatedAt: z.int().optional(),
});

/** Action message that the service records and returns for every user that it adds (docs/chat-service.md, 25). */
const actionMessage = z.looseObject({
  id: z.string(),
  conversationId: z.string(),
  sender: z.string(),
  receiverType: z.literal('group'),
  receiver: z.string(),
  category: z.literal('action'),
  type: z.literal('groupMember'),
  data: z.looseObject({
    action: z.string(),
    entities: z.looseObject({
      by: z.looseObject({ entity: userEntity, entityType: z.literal('user') }),
      on: z.looseObject({ entity: userEntity, entityType: z.literal('user') }),
      for: z.looseObject({ entity: groupEntity, entityType: z.literal('group') }),
    }),
  }),
  sentAt: z.int(),
  updatedAt: z.int(),
});

/** Section by section what chat-service.md says; the number in front of a title is the section, and the rule in it. */

describe('what the service does', () => {
  test('1 several users are added in one request, each with a scope, and others banned in the same request', async () => {
    const { add, sandbox } = await openSandbox();
    const body = {
      admins: ['user-1'],
      moderators: ['user-2'],
      participants: ['user-3', 'user-4'],
      usersToBan: ['user-5'],
    };
    expect((await add('group-1', body)).status).toBe(200);
    expect(Object.fromEntries(sandbox.members('us', 'group-1'))).toEqual({
      'user-1': 'admin',
      'user-2': 'moderator',
      'user-3': 'participant',
      'user-4': 'participant',
      'user-5': 'ban',
    });
  });

  test('1 the app and the region are part of the address, and an app knows nothing of the others', async () => {
    const { ask, sandbox } = await openSandbox();
    const body = { participants: ['user-1'] };
    expect((await ask('POST', '/v3/groups/group-1/members', { region: 'eu', body })).status).toBe(200);
    expect([...sandbox.members('eu', 'group-1').keys()]).toEqual(['user-1']);
    expect(sandbox.members('us', 'group-1').size).toBe(0);
    expect(sandbox.members('in', 'group-1').size).toBe(0);
  });
});

describe('the result', () => {
  test('2.1 the reply reads as the contract says', async () => {
    const { add } = await openSandbox();
    const reply = await add('group-1', { admins: ['user-1'], usersToBan: ['user-2'] });
    expect(reply.headers['content-type']).toBe('application/json');
    expect(addMembersReply.safeParse(reply.json).error).toBeUndefined();
  });

  test('2.1 there is one entry per requested UID, under its list', async () => {
    const { add } = await openSandbox();
    const { data } = (await add('group-1', { admins: ['user-1', 'user-2'], participants: ['user-3'] })).json;
    expect(Object.keys(data.admins)).toEqual(['user-1', 'user-2']);
    expect(Object.keys(data.participants)).toEqual(['user-3']);
  });

  test('2.1 an entry of usersToBan carries success and nothing else', async () => {
    const { add } = await openSandbox();
    expect((await add('group-1', { usersToBan: ['user-1'] })).json.data.usersToBan).toEqual({
      'user-1': { success: true },
    });
  });

  test('2.2 the action message has every field of the contract', async () => {
    const { add } = await openSandbox();
    const { data } = (await add('group-2', { moderators: ['user-7'] })).json;
    const message = data.moderators['user-7'].data;
    expect(actionMessage.safeParse(message).error).toBeUndefined();
    expect(message).toMatchObject({
      conversationId: 'group_group-2',
      receiverType: 'group',
      receiver: 'group-2',
      category: 'action',
      type: 'groupMember',
      data: {
        action: 'added',
        entities: {
          by: { entityType: 'user', entity: { uid: message.sender } },
          on: { entityType: 'user', entity: { uid: 'user-7' } },
          for: { entityType: 'group', entity: { guid: 'group-2' } },
        },
      },
    });
  });

  test('2.3 a user has an avatar only where it was given one', async () => {
    const { add, ask } = await openSandbox();
    await ask('POST', '/v3/users', { body: { uid: 'ann', name: 'Ann', avatar: 'https://a.example/ann.png' } });
    const { participants } = (await add('group-1', { participants: ['ann', 'user-1'] })).json.data;
    expect(participants.ann.data.data.entities.on.entity).toMatchObject({
      uid: 'ann',
      avatar: 'https://a.example/ann.png',
    });
    expect(participants['user-1'].data.data.entities.on.entity).not.toHaveProperty('avatar');
  });

  test('2.4 membersCount rises by one per added user: admins, then moderators, then participants', async () => {
    const { add } = await openSandbox();
    const reply = await add('group-1', {
      participants: ['user-5', 'user-6'],
      usersToBan: ['user-9'],
      moderators: ['user-3', 'user-4'],
      admins: ['user-1', 'user-2'],
    });
    const entries = ['admins', 'moderators', 'participants'].flatMap((list) => Object.entries(reply.json.data[list]));
    const counts = (
      entries as [string, { data: { data: { entities: { for: { entity: { membersCount: number } } } } } }][]
    ).map(([uid, { data }]) => [uid, data.data.entities.for.entity.membersCount]);
    expect(counts).toEqual(uids(6).map((uid, at) => [uid, at + 1]));
  });

  test('2.4 a group has no updatedAt until it changes', async () => {
    const { add, ask } = await openSandbox();
    expect((await ask('GET', '/v3/groups/group-1')).json.data).not.toHaveProperty('updatedAt');
    await add('group-1', { participants: ['user-1'] });
    expect((await ask('GET', '/v3/groups/group-1')).json.data.updatedAt).toEqual(expect.any(Number));
  });
});

describe('add members', () => {
  test('4.1 onBehalfOf is optional', async () => {
    const { add } = await openSandbox();
    expect((await add('group-1', { admins: ['user-1'] })).status).toBe(200);
    expect((await add('group-1', { admins: ['user-2'] }, { onBehalfOf: 'user-1' })).status).toBe(200);
  });

  test('4.1 a body needs Content-Type application/json', async () => {
    const { add, sandbox } = await openSandbox();
    const reply = await add('group-1', { admins: ['user-1'] }, { 'content-type': 'text/plain' });
    expect([reply.status, reply.json.error.code]).toEqual([400, 'ERR_BAD_REQUEST']);
    expect(sandbox.members('us', 'group-1').size).toBe(0);
  });

  test.each(['admins', 'moderators', 'participants', 'usersToBan'])('4.1 %s may be the only list', async (list) => {
    const { add } = await openSandbox();
    expect((await add('group-1', { [list]: ['user-1'] })).json.data[list]['user-1'].success).toBe(true);
  });

  test.each(['admins', 'moderators', 'participants', 'usersToBan'])(
    '8 %s has at least one item when present',
    async (list) => {
      const { add } = await openSandbox();
      const reply = await add('group-1', { [list]: [] });
      expect(reply.status).toBe(400);
      expect(reply.json.error.details[list]).toHaveLength(1);
    },
  );

  test('4.1.1 a user receives the scope of its list', async () => {
    const { add, ask } = await openSandbox();
    await add('group-1', { admins: ['user-1'], moderators: ['user-2'], participants: ['user-3'] });
    const members = (await ask('GET', '/v3/groups/group-1/members')).json.data;
    expect(members.map(({ uid, scope }: { uid: string; scope: string }) => `${uid} ${scope}`)).toEqual([
      'user-1 admin',
      'user-2 moderator',
      'user-3 participant',
    ]);
  });

  test('4.1.2 each successful addition yields one action message, sent by the system user about the added user', async () => {
    const { add } = await openSandbox();
    const { data } = (await add('group-1', { admins: ['user-1'], participants: ['nobody', 'user-2'] })).json;
    const messages = [data.admins['user-1'].data, data.participants['user-2'].data];
    expect(messages.map(({ id, sender }) => [id, sender])).toEqual([
      ['1', 'app_system'],
      ['2', 'app_system'],
    ]);
    expect(messages.map((message) => message.data.entities.on.entity.uid)).toEqual(['user-1', 'user-2']);
    expect(messages.map((message) => message.data.entities.by.entity.uid)).toEqual(['app_system', 'app_system']);
    expect(data.participants.nobody).not.toHaveProperty('data');
  });

  test('4.1.3 the outcome of each user can be read separately: one refusal leaves the others alone', async () => {
    const { add, sandbox } = await openSandbox();
    const { status, json } = await add('group-1', { participants: ['user-1', 'nobody', 'user-2'] });
    expect(status).toBe(200);
    const successes = ['user-1', 'nobody', 'user-2'].map((uid) => json.data.participants[uid].success);
    expect(successes).toEqual([true, false, true]);
    expect([...sandbox.members('us', 'group-1').keys()]).toEqual(['user-1', 'user-2']);
  });
});

describe('other operations', () => {
  test('4.2 POST /users/{uid}/auth_tokens creates a token of that user', async () => {
    const { ask } = await openSandbox();
    const { status, json } = await ask('POST', '/v3/users/user-1/auth_tokens');
    expect([status, json.data.uid]).toEqual([200, 'user-1']);
    expect(json.data.authToken).toMatch(/^user-1_\d{10}[0-9a-f]+$/);
  });

  test('4.2 GET /users lists users, also with a Content-Type header', async () => {
    const { ask } = await openSandbox({ users: 2 });
    const { json } = await ask('GET', '/v3/users', { headers: { 'content-type': 'application/json' } });
    expect(json.data.map(({ uid }: { uid: string }) => uid)).toEqual(['user-1', 'user-2']);
  });

  test('4.2 POST /messages sends a text to a user, on behalf of another where one is named', async () => {
    const { ask } = await openSandbox();
    const body = { receiver: 'user-2', receiverType: 'user', type: 'text', data: { text: 'hello' } };
    const { status, json } = await ask('POST', '/v3/messages', { body, headers: { onBehalfOf: 'user-1' } });
    expect(status).toBe(200);
    expect(json.data).toMatchObject({ sender: 'user-1', receiver: 'user-2', type: 'text', data: { text: 'hello' } });
  });

  test('4.2 GET /apps of the management address lists the apps for a key and a secret', async () => {
    const { ask, sandbox } = await openSandbox();
    const { status, json } = await ask('GET', '/apps', {
      name: 'apimgmt.localhost',
      headers: { ...sandbox.management },
    });
    expect(status).toBe(200);
    expect(json.data.map(({ id, region }: { id: string; region: string }) => [id, region])).toEqual(
      REGIONS.map((region) => [sandbox.apps[region].appId, region]),
    );
  });

  test('4.2 an operation that is not specified is not there', async () => {
    const { ask } = await openSandbox();
    const { status, json } = await ask('GET', '/v3/roles');
    expect([status, json.error.code]).toEqual([404, 'ERR_API_NOT_FOUND']);
  });
});

describe('authentication', () => {
  test.each(['api', 'call'])('5.1 every request to the %s address carries a key', async (service) => {
    const { ask, sandbox } = await openSandbox();
    const name = `${sandbox.apps.us.appId}.${service}-us.localhost`;
    const { status, json } = await ask('GET', '/v3/users', { name, headers: { apikey: undefined } });
    expect([status, json.error.code]).toEqual([401, 'AUTH_ERR_EMPTY_APIKEY']);
  });

  test('5.1 the header name is read in any case', async () => {
    const { ask, sandbox } = await openSandbox();
    const headers = { apikey: undefined, ApiKey: sandbox.apps.us.apiKey };
    expect((await ask('GET', '/v3/users', { headers })).status).toBe(200);
  });

  test('5.2 a key of another app is refused', async () => {
    const { ask, sandbox } = await openSandbox();
    const { status, json } = await ask('GET', '/v3/users', { headers: { apikey: sandbox.apps.eu.apiKey } });
    expect([status, json.error.code]).toEqual([401, 'AUTH_ERR_APIKEY_NOT_FOUND']);
  });

  test('5.3 an authOnly key creates users and tokens', async () => {
    const { ask, sandbox } = await openSandbox();
    const headers = { apikey: sandbox.apps.us.authOnlyKey };
    expect((await ask('POST', '/v3/users', { headers, body: { uid: 'ann', name: 'Ann' } })).status).toBe(200);
    expect((await ask('POST', '/v3/users/ann/auth_tokens', { headers })).status).toBe(200);
  });

  test.each([
    ['GET', '/v3/users'],
    ['GET', '/v3/groups/group-1'],
    ['GET', '/v3/groups/group-1/members'],
    ['POST', '/v3/messages'],
  ])('5.3 an authOnly key opens nothing else: %s %s', async (method, path) => {
    const { ask, sandbox } = await openSandbox();
    const reply = await ask(method, path, { headers: { apikey: sandbox.apps.us.authOnlyKey } });
    expect([reply.status, reply.json.error.code]).toEqual([403, 'AUTH_ERR_NO_ACCESS']);
  });

  test('5.4 adding members needs the scope fullAccess', async () => {
    const { add, sandbox } = await openSandbox();
    const reply = await add('group-1', { admins: ['user-1'] }, { apikey: sandbox.apps.us.authOnlyKey });
    expect([reply.status, reply.json.error.code]).toEqual([403, 'AUTH_ERR_NO_ACCESS']);
    expect(sandbox.members('us', 'group-1').size).toBe(0);
  });

  test.each(['key', 'secret'])('5.6 management operations need both headers: without %s', async (missing) => {
    const { ask, sandbox } = await openSandbox();
    const headers = { ...sandbox.management, [missing]: undefined };
    const { status, json } = await ask('GET', '/apps', { name: 'apimgmt.localhost', headers });
    expect([status, json.error.code]).toEqual([401, 'AUTH_ERR_EMPTY_AUTH_HEADER']);
  });

  test('5.6 a management secret that is wrong, or an api key in its place, is refused', async () => {
    const { ask, sandbox } = await openSandbox();
    const headers = { ...sandbox.management, secret: sandbox.apps.us.apiKey };
    expect((await ask('GET', '/apps', { name: 'apimgmt.localhost', headers })).status).toBe(401);
  });

  test('5.8 onBehalfOf acts as the named user, who has to be in the group', async () => {
    const { add } = await openSandbox();
    const reply = await add('group-1', { participants: ['user-2'] }, { onBehalfOf: 'user-1' });
    expect([reply.status, reply.json.error.code]).toEqual([401, 'ERR_GROUP_NOT_JOINED']);
  });
});

describe('versions', () => {
  test.each(['/v2/users', '/v3.0/users', '/users', '/'])('9.1 every path carries /v3: %s is refused', async (path) => {
    const { ask } = await openSandbox();
    const { status, json } = await ask('GET', path);
    expect([status, json.error.code]).toEqual([404, 'ERR_INVALID_API_VERSION']);
  });

  test.each(REGIONS)('9.4 the region %s has an address of its own', async (region) => {
    const { ask } = await openSandbox();
    expect((await ask('GET', '/v3/users', { region })).status).toBe(200);
  });

  test('9.4 an app is not found in another region', async () => {
    const { ask, sandbox } = await openSandbox();
    const { status, json } = await ask('GET', '/v3/users', { name: `${sandbox.apps.us.appId}.api-eu.localhost` });
    expect([status, json.error.code]).toEqual([401, 'AUTH_ERR_INVALID_APPID']);
  });
});

import { describe, expect, test } from 'vitest';
import { type Chat, openSandbox } from './open-sandbox.ts';

/** Requests as public clients of the service write them, client by client and in their order. */

interface Asked {
  readonly request: readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>];
  /** Absent: answered. */
  readonly refused?: readonly [status: number, code: string];
  /** Part of the reply's `data`. */
  readonly data?: unknown;
}

const ACTING = { onBehalfOf: 'user-1' };
const NOT_HERE = [404, 'ERR_API_NOT_FOUND'] as const;
const HEADERS = { appId: 'sandbox-us', accept: 'application/json', 'user-agent': 'someone else' };

const PHP: readonly Asked[] = [
  {
    request: ['POST', '/v3/users', { uid: 'php', name: 'Php', withAuthToken: true }],
    data: { authToken: expect.any(String) },
  },
  { request: ['GET', '/v3/users?perPage=100&page=1&searchKey=php&searchIn%5B0%5D=uid'], data: [{ uid: 'php' }] },
  { request: ['GET', '/v3/users?perPage=100&page=1&roles%5B0%5D=default&withTags=1'] },
  { request: ['GET', '/v3/users/php', undefined, ACTING], data: { uid: 'php' } },
  {
    request: ['PUT', '/v3/users/php', { name: 'Elephant', metadata: { '@private': { email: 'a@b.example' } } }],
    data: { name: 'Elephant' },
  },
  { request: ['POST', '/v3/groups', { guid: 'php-group', name: 'Php', type: 'private' }], data: { type: 'private' } },
  { request: ['GET', '/v3/groups?perPage=100&withTags=0&page=1&hasJoined=0'] },
  { request: ['GET', '/v3/groups/php-group'], data: { guid: 'php-group' } },
  { request: ['PUT', '/v3/groups/php-group', { name: 'Herd', tags: ['a'] }], data: { name: 'Herd', tags: ['a'] } },
  { request: ['POST', '/v3/users/php/auth_tokens', { force: true }], data: { authToken: expect.any(String) } },
  { request: ['GET', '/v3/roles'], refused: NOT_HERE },
];

const DOT_NET: readonly Asked[] = [
  { request: ['POST', '/v3/users', { uid: 'net', name: 'Net', withAuthToken: false }], data: { uid: 'net' } },
  { request: ['GET', '/v3/users?perPage=10'] },
  { request: ['GET', '/v3/users/net'], data: { name: 'Net' } },
  {
    request: ['PUT', '/v3/users/net', { uid: 'net', name: 'Sharp', link: 'https://a.example' }],
    data: { name: 'Sharp' },
  },
  { request: ['POST', '/v3/users/net', { name: 'Sharp' }], refused: NOT_HERE },
  { request: ['DELETE', '/v3/users/net', { permanent: false }], data: { success: true } },
  { request: ['GET', '/v3/users?onlyDeactivated=True&withDeactivated=False'], data: [{ uid: 'net' }] },
  { request: ['DELETE', '/v3/users/net', { permanent: true }], refused: [404, 'ERR_UID_NOT_FOUND'] },
  { request: ['PUT', '/v3/users', ['net']], refused: [400, 'ERR_BAD_REQUEST'] },
  { request: ['PUT', '/v3/users', { uidsToActivate: ['net'] }], data: { reactivatedUids: ['net'] } },
  { request: ['POST', '/v3/users/user-1/friends', { accepted: ['net'] }], refused: NOT_HERE },
  { request: ['POST', '/v3/users/user-1/blockedusers', ['net']], refused: NOT_HERE },
];

const NODE_HTTPS: readonly Asked[] = [
  {
    request: ['POST', '/v3/users', { uid: 'node-1', name: 'One', avatar: 'https://a.example/1.png' }],
    data: { uid: 'node-1' },
  },
  { request: ['POST', '/v3/users', { uid: 'node-1', name: 'One' }], refused: [400, 'ERR_UID_ALREADY_EXISTS'] },
  { request: ['POST', '/v3/users', { uid: 'Node-2', name: 'Two' }], data: { uid: 'node-2' } },
  {
    request: ['PUT', '/v3/users/node-1', { name: 'First', avatar: 'https://a.example/2.png' }],
    data: { name: 'First' },
  },
  { request: ['PUT', '/v3/users/node-1', { unset: ['avatar'] }], data: { name: 'First' } },
  { request: ['POST', '/v3/users/node-1/auth_tokens'], data: { uid: 'node-1' } },
  { request: ['POST', '/v3/users/node-1/auth_tokens', { force: true, platform: 'web' }], data: { platform: 'web' } },
  {
    request: ['POST', '/v3/groups', { guid: 'Node-G', name: 'G', type: 'public', owner: 'node-1' }],
    data: { guid: 'node-g' },
  },
  { request: ['PUT', '/v3/groups/node-g', { name: 'Gee', description: 'about' }], data: { description: 'about' } },
  {
    request: ['POST', '/v3/groups/node-g/members', { participants: ['node-2'] }],
    data: { participants: { 'node-2': { success: true } } },
  },
  {
    request: ['POST', '/v3/groups/node-g/members', { participants: [{ uid: 'user-2' }] }],
    refused: [400, 'ERR_BAD_REQUEST'],
  },
  {
    request: ['POST', '/v3/groups/node-g/members', { moderators: ['user-2'] }, { onBehalfOf: 'node-1' }],
    data: { moderators: { 'user-2': { success: true } } },
  },
  { request: ['GET', '/v3/groups/node-g/members?perPage=100&page=1&scopes=participant'], data: [{ uid: 'node-2' }] },
  { request: ['PUT', '/v3/groups/node-g/members/node-2', { scope: 'admin' }], data: { scope: 'admin' } },
  { request: ['POST', '/v3/groups/node-g/bannedusers/user-2'], data: { success: true } },
  { request: ['GET', '/v3/groups/node-g/bannedusers'], data: [{ uid: 'user-2', bannedAt: expect.any(Number) }] },
  { request: ['DELETE', '/v3/groups/node-g/bannedusers/user-2'], data: { success: true } },
  {
    request: [
      'POST',
      '/v3/messages',
      { receiver: 'node-g', receiverType: 'group', category: 'message', type: 'text', data: { text: 'Hello' } },
      { onBehalfOf: 'node-1' },
    ],
    data: { sender: 'node-1' },
  },
  {
    request: ['POST', '/v3/messages', { receiver: 'node-1', receiverType: 'user', type: 'text', data: { text: '' } }],
    refused: [400, 'ERR_EMPTY_MESSAGE_TEXT'],
  },
  { request: ['GET', '/v3/groups?hasJoined=true', undefined, { onBehalfOf: 'node-2' }], data: [{ guid: 'node-g' }] },
  { request: ['DELETE', '/v3/groups/node-g/members/node-2'], data: { success: true } },
  { request: ['DELETE', '/v3/groups/node-g'], data: { success: true } },
  { request: ['DELETE', '/v3/users/node-1', { permanent: true }], data: { success: true } },
  { request: ['DELETE', '/v3/users/node-2', {}], data: { success: true } },
];

/** The steps of live test suites: a user creates a group and goes on as its admin. */
const LIVE_SUITE: readonly Asked[] = [
  {
    request: ['POST', '/v3/groups', { guid: 'live', name: 'Live', type: 'private' }, ACTING],
    data: { owner: 'user-1', scope: 'admin', hasJoined: true, membersCount: 1 },
  },
  {
    request: ['POST', '/v3/groups/live/members', { participants: ['user-2'] }, ACTING],
    data: { participants: { 'user-2': { success: true } } },
  },
  { request: ['PUT', '/v3/groups/live/members/user-2', { scope: 'moderator' }, ACTING], data: { scope: 'moderator' } },
  { request: ['POST', '/v3/groups/live/bannedusers/user-2', undefined, ACTING], data: { success: true } },
  { request: ['DELETE', '/v3/groups/live/bannedusers/user-2', undefined, ACTING], data: { success: true } },
  { request: ['DELETE', '/v3/groups/live', undefined, ACTING], data: { success: true } },
];

const NODE_FETCH: readonly Asked[] = [
  { request: ['POST', '/v3/groups', { guid: 'fetch', name: 'Fetch', type: 'private' }], data: { guid: 'fetch' } },
  {
    request: ['POST', '/v3/groups/fetch/members', { members: [{ uid: 'user-1', scope: 'participant' }] }],
    refused: [400, 'ERR_BAD_REQUEST'],
  },
  { request: ['DELETE', '/v3/groups/fetch/members/user-1'], refused: [404, 'ERR_NOT_A_MEMBER'] },
  { request: ['DELETE', '/v3/groups/fetch'], data: { success: true } },
];

const TWILIO: readonly Asked[] = [
  { request: ['POST', '/v3/users', { uid: 'WhatsApp-49', name: 'Caller' }], data: { uid: 'whatsapp-49' } },
  {
    request: ['POST', '/v3/groups/group-1/members', { participants: ['WhatsApp-49'] }],
    data: { participants: { 'whatsapp-49': { success: true } } },
  },
];

const AXIOS: readonly Asked[] = [
  { request: ['GET', '/v3/groups/group-1/members?perPage=1000'] },
  { request: ['GET', '/v3/groups/group-1/members?status=offline&scopes=admin'], data: [] },
];

const FIRST_PARTY: readonly Asked[] = [
  { request: ['GET', '/v3.0/users'], refused: [404, 'ERR_INVALID_API_VERSION'] },
  { request: ['GET', '/v3/users?count=true&status=available'], data: [] },
];

async function replay({ ask }: Chat, { request: [method, path, body, headers], refused, data }: Asked): Promise<void> {
  const { status, json } = await ask(method, path, {
    headers: { ...HEADERS, ...headers },
    ...(body !== undefined && { body }),
  });
  const what = `${method} ${path}`;
  if (refused !== undefined) expect([what, status, json.error.code]).toEqual([what, ...refused]);
  else expect([what, status, json.error?.code]).toEqual([what, 200, undefined]);
  if (data !== undefined) expect(json.data, what).toMatchObject(data as object);
}

describe('requests of public clients are answered as documented, or refused with a code', () => {
  test.each(Object.entries({ LIVE_SUITE, PHP, DOT_NET, NODE_HTTPS, NODE_FETCH, TWILIO, AXIOS, FIRST_PARTY }))(
    '%s',
    async (_, requests) => {
      const chat = await openSandbox({ users: 5, groups: 3 });
      for (const asked of requests) await replay(chat, asked);
    },
  );
});

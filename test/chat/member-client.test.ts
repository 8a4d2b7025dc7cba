import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ActingOptions } from '../../src/chat/call.ts';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import { API_KEY, connect, json, rejection, serve } from './chat-server.ts';

/** The three operations that change one member, each with ids of the caller's choice. */
const EDITS: [name: string, call: (chat: ChatClient, guid: string, uid: string, options?: ActingOptions) => unknown][] =
  [
    ['changeScope', (chat, guid, uid, options) => chat.changeScope(guid, uid, 'moderator', options)],
    ['removeMember', (chat, guid, uid, options) => chat.removeMember(guid, uid, options)],
    ['unbanMember', (chat, guid, uid, options) => chat.unbanMember(guid, uid, options)],
  ];

describe('the request on the wire', () => {
  test('reading asks for pages of 1,000 unless set otherwise', async () => {
    const server = await serve(json({ data: [] }));
    const chat = connect(server.host);
    await chat.listPage('members', 'g/1', 3);
    await chat.listPage('banned', 'g1', 1, { perPage: 7 });
    expect(server.received.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/v3/groups/g%2F1/members?perPage=1000&page=3', ''],
      ['GET', '/v3/groups/g1/bannedusers?perPage=7&page=1', ''],
    ]);
  });

  test('editing names group and member in the path, and the acting user in the header', async () => {
    const server = await serve(json({ data: { success: true } }));
    const chat = connect(server.host);
    for (const [, edit] of EDITS) await edit(chat, 'g1', 'a b', { onBehalfOf: 'boss' });
    expect(server.received.map(({ method, url, body, headers }) => [method, url, body, headers['onBehalfOf']])).toEqual(
      [
        ['PUT', '/v3/groups/g1/members/a%20b', '{"scope":"moderator"}', 'boss'],
        ['DELETE', '/v3/groups/g1/members/a%20b', '', 'boss'],
        ['DELETE', '/v3/groups/g1/bannedusers/a%20b', '', 'boss'],
      ],
    );
    expect(server.received.map(({ headers }) => headers['apikey'])).toEqual(EDITS.map(() => API_KEY));
  });

  test('the banned are asked for at the other address where the service does not know the first, and from then on there', async () => {
    const unknown = json({ error: { code: 'ERR_API_NOT_FOUND', message: 'There is no such API.' } }, 404);
    const server = await serve((response, request) =>
      (request.url?.includes('/bannedusers') === true ? unknown : json({ data: [] }))(response, request),
    );
    const chat = connect(server.host);
    await chat.listPage('banned', 'g1', 1, { perPage: 7 });
    await chat.listPage('banned', 'g1', 2, { perPage: 7 });
    expect(server.received.map(({ url }) => url)).toEqual([
      '/v3/groups/g1/bannedusers?perPage=7&page=1',
      '/v3/groups/g1/banned_members?perPage=7&page=1',
      '/v3/groups/g1/banned_members?perPage=7&page=2',
    ]);
  });

  test.each(EDITS)('%s with an id that cannot stand in a path is not sent', async (_name, edit) => {
    const server = await serve(json({ data: { success: true } }));
    const chat = connect(server.host);
    for (const [guid, uid] of [
      ['..', 'u1'],
      ['g1', ''],
      ['g1', '.'],
    ] as const) {
      expect(await rejection(Promise.resolve(edit(chat, guid, uid)))).toMatchObject({ code: 'INVALID_CALL' });
    }
    expect(server.connections()).toBe(0);
  });
});

describe('reading a page', () => {
  const page = async (body: unknown) => {
    const server = await serve(json(body, 200, { 'X-Rate-Limit-Remaining': '9' }));
    return connect(server.host).listPage('members', 'g1', 1);
  };

  test('members come with scope, time of joining and name, and the reply with status, rate and duration', async () => {
    const read = await page({
      data: [
        { uid: 'Ann', name: 'Ann', status: 'offline', scope: 'admin', joinedAt: 1_800_000_000, metadata: { a: 1 } },
        { uid: '42', scope: 'something new', joinedAt: 'odd' },
      ],
      meta: { pagination: { total: 2, count: 2, per_page: 1000, current_page: 1, total_pages: 1 }, cursor: {} },
    });
    expect(read).toMatchObject({ httpStatus: 200, rate: { remaining: 9 }, ms: expect.any(Number) });
    expect(read.entries).toEqual([
      { uid: 'Ann', scope: 'admin', joinedAt: 1_800_000_000, name: 'Ann' },
      { uid: '42', scope: 'something new', joinedAt: null },
    ]);
    expect(read.pagination).toEqual({ total: 2, count: 2, perPage: 1000, totalPages: 1 });
  });

  test.each([
    [undefined, undefined],
    ['odd', undefined],
    [{}, undefined],
    [{ pagination: [] }, undefined],
    [{ pagination: {} }, {}],
    [{ pagination: { total: -1, count: null, per_page: 1.5, total_pages: 'many' } }, {}],
    [{ pagination: { total: '12', total_pages: 2 } }, { total: 12, totalPages: 2 }],
  ])('of what a page says about its list, %j, what is odd says nothing', async (meta, pagination) => {
    expect((await page({ data: [], meta })).pagination).toEqual(pagination);
  });

  test.each([
    ['no data', {}],
    ['data that is no list', { data: { u1: { scope: 'admin' } } }],
    ['an entry without a UID', { data: [{ uid: 'u1', scope: 'admin' }, { scope: 'admin' }] }],
    ['an entry without a scope', { data: [{ uid: 'u1' }] }],
  ])('%s makes the whole page unreadable', async (_what, body) => {
    expect(await rejection(page(body))).toMatchObject({ code: 'MALFORMED_REPLY' });
  });

  test('a page may be longer than other replies', async () => {
    const data = Array.from({ length: 1000 }, (_, at) => ({
      uid: `u${at}`,
      scope: 'participant',
      metadata: { text: 'x'.repeat(2000) },
    }));
    expect((await page({ data })).entries).toHaveLength(1000);
  });

  test('the banned are UIDs', async () => {
    const server = await serve(
      json({
        data: [
          { uid: 'u1', name: 'Ann' },
          { uid: 'u2', scope: 'admin' },
        ],
      }),
    );
    expect((await connect(server.host).listPage('banned', 'g1', 1)).entries).toEqual([{ uid: 'u1' }, { uid: 'u2' }]);
  });
});

describe('reading a group', () => {
  test.each([
    [{ owner: 'boss', membersCount: 12, name: 'Team' }, 'boss', 12],
    [{ owner: '', membersCount: 'many' }, null, null],
    [{}, null, null],
  ])('%j: the owner is %j', async (data, owner, membersCount) => {
    const server = await serve(json({ data }));
    expect(await connect(server.host).getGroup('g1')).toMatchObject({ owner, membersCount, httpStatus: 200 });
    expect(server.received[0]?.url).toBe('/v3/groups/g1');
  });
});

describe('whether an edit was carried out', () => {
  test.each(EDITS)('%s is done when the reply says success', async (_name, edit) => {
    const server = await serve(json({ data: { success: true, message: 'Done.' } }));
    expect(await edit(connect(server.host), 'g1', 'u1')).toMatchObject({ httpStatus: 200 });
  });

  test('changing a scope is done when the reply has the member with that scope', async () => {
    const server = await serve(json({ data: { guid: 'g1', uid: 'u1', scope: 'moderator', joinedAt: 1 } }));
    expect(await connect(server.host).changeScope('g1', 'u1', 'moderator')).toMatchObject({ httpStatus: 200 });
  });

  const action = (uid: string, guid: string) => ({
    category: 'action',
    data: { action: 'banned', entities: { on: { entity: { uid } }, for: { entity: { guid } } } },
  });

  test.each(EDITS)('%s is done when the reply is an action message about this user and group', async (_name, edit) => {
    const server = await serve(json({ data: action('u1', 'g1') }));
    expect(await edit(connect(server.host), 'g1', 'u1')).toMatchObject({ httpStatus: 200 });
  });

  test.each([
    [{ success: false, error: { code: 'ERR_NOT_A_MEMBER', message: 'No.' } }, 'ERR_NOT_A_MEMBER', 'No.'],
    [{ success: false, message: 'No.' }, null, 'No.'],
    [{ error: 'No.' }, null, 'No.'],
  ])('%j is a refusal though the status is 200', async (data, serviceCode, serviceMessage) => {
    const server = await serve(json({ data }));
    for (const [, edit] of EDITS) {
      const error = await rejection(Promise.resolve(edit(connect(server.host), 'g1', 'u1')));
      expect(error).toMatchObject({
        code: 'REFUSED',
        facts: { httpStatus: 200, serviceCode, serviceMessage, doubtful: !('success' in data) },
      });
    }
  });

  test.each([
    [{}],
    [{ message: 'Done.' }],
    [{ success: 'yes' }],
    [{ scope: 'participant' }],
    [[]],
    [action('u2', 'g1')],
    [action('u1', 'g2')],
    [{ ...action('u1', 'g1'), category: 'message' }],
  ])('%j does not say that it was done', async (data) => {
    const server = await serve(json({ data }));
    for (const [, edit] of EDITS) {
      const error = await rejection(Promise.resolve(edit(connect(server.host), 'g1', 'u1')));
      expect(error).toMatchObject({ code: 'MALFORMED_REPLY', facts: { maybeCarriedOut: true } });
    }
  });

  test('the key is in no error, even if the service echoes it', async () => {
    const server = await serve(json({ data: { success: false, error: { code: API_KEY, message: `Key ${API_KEY}` } } }));
    const error = await rejection(connect(server.host).removeMember('g1', 'u1'));
    expect(error).toMatchObject({ facts: { serviceMessage: 'Key [redacted]' } });
    expect(inspect(error, { depth: 10 })).not.toContain(API_KEY);
  });
});

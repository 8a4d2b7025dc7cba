import { once } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createManagementClient } from '../../src/chat/chat-client.ts';
import { readEntry } from '../../src/chat/error-policy.ts';
import { API_KEY, connect, json, listen, rejection, serve, TRUSTED_CA } from './chat-server.ts';

const ONE = { participants: ['u1'] };

describe('the request on the wire', () => {
  test('adding members is the documented request, and nothing more', async () => {
    const server = await serve(json({ data: {} }));
    await connect(server.host).addMembers(
      'g1',
      { admins: ['a'], moderators: ['b'], participants: ['c', 'D'], usersToBan: ['e'] },
      { onBehalfOf: 'boss' },
    );
    expect(server.received).toEqual([
      {
        method: 'POST',
        url: '/v3/groups/g1/members',
        headers: {
          host: `app1.api-us.${server.host}`,
          connection: 'keep-alive',
          apikey: API_KEY,
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'User-Agent': 'rollcall',
          onBehalfOf: 'boss',
          'content-length': '79',
        },
        body: '{"admins":["a"],"moderators":["b"],"participants":["c","d"],"usersToBan":["e"]}',
      },
    ]);
  });

  test.each([undefined, ''])('nobody acts when onBehalfOf is %j', async (onBehalfOf) => {
    const server = await serve(json({ data: {} }));
    await connect(server.host).addMembers('g1', ONE, { onBehalfOf });
    expect(Object.keys(server.received[0]?.headers ?? {})).not.toContain('onBehalfOf');
  });

  test.each([
    ['a/b', '/v3/groups/a%2Fb/members'],
    ['../users', '/v3/groups/..%2Fusers/members'],
    ['a b?c#d%2e', '/v3/groups/a%20b%3Fc%23d%252e/members'],
    ['grüße', '/v3/groups/gr%C3%BC%C3%9Fe/members'],
  ])('guid %s stays one segment of the path', async (guid, url) => {
    const server = await serve(json({ data: {} }));
    await connect(server.host).addMembers(guid, ONE);
    expect(server.received[0]?.url).toBe(url);
  });

  test('users are listed as the contract says', async () => {
    const server = await serve(json({ data: [] }));
    await connect(server.host).listUsers();
    expect(server.received).toMatchObject([
      { method: 'GET', url: '/v3/users', body: '', headers: { apikey: API_KEY } },
    ]);
  });

  test('management operations carry key and secret, and no apikey', async () => {
    const server = await serve(json({ data: [] }));
    const client = createManagementClient({ host: server.host, key: 'the-key', secret: 'the-secret', ca: TRUSTED_CA });
    onTestFinished(() => client.close());
    expect(await client.listApps()).toEqual([]);
    expect(server.received).toMatchObject([
      { method: 'GET', url: '/apps', headers: { key: 'the-key', secret: 'the-secret' } },
    ]);
    expect(server.received[0]?.headers).not.toHaveProperty('apikey');
    expect(server.received[0]?.headers['host']).toBe(`apimgmt.${server.host}`);
  });

  test('one connection serves call after call', async () => {
    const server = await serve(json({ data: {} }));
    const client = connect(server.host, { connections: 1 });
    for (let i = 0; i < 5; i += 1) await client.addMembers('g1', ONE);
    expect(server.received).toHaveLength(5);
    expect(server.connections()).toBe(1);
  });

  test('no more connections than allowed are opened; calls wait for one', async () => {
    const server = await serve(json({ data: {} }));
    const client = connect(server.host, { connections: 2 });
    await Promise.all(Array.from({ length: 10 }, () => client.addMembers('g1', ONE)));
    expect(server.received).toHaveLength(10);
    expect(server.connections()).toBe(2);
  });
});

describe('what is refused before anything is sent', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);

  test.each([
    ['no list', {}],
    ['an empty list', { admins: [], participants: ['u1'] }],
    ['26 UIDs in one list', { participants: many(26) }],
    ['26 UIDs over all lists', { admins: many(10), usersToBan: many(16) }],
  ])('a call with %s', async (_what, members) => {
    const server = await serve(json({ data: {} }));
    expect(await rejection(connect(server.host).addMembers('g1', members))).toMatchObject({ code: 'INVALID_CALL' });
    expect(server.connections()).toBe(0);
  });

  test('25 UIDs over all lists are allowed', async () => {
    const server = await serve(json({ data: {} }));
    await connect(server.host).addMembers('g1', { admins: many(10), participants: many(15) });
    expect(server.received).toHaveLength(1);
  });

  test.each(['', '.', '..', '\ud800'])('guid %j, which cannot stand in a path', async (guid) => {
    const server = await serve(json({ data: {} }));
    expect(await rejection(connect(server.host).addMembers(guid, ONE))).toMatchObject({ code: 'INVALID_CALL' });
    expect(server.connections()).toBe(0);
  });

  test.each(['a\r\nx: y', 'grüße', 'a b'])('onBehalfOf %j, which cannot stand in a header', async (onBehalfOf) => {
    const server = await serve(json({ data: {} }));
    expect(await rejection(connect(server.host).addMembers('g1', ONE, { onBehalfOf }))).toMatchObject({
      code: 'INVALID_CALL',
    });
    expect(server.connections()).toBe(0);
  });

  test('plain http', () => {
    expect(() => connect('http://localhost:8080')).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
  });

  test.each(['', 'key with spaces', `${API_KEY}\n`])('the API key %j, without being shown', (apiKey) => {
    const build = () => connect('localhost:1', { apiKey });
    expect(build).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
    expect(build).toThrow(/^the API key (is empty|has characters)/);
  });

  test('a CA file that holds no certificate', () => {
    expect(() => connect('localhost:1', { ca: 'not a certificate' })).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING' }),
    );
  });
});

describe('reading the reply of adding members', () => {
  async function entriesOf(data: unknown) {
    const server = await serve(json({ data, unknown: true }));
    return (await connect(server.host).addMembers('g1', ONE)).entries;
  }

  test('all four lists come as one map of lowercased UIDs', async () => {
    const entries = await entriesOf({
      admins: { A: { success: true, data: { id: '1' } } },
      moderators: { b: { success: true } },
      participants: { '42': { success: true } },
      usersToBan: { 'D-d': { success: true } },
    });
    expect([...entries].map(([uid, { success }]) => [uid, success])).toEqual([
      ['a', true],
      ['b', true],
      ['42', true],
      ['d-d', true],
    ]);
  });

  test('a list without UIDs may be missing, an object or an array', async () => {
    expect((await entriesOf({ admins: {}, moderators: [], participants: { u1: { success: true } } })).size).toBe(1);
  });

  test('a UID that the reply leaves out is not in the map', async () => {
    expect((await entriesOf({ participants: {} })).has('u1')).toBe(false);
  });

  test.each([
    [{ success: false, error: { code: 'ERR_X', message: 'No.' } }, 'ERR_X', 'No.'],
    [{ error: { code: 'ERR_X', message: 'No.', devMessage: 'x', details: 5 } }, 'ERR_X', 'No.'],
    [
      { error: { code: 'ERR_X', message: 'No.', details: { name: ['too big', 'odd'], tags: { '0': 'long' } } } },
      'ERR_X',
      'No. name: too big; odd, tags: {"0":"long"}',
    ],
    [{ success: false, code: 'ERR_X', message: 'No.' }, 'ERR_X', 'No.'],
    [{ success: false, error: 'No.' }, 'NO_CODE', 'No.'],
    [{ success: false, message: 'No.' }, 'NO_CODE', 'No.'],
    [{ error: { message: 'No.' } }, 'NO_CODE', 'No.'],
  ])('a refused UID keeps what the service says: %o', async (entry, code, message) => {
    const found = (await entriesOf({ participants: { u1: entry, u2: { success: true } } })).get('u1');
    expect(found && readEntry('participants', found)).toEqual({ outcome: 'failed', code, message });
  });

  test.each([
    [{ success: 'true', reason: 'odd' }, 'the entry reads {"success":"true","reason":"odd"}'],
    [null, 'the entry reads null'],
    [{}, 'the entry reads {}'],
    [true, 'the entry reads true'],
  ])('an entry that says neither yes nor no is not a refusal: %o', async (entry, reads) => {
    const found = (await entriesOf({ participants: { u1: entry, u2: { success: true } } })).get('u1');
    expect(found && readEntry('participants', found)).toEqual({
      outcome: null,
      code: 'MALFORMED_REPLY',
      message: `the entry says neither yes nor no: no message; ${reads}`,
    });
  });

  test('an odd entry does not take its neighbours with it', async () => {
    const entries = await entriesOf({ participants: { u1: 'odd', u2: { success: true } } });
    expect(entries.get('u2')?.success).toBe(true);
  });

  test('status, rate and duration come with it', async () => {
    const server = await serve(json({ data: {} }, 200, { 'X-Rate-Limit': '500', 'X-Rate-Limit-Remaining': '499' }));
    const result = await connect(server.host).addMembers('g1', ONE);
    expect(result).toMatchObject({ httpStatus: 200, rate: { limit: 500, remaining: 499 } });
    expect(result.ms).toBeGreaterThan(0);
  });
});

describe('the key is in no error, even if the service echoes it', () => {
  const echoes = {
    code: `AUTH_${API_KEY}`,
    message: `The key ${API_KEY.toUpperCase()} has no access`,
    devMessage: API_KEY,
  };

  test('in a refusal', async () => {
    const server = await serve(json({ error: echoes }, 403));
    const error = await rejection(connect(server.host).addMembers('g1', ONE));
    expect(error).toMatchObject({ code: 'REFUSED' });
    expect(inspect(error, { depth: 10 }).toLowerCase()).not.toContain(API_KEY);
    expect(error).toMatchObject({ facts: { serviceMessage: 'The key [redacted] has no access' } });
  });

  test.each([
    ['no JSON', API_KEY],
    ['another shape', JSON.stringify({ data: { [API_KEY]: 1, participants: API_KEY } })],
  ])('in a reply that is %s', async (_what, body) => {
    const server = await serve((response) => response.end(body));
    const error = await rejection(connect(server.host).addMembers('g1', ONE));
    expect(inspect(error, { depth: 10 })).not.toContain(API_KEY);
  });

  test('in a refused UID', async () => {
    const server = await serve(
      json({ data: { participants: { u1: { error: echoes, more: API_KEY }, u2: { x: API_KEY } } } }),
    );
    const { entries } = await connect(server.host).addMembers('g1', ONE);
    expect(inspect(entries, { depth: 10 }).toLowerCase()).not.toContain(API_KEY);
    expect(entries.size).toBe(2);
  });

  test('in a broken connection', async () => {
    const server = await serve((_response, request) => request.socket.destroy());
    const error = await rejection(connect(server.host).addMembers('g1', ONE));
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(API_KEY);
  });
});

describe('closing', () => {
  test('a call under way finishes, a later one is given up', async () => {
    let release: (() => void) | undefined;
    const arrived = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { promise: go, resolve: letGo } = Promise.withResolvers<void>();
    const server = await serve(async (response, request) => {
      release?.();
      await go;
      json({ data: { participants: { u1: { success: true } } } })(response, request);
    });
    const client = connect(server.host);
    const underWay = client.addMembers('g1', ONE);
    await arrived;
    const closed = client.close();
    expect(await rejection(client.addMembers('g1', ONE))).toMatchObject({ code: 'ABORTED' });
    letGo();
    expect((await underWay).entries.size).toBe(1);
    await closed;
    expect(server.received).toHaveLength(1);
  });

  test('closing twice is closing once', async () => {
    const server = await serve(json({ data: {} }));
    const client = connect(server.host);
    await client.addMembers('g1', ONE);
    await Promise.all([client.close(), client.close()]);
    await expect(client.close()).resolves.toBeUndefined();
  });

  test('a connection that no one waits for any more is not waited for', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => undefined).resume());
    const host = await listen(silent);
    const opened = once(silent, 'connection');
    const client = connect(host, { timeouts: { connectMs: 3_600_000 } });
    const controller = new AbortController();
    const call = rejection(client.addMembers('g1', ONE, { signal: controller.signal }));
    const [socket] = await opened;
    const gone = once(socket, 'close');
    controller.abort();
    expect(await call).toMatchObject({ code: 'ABORTED', facts: { maybeCarriedOut: false } });
    await client.close();
    await gone;
  });
});

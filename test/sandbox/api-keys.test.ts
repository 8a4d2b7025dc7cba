import { expect, test } from 'vitest';
import { openSandbox } from './open-sandbox.ts';

/** The API keys of an app (docs/chat-service.md, 71). */

test('a key is created, is valid at once, and is refused once it is deleted', async () => {
  const { ask, sandbox } = await openSandbox({ users: 1, now: () => 1_800_000_000_500 });
  const { apiKey: old, authOnlyKey } = sandbox.apps.us;
  const listed = async () => (await ask('GET', '/v3/apikeys')).json.data as { apiKey: string; scope: string }[];
  expect((await listed()).map(({ apiKey, scope }) => [apiKey, scope])).toEqual([
    [old, 'fullAccess'],
    [authOnlyKey, 'authOnly'],
  ]);

  const made = await ask('POST', '/v3/apikeys', { body: { name: 'rollcall', scope: 'fullAccess' } });
  expect(made.json.data).toEqual({
    apiKey: expect.stringMatching(/^[0-9a-f]{40}$/),
    name: 'rollcall',
    scope: 'fullAccess',
    createdAt: 1_800_000_000,
  });
  const headers = { apikey: made.json.data.apiKey };
  expect((await ask('GET', '/v3/users', { headers })).status).toBe(200);
  expect((await ask('GET', `/v3/apikeys/${headers.apikey}`)).json).toEqual(made.json);

  expect((await ask('DELETE', `/v3/apikeys/${old}`, { headers })).status).toBe(200);
  const refused = await ask('GET', '/v3/users');
  expect([refused.status, refused.json.error.code]).toEqual([401, 'AUTH_ERR_APIKEY_NOT_FOUND']);
  expect((await ask('DELETE', `/v3/apikeys/${old}`, { headers })).json.error.code).toBe('ERR_APIKEY_NOT_FOUND');
});

test('a key has the scope authOnly unless another one is named, which may change; only fullAccess sees keys', async () => {
  const { ask } = await openSandbox();
  const { json } = await ask('POST', '/v3/apikeys', { body: { name: 'login' } });
  const headers = { apikey: json.data.apiKey };
  expect(json.data.scope).toBe('authOnly');
  expect((await ask('GET', '/v3/apikeys', { headers })).json.error.code).toBe('AUTH_ERR_NO_ACCESS');
  const changed = await ask('PUT', `/v3/apikeys/${headers.apikey}`, { body: { scope: 'fullAccess' } });
  expect(changed.json.data).toEqual({ ...json.data, scope: 'fullAccess' });
  expect((await ask('GET', '/v3/apikeys', { headers })).status).toBe(200);
});

test('an app has 25 keys at most, each with a name', async () => {
  const { ask } = await openSandbox();
  for (let made = 2; made < 25; made += 1) await ask('POST', '/v3/apikeys', { body: { name: `key ${made}` } });
  expect((await ask('POST', '/v3/apikeys', { body: { name: 'one more' } })).status).toBe(400);
  expect((await ask('POST', '/v3/apikeys', { body: { scope: 'owner' } })).json.error.details).toMatchObject({
    name: [expect.any(String)],
    scope: [expect.any(String)],
  });
  expect((await ask('GET', '/v3/apikeys')).json.meta.pagination.total).toBe(25);
});

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../src/api/operation.ts';
import { readEvents } from './event-source.ts';
import { startTestServer, type TestServer } from './test-server.ts';

const CSV = 'guid,uid\ng,a\n';

let guarded: TestServer;
let open: TestServer;
let viewer: string;
let operator: string;
let admin: string;
beforeAll(async () => {
  [guarded, open] = await Promise.all([startTestServer({ tokenRequired: true }), startTestServer()]);
  viewer = guarded.token('viewer', 'Vera');
  operator = guarded.token('operator', 'Otto');
  admin = guarded.token('admin', 'Ada');
});
afterAll(async () => {
  await Promise.all([guarded.close(), open.close()]);
});

const bearer = (token: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${token}`, ...more },
});
const login = (token: string, headers: Record<string, string> = {}) =>
  guarded.fetch('/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  });

/** Addresses, and the least role that may use them. */
const ROUTES: readonly (readonly [method: string, path: string, role: 'public' | Role])[] = [
  ['GET', '/healthz', 'public'],
  ['GET', '/readyz', 'public'],
  ['GET', '/openapi.json', 'public'],
  ['GET', '/docs', 'public'],
  ['GET', '/', 'public'],
  ['GET', '/imports/x', 'public'],
  ['GET', '/assets/swagger-ui-bundle.js', 'public'],
  ['GET', '/metrics', 'viewer'],
  ['GET', '/v1/imports', 'viewer'],
  ['GET', '/v1/imports/x', 'viewer'],
  ['GET', '/v1/imports/x/rows', 'viewer'],
  ['GET', '/v1/imports/x/rows/x', 'viewer'],
  ['GET', '/v1/imports/x/created', 'viewer'],
  ['GET', '/v1/syncs/x/findings', 'viewer'],
  ['GET', '/v1/schedules/next', 'viewer'],
  ['GET', '/v1/schedules/x', 'viewer'],
  ['POST', '/v1/schedules', 'operator'],
  ['POST', '/v1/schedules/try', 'operator'],
  ['POST', '/v1/schedules/look', 'operator'],
  ['PUT', '/v1/schedules/x', 'operator'],
  ['GET', '/v1/imports/x/problems', 'viewer'],
  ['GET', '/v1/imports/x/calls', 'viewer'],
  ['GET', '/v1/imports/x/transitions', 'viewer'],
  ['GET', '/v1/imports/x/report', 'viewer'],
  ['GET', '/v1/events', 'viewer'],
  ['GET', '/v1/members', 'viewer'],
  ['GET', '/v1/members/x/history', 'viewer'],
  ['POST', '/v1/members/x/ask', 'operator'],
  ['GET', '/v1/regions', 'viewer'],
  ['GET', '/v1/settings', 'viewer'],
  ['GET', '/v1/overview', 'viewer'],
  ['POST', '/v1/imports/actions', 'operator'],
  ['GET', '/v1/memberships/ending', 'viewer'],
  ['GET', '/v1/syncs/named/x/members', 'viewer'],
  ['GET', '/v1/syncs', 'viewer'],
  ['GET', '/v1/syncs/x', 'viewer'],
  ['GET', '/v1/syncs/x/groups', 'viewer'],
  ['GET', '/v1/syncs/x/actions', 'viewer'],
  ['GET', '/v1/syncs/x/plan', 'viewer'],
  ['GET', '/v1/syncs/x/before', 'viewer'],
  ['GET', '/v1/imports/x/sending', 'viewer'],
  ['GET', '/v1/imports/x/check', 'viewer'],
  ['GET', '/v1/imports/x/check/rows', 'viewer'],
  ['GET', '/v1/imports/x/check/groups', 'viewer'],
  ['GET', '/v1/exports', 'viewer'],
  ['GET', '/v1/exports/x', 'viewer'],
  ['GET', '/v1/exports/x/x', 'viewer'],
  ['GET', '/v1/recipes', 'viewer'],
  ['GET', '/v1/recipes/x', 'viewer'],
  ['GET', '/v1/template', 'viewer'],
  ['POST', '/v1/look', 'viewer'],
  ['GET', '/v1/imports/x/corrections', 'viewer'],
  ['GET', '/v1/imports/x/corrections/rows', 'viewer'],
  ['PATCH', '/v1/imports/x/corrections/rows', 'operator'],
  ['POST', '/v1/imports/x/corrections/replace', 'operator'],
  ['POST', '/v1/imports/x/corrections/file', 'operator'],
  ['POST', '/v1/imports/x/corrections/send', 'operator'],
  ['GET', '/v1/schedules', 'viewer'],
  ['GET', '/v1/schedules/x/history', 'viewer'],
  ['GET', '/v1/audit', 'operator'],
  ['GET', '/v1/notifications', 'admin'],
  ['PUT', '/v1/notifications', 'admin'],
  ['DELETE', '/v1/notifications', 'admin'],
  ['POST', '/v1/notifications/test', 'admin'],
  ['GET', '/v1/tokens', 'admin'],
  ['POST', '/v1/tokens', 'admin'],
  ['DELETE', '/v1/tokens/x', 'admin'],
  ['POST', '/v1/imports', 'operator'],
  ['POST', '/v1/imports/x/pause', 'operator'],
  ['POST', '/v1/imports/x/resume', 'operator'],
  ['POST', '/v1/imports/x/cancel', 'operator'],
  ['POST', '/v1/imports/x/retry', 'operator'],
  ['POST', '/v1/imports/x/undo', 'operator'],
  ['DELETE', '/v1/imports/x', 'operator'],
  ['POST', '/v1/imports/x/check', 'operator'],
  ['POST', '/v1/exports', 'operator'],
  ['POST', '/v1/exports/x/resume', 'operator'],
  ['DELETE', '/v1/exports/x', 'operator'],
  ['PUT', '/v1/recipes/x', 'operator'],
  ['DELETE', '/v1/recipes/x', 'operator'],
  ['POST', '/v1/syncs', 'operator'],
  ['POST', '/v1/memberships/expire', 'operator'],
  ['POST', '/v1/syncs/x/apply', 'operator'],
  ['POST', '/v1/syncs/x/approve', 'operator'],
  ['POST', '/v1/syncs/x/reject', 'operator'],
  ['POST', '/v1/syncs/named/x/bring-back', 'operator'],
  ['POST', '/v1/schedules/x/run', 'operator'],
  ['POST', '/v1/schedules/x/pause', 'operator'],
  ['POST', '/v1/schedules/x/resume', 'operator'],
  ['DELETE', '/v1/schedules/x', 'operator'],
];

describe.each(ROUTES)('%s %s', (method, path, role) => {
  /** The code of a refusal, or nothing. */
  const codeFor = async (headers: Record<string, string> = {}) => {
    const controller = new AbortController();
    const response = await guarded.fetch(path, { method, headers, signal: controller.signal });
    const isProblem = response.headers.get('content-type')?.includes('problem+json') === true;
    const code = isProblem ? ((await response.json()) as { code: string }).code : undefined;
    controller.abort();
    return code;
  };
  const refusals = ['TOKEN_REQUIRED', 'TOKEN_REFUSED', 'ROLE_TOO_LOW'];

  test(`is for ${role === 'public' ? 'everyone' : `${role}s`}`, async () => {
    const without = await codeFor();
    const asViewer = await codeFor({ authorization: `Bearer ${viewer}` });
    const asOperator = await codeFor({ authorization: `Bearer ${operator}` });
    if (role === 'public') expect(refusals).not.toContain(without);
    else expect(without).toBe('TOKEN_REQUIRED');
    const asAdmin = await codeFor({ authorization: `Bearer ${admin}` });
    if (role === 'operator' || role === 'admin') expect(asViewer).toBe('ROLE_TOO_LOW');
    else expect(refusals).not.toContain(asViewer);
    if (role === 'admin') expect(asOperator).toBe('ROLE_TOO_LOW');
    else expect(refusals).not.toContain(asOperator);
    expect(refusals).not.toContain(asAdmin);
  });
});

test('every address of the API is in the list above', async () => {
  const { paths } = (await (await guarded.fetch('/openapi.json')).json()) as { paths: Record<string, object> };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, 'x')}`),
  );
  const listed = ROUTES.map(([method, path]) => `${method} ${path}`);
  expect(described.filter((route) => !listed.includes(route) && !route.endsWith('/v1/session'))).toEqual([]);
  expect(described.length).toBeGreaterThan(20);
});

describe('a token is refused', () => {
  test.each([
    ['that is none', 'Bearer hello'],
    ['of an unknown id', `Bearer rct_aaaaaaaa_${'a'.repeat(43)}`],
    ['in another scheme', 'Basic abc'],
  ])('%s', async (_, authorization) => {
    const problem = await guarded.problem('/v1/imports', { headers: { authorization } });
    expect(problem).toMatchObject({ code: 'TOKEN_REFUSED', status: 401 });
    expect(problem.headers.get('www-authenticate')).toContain('Bearer');
  });

  test('with another secret', async () => {
    const wrong = `${viewer.slice(0, -1)}${viewer.endsWith('A') ? 'B' : 'A'}`;
    expect(await guarded.problem('/v1/imports', bearer(wrong))).toMatchObject({ code: 'TOKEN_REFUSED' });
  });

  test('from the moment when it is revoked, and its sessions with it', async () => {
    const { id, text } = guarded.access.createToken({ role: 'viewer', name: '', expiresAt: null });
    const cookie = (await login(text)).headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect((await guarded.fetch('/v1/imports', bearer(text))).status).toBe(200);
    expect((await guarded.fetch('/v1/imports', { headers: { cookie } })).status).toBe(200);
    guarded.access.revoke(id);
    expect(await guarded.problem('/v1/imports', bearer(text))).toMatchObject({ code: 'TOKEN_REFUSED' });
    expect(await guarded.problem('/v1/imports', { headers: { cookie } })).toMatchObject({ code: 'TOKEN_REFUSED' });
  });
});

describe('a session', () => {
  test('is a cookie that scripts and other sites do not get, and says who one is', async () => {
    const response = await login(operator);
    expect(await response.json()).toEqual({ role: 'operator', name: 'Otto', expiresAt: expect.any(String) });
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^rollcall_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    expect(await guarded.json('/v1/session', { headers })).toEqual({
      role: 'operator',
      name: 'Otto',
      tokenRequired: true,
    });
    expect(await guarded.json('/v1/imports', { headers })).toHaveProperty('imports');
  });

  test('is for encrypted connections only where the browser has one', async () => {
    const host = new URL(guarded.url).host;
    const [cookie] = (await login(operator, { origin: `https://${host}` })).headers.getSetCookie();
    expect(cookie).toContain('; Secure');
  });

  test('ends when one logs out', async () => {
    const cookie = (await login(viewer)).headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const response = await guarded.fetch('/v1/session', { method: 'DELETE', headers: { cookie } });
    expect(response.status).toBe(204);
    expect(response.headers.getSetCookie()[0]).toContain('Expires=Thu, 01 Jan 1970');
    expect(await guarded.problem('/v1/imports', { headers: { cookie } })).toMatchObject({ code: 'TOKEN_REFUSED' });
  });

  test('is not there for nobody, and not needed where no token is', async () => {
    expect(await guarded.problem('/v1/session')).toMatchObject({ code: 'TOKEN_REQUIRED', status: 401 });
    expect(await open.json('/v1/session')).toEqual({ role: 'admin', name: 'local', tokenRequired: false });
  });

  test('is not given for a wrong token, and attempts are limited', async () => {
    const post = () =>
      open.problem('/v1/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: 'rct_guess' }),
      });
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(await post()).toMatchObject({ code: 'TOKEN_REFUSED', status: 401 });
    }
    const limited = await post();
    expect(limited).toMatchObject({ code: 'TOO_MANY', status: 429 });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('needs a body that is understood', async () => {
    const post = (body: string) =>
      guarded.problem('/v1/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(await post('{')).toMatchObject({ code: 'BAD_BODY', status: 400 });
    expect(await post('{"tokn":"x"}')).toMatchObject({ code: 'BAD_OPTION', status: 400 });
  });
});

describe('an unsafe request from another site is refused', () => {
  const post = (headers: Record<string, string>) =>
    open.fetch('/v1/imports?dryRun=true', {
      method: 'POST',
      body: CSV,
      headers: { 'content-type': 'text/csv', ...headers },
    });

  test.each([
    ['by what the browser says of the site', { 'sec-fetch-site': 'cross-site' }],
    ['also when it is a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['by its origin', { origin: 'https://evil.example' }],
    ['by its origin on another port', { origin: 'http://127.0.0.1:1' }],
    ['when it hides its origin', { origin: 'null' }],
  ])('%s', async (_, headers) => {
    const response = await post(headers);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'CROSS_ORIGIN' });
  });

  test('and one from the console is not, nor one from a program', async () => {
    for (const headers of [{ origin: open.url, 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, {}]) {
      expect((await post(headers)).status).toBe(202);
    }
  });
});

describe('without tokens, only names of this machine are answered', () => {
  const statusFor = async (host: string, url = open.url) => {
    const response = await new Promise<IncomingMessage>((resolve) =>
      httpRequest(`${url}/v1/settings`, { headers: { host } }, resolve).end(),
    );
    const { code } = JSON.parse((await response.toArray()).join(''));
    return [response.statusCode, code];
  };

  test.each(['localhost', 'localhost:7700', '127.0.0.1', '127.0.0.1:80', '[::1]:7700', 'rollcall.localhost'])(
    'such as %s',
    async (host) => expect(await statusFor(host)).toEqual([200, undefined]),
  );

  test.each(['evil.example', 'localhost.evil.example', '192.168.0.1:7700', '127.0.0.1.evil.example', 'notlocalhost'])(
    'and not %s',
    async (host) => expect(await statusFor(host)).toEqual([403, 'WRONG_HOST']),
  );

  test('with tokens, any name may lead here', async () => {
    expect(await statusFor('rollcall.example', guarded.url)).toEqual([401, 'TOKEN_REQUIRED']);
  });
});

test('every answer forbids what the page does not need', async () => {
  for (const path of ['/', '/v1/settings', '/nowhere', '/docs', '/assets/swagger-ui-bundle.js']) {
    const { headers } = await open.fetch(path);
    expect(headers.get('content-security-policy'), path).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';font-src 'self';base-uri 'none';form-action 'self';frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.has('access-control-allow-origin')).toBe(false);
  }
});

test('what an operator does is noted under the name of the token', async () => {
  const init = { method: 'POST', body: CSV, ...bearer(operator, { 'content-type': 'text/csv' }) };
  const { id } = await guarded.json<{ id: string }>('/v1/imports?dryRun=true', init);
  const { entries } = await guarded.json<{ entries: object[] }>('/v1/audit?limit=1', bearer(operator));
  expect(entries).toMatchObject([{ who: 'Otto', role: 'operator', action: 'import.create', target: id }]);
});

test('an Idempotency-Key of another token is another key', async () => {
  const send = async (token: string) => {
    const headers = { 'content-type': 'text/csv', 'idempotency-key': 'mine' };
    const response = await guarded.fetch('/v1/imports?dryRun=true', {
      method: 'POST',
      body: CSV,
      ...bearer(token, headers),
    });
    await response.arrayBuffer();
    return response.headers.get('location');
  };
  expect(await send(guarded.token('operator'))).not.toBe(await send(operator));
});

test('neither token nor session is in the log or the access file', async () => {
  const { readFileSync, readdirSync } = await import('node:fs');
  const cookie = (await login(operator)).headers.getSetCookie()[0]?.match(/=([\w-]{43});/)?.[1] ?? 'none';
  const events = await readEvents(`${guarded.url}/v1/events`, { authorization: `Bearer ${operator}` });
  events.close();
  const secret = operator.slice(-43);
  const files = readdirSync(guarded.dir.root).filter((name) => /^(access\.sqlite|rollcall\.log)/.test(name));
  expect(files.length).toBeGreaterThan(1);
  for (const name of files) {
    const content = readFileSync(`${guarded.dir.root}/${name}`, 'latin1');
    expect(content.includes(secret), name).toBe(false);
    expect(content.includes(cookie), name).toBe(false);
  }
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AnswerOf } from '../../src/api/operation.ts';
import type { TokenView, tokenOperations } from '../../src/api/service.ts';
import type { AuditEntry } from '../../src/server/access/access-store.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** Admins say who may use the server: they make tokens, see when each was used, and revoke them. */

const DAY_MS = 86_400_000;

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await startTestServer({ tokenRequired: true });
});
afterAll(() => server.close());
beforeEach(() => {
  for (const { id } of server.access.tokens()) server.access.revoke(id);
  admin = server.token('admin', 'Ada');
});
afterEach(() => void vi.useRealTimers());

const idOf = (token: string) => token.split('_')[1] ?? '';
const as = (token: string, method = 'GET', body?: object): RequestInit => ({
  method,
  headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});
const make = (body: object) =>
  server.json<AnswerOf<typeof tokenOperations.create>>('/v1/tokens', as(admin, 'POST', body));
const tokens = async () => (await server.json<{ tokens: TokenView[] }>('/v1/tokens', as(admin))).tokens;
const audit = async () =>
  (await server.json<{ entries: readonly AuditEntry[] }>('/v1/audit?limit=1&action=token', as(admin))).entries;

test('an admin makes a token, whose secret is in that answer and in no other', async () => {
  const made = await make({ name: 'nightly-job', role: 'operator', expires: '90d' });
  expect(made.token).toMatch(new RegExp(`^rct_${made.id}_[\\w-]{43}$`));
  expect(made).toMatchObject({ name: 'nightly-job', role: 'operator', lastUsedAt: null, own: false });
  const lifeMs = Date.parse(made.expiresAt ?? '') - Date.parse(made.createdAt);
  expect(Math.round(lifeMs / DAY_MS)).toBe(90);
  expect((await server.fetch('/v1/imports', as(made.token))).status).toBe(200);
  expect(JSON.stringify(await tokens())).not.toContain(made.token.slice(-43));
  expect(await audit()).toMatchObject([
    { who: 'Ada', role: 'admin', action: 'token.create', target: made.id, detail: 'operator nightly-job' },
  ]);
});

test('a token without a name has its id as one, also in the audit log', async () => {
  const { id, name } = await make({ role: 'viewer' });
  expect([name, server.access.tokens().find((token) => token.id === id)?.name]).toEqual([id, id]);
});

test('the list has each valid or expired token with its owner, role and times, and says which is your own', async () => {
  const { id } = await make({ name: 'Otto', role: 'operator' });
  const { id: expired } = server.access.createToken({ role: 'viewer', name: 'Vera', expiresAt: Date.now() - DAY_MS });
  server.access.revoke((await make({ name: 'gone', role: 'viewer' })).id);
  expect(await tokens()).toMatchObject([
    { id: idOf(admin), name: 'Ada', role: 'admin', expiresAt: null, lastUsedAt: expect.any(String), own: true },
    { id, name: 'Otto', role: 'operator', expiresAt: null, lastUsedAt: null, own: false },
    { id: expired, name: 'Vera', expiresAt: expect.any(String), lastUsedAt: null, own: false },
  ]);
});

describe('the last use of a token', () => {
  const lastUse = (token: string) => server.access.tokens().find(({ id }) => id === idOf(token))?.lastUsedAt;

  test('is written down at most once a minute', async () => {
    const start = Date.parse('2027-03-28T02:14:00Z');
    vi.useFakeTimers({ now: start, toFake: ['Date'] });
    const token = server.token('viewer');
    expect(lastUse(token)).toBeNull();
    const seen = [];
    for (const seconds of [0, 59, 60, 61, 3_600]) {
      vi.setSystemTime(start + seconds * 1_000);
      await server.json('/v1/imports', as(token));
      seen.push(((lastUse(token) ?? 0) - start) / 1_000);
    }
    expect(seen).toEqual([0, 0, 60, 60, 3_600]);
  });

  test('is also that of its sessions', async () => {
    const token = server.token('viewer');
    const login = { ...as(admin, 'POST', { token }) };
    const cookie = (await server.fetch('/v1/session', login)).headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const day = Date.now() + DAY_MS / 4;
    vi.useFakeTimers({ now: day, toFake: ['Date'] });
    await server.json('/v1/imports', { headers: { cookie } });
    expect(lastUse(token)).toBe(day);
  });
});

test('an expired token is refused as expired, and only to who has its secret', async () => {
  const { text } = server.access.createToken({ role: 'viewer', name: 'Vera', expiresAt: Date.now() - 1 });
  const refused = await server.problem('/v1/imports', as(text));
  expect(refused).toMatchObject({ code: 'TOKEN_EXPIRED', status: 401 });
  expect(refused.headers.get('www-authenticate')).toContain('Bearer');
  expect(await server.problem('/v1/session', as('', 'POST', { token: text }))).toMatchObject({ code: 'TOKEN_EXPIRED' });
  const guessed = `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`;
  expect(await server.problem('/v1/imports', as(guessed))).toMatchObject({ code: 'TOKEN_REFUSED' });
  server.access.revoke(idOf(text));
  expect(await server.problem('/v1/imports', as(text))).toMatchObject({ code: 'TOKEN_REFUSED' });
});

test('a revoked token is refused at once', async () => {
  const { id, token } = await make({ name: 'Otto', role: 'operator' });
  expect((await server.fetch(`/v1/tokens/${id}`, as(admin, 'DELETE'))).status).toBe(204);
  expect(await server.problem('/v1/imports', as(token))).toMatchObject({ code: 'TOKEN_REFUSED' });
  expect(await audit()).toMatchObject([{ who: 'Ada', action: 'token.revoke', target: id, detail: 'operator Otto' }]);
  expect(await server.problem(`/v1/tokens/${id}`, as(admin, 'DELETE'))).toMatchObject({ code: 'UNKNOWN_TOKEN' });
});

test('the last admin cannot lock everyone out, and can with another admin', async () => {
  server.access.createToken({ role: 'admin', name: 'too late', expiresAt: Date.now() - 1 });
  const path = `/v1/tokens/${idOf(admin)}`;
  const refused = await server.problem(path, as(admin, 'DELETE'));
  expect(refused).toMatchObject({ code: 'LAST_ADMIN', status: 409, detail: expect.stringContaining('Ada') });
  expect(refused.remedy).toMatch(/another/);
  const { token } = await make({ name: 'Ann', role: 'admin', expires: '12h' });
  expect((await server.fetch(path, as(admin, 'DELETE'))).status).toBe(204);
  expect((await server.fetch('/v1/tokens', as(token))).status).toBe(200);
});

test('where no tokens are needed, the last one can be revoked', async () => {
  const open = await startTestServer();
  const id = idOf(open.token('admin'));
  expect((await open.fetch(`/v1/tokens/${id}`, { method: 'DELETE' })).status).toBe(204);
  await open.close();
});

test.each([
  [{}, 'role', /viewer.*operator.*admin/],
  [{ role: 'owner' }, 'role', /viewer.*operator.*admin/],
  [{ role: 'viewer', expires: 'soon' }, 'expires', /90d/],
  [{ role: 'viewer', name: 'x'.repeat(101) }, 'name', /100/],
])('%j is refused with what is allowed', async (body, field, says) => {
  const refused = await server.problem('/v1/tokens', as(admin, 'POST', body));
  expect(refused).toMatchObject({ code: 'BAD_OPTION', field, detail: expect.stringMatching(says) });
});

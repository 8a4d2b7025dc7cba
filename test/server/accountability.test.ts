import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/server/access/access-store.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** The audit log names actors, actions and origins; and no one can keep others from logging in. */

let server: TestServer;
let operator: string;
beforeAll(async () => {
  server = await startTestServer({ tokenRequired: true, trustProxy: ['loopback'] });
  operator = server.token('operator', 'Otto');
});
afterAll(() => server.close());

const from = (address: string) => ({ 'x-forwarded-for': address });
const login = (token: string, address: string) =>
  server.fetch('/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...from(address) },
    body: JSON.stringify({ token }),
  });
const statuses = async (token: string, address: string, times: number) => {
  const seen: number[] = [];
  for (let at = 0; at < times; at += 1) seen.push((await login(token, address)).status);
  return seen;
};
const audit = async (): Promise<readonly AuditEntry[]> =>
  (
    await server.json<{ entries: readonly AuditEntry[] }>('/v1/audit?limit=1000', {
      headers: { authorization: `Bearer ${operator}` },
    })
  ).entries;

const TEN_REFUSED = Array(10).fill(401);

test('those who guess are held up by their address, and a right token from there is not', async () => {
  expect(await statuses('rct_guess', '192.0.2.1', 12)).toEqual([...TEN_REFUSED, 429, 429]);
  expect((await login(operator, '192.0.2.1')).status).toBe(200);
  expect((await login('rct_guess', '192.0.2.2')).status).toBe(401);
});

test('those who guess the secret of one token are held up wherever they come from, and its owner is not', async () => {
  const token = server.token('viewer', 'Vera');
  const wrong = `${token.slice(0, -5)}AAAAA`;
  const seen: number[] = [];
  for (let host = 1; host <= 12; host += 1) seen.push((await login(wrong, `198.51.100.${host}`)).status);
  expect(seen).toEqual([...TEN_REFUSED, 429, 429]);
  expect((await login(token, '198.51.100.77')).status).toBe(200);
  const refused = (await audit()).filter(({ target }) => target === token.split('_')[1]);
  expect(refused).toContainEqual(
    expect.objectContaining({ who: 'nobody', action: 'session.refuse', address: '198.51.100.3' }),
  );
});

test('an expired token is held up like a wrong one', async () => {
  const { text } = server.access.createToken({ role: 'viewer', name: 'Eve', expiresAt: Date.now() - 1 });
  expect(await statuses(text, '192.0.2.8', 12)).toEqual([...TEN_REFUSED, 429, 429]);
});

test('a token has at most fifty sessions: the oldest ends', async () => {
  const token = server.token('viewer', 'Sam');
  const cookies: string[] = [];
  for (let at = 0; at < 51; at += 1) {
    cookies.push((await login(token, '192.0.2.9')).headers.getSetCookie()[0]?.split(';')[0] ?? '');
  }
  const status = async (cookie = '') => (await server.fetch('/v1/session', { headers: { cookie } })).status;
  expect(await Promise.all([cookies[0], cookies[1], cookies[50]].map(status))).toEqual([401, 200, 200]);
});

test('logging in and out is on record with the address', async () => {
  const cookie = (await login(operator, '203.0.113.5')).headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await server.fetch('/v1/session', { method: 'DELETE', headers: { cookie, ...from('203.0.113.6') } });
  expect((await audit()).slice(0, 2)).toMatchObject([
    { who: 'Otto', action: 'session.end', address: '203.0.113.6' },
    { who: 'Otto', action: 'session.create', address: '203.0.113.5' },
  ]);
});

test('what a role does not allow is on record, once a minute', async () => {
  const headers = { authorization: `Bearer ${server.token('viewer', 'Wim')}`, ...from('203.0.113.9') };
  for (let at = 0; at < 3; at += 1) await server.problem('/v1/imports/x/cancel', { method: 'POST', headers });
  const refused = (await audit()).filter(({ who }) => who === 'Wim');
  expect(refused).toMatchObject([
    { action: 'role.refuse', role: 'viewer', detail: 'POST /v1/imports/:id/cancel', address: '203.0.113.9' },
  ]);
});

test('an import is on record with its file and its options', async () => {
  const headers = { authorization: `Bearer ${operator}`, 'content-type': 'text/csv', ...from('203.0.113.7') };
  const query = 'name=members.csv&scope=admin&dryRun=true';
  const { id } = await server.json<{ id: string }>(`/v1/imports?${query}`, {
    method: 'POST',
    body: 'guid,uid\ng,a\n',
    headers,
  });
  expect((await audit())[0]).toMatchObject({
    who: 'Otto',
    action: 'import.create',
    target: id,
    detail: 'file=members.csv scope=admin dryRun=true to=sandbox',
    address: '203.0.113.7',
  });
});

test('an address that a client only claims counts for nothing where no proxy is trusted', async () => {
  const plain = await startTestServer({ tokenRequired: true });
  try {
    const seen: number[] = [];
    for (let host = 1; host <= 12; host += 1) {
      const response = await plain.fetch('/v1/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...from(`192.0.2.${host}`) },
        body: '{"token":"rct_guess"}',
      });
      seen.push(response.status);
    }
    expect(seen).toEqual([...TEN_REFUSED, 429, 429]);
    expect(plain.access.audit({ limit: 1 })).toMatchObject([{ address: '127.0.0.1' }]);
  } finally {
    await plain.close();
  }
});

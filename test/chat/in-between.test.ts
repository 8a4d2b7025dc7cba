import { describe, expect, test } from 'vitest';
import { judge, type Verdict } from '../../src/chat/error-policy.ts';
import { API_KEY, connect, json, rejection, serve } from './chat-server.ts';

const TWO = { participants: ['u1', 'u2'] };

async function verdictOn(status: number, body: string, headers: Record<string, string> = {}): Promise<Verdict> {
  const server = await serve((response) => response.writeHead(status, headers).end(body));
  return judge(await rejection(connect(server.host).addMembers('g1', TWO)), 2);
}

describe('what something between rollcall and the service answers does not stop the region', () => {
  test.each([
    ['a redirect to a login page', 302, '', { Location: 'https://login.example/' }],
    ['a permanent redirect', 308, '<html></html>', { Location: 'https://elsewhere.example/' }],
    ['the page of a firewall', 403, '<!DOCTYPE html><html><title>Access denied</title></html>', {}],
    ['a page with 401', 401, '\n<html><head><title>Sign in</title></head></html>', {}],
    ['a page with 404', 404, '<html><body>not found</body></html>', {}],
    ['a bare 403', 403, '', {}],
    ['a 403 of a gateway, in JSON', 403, '{"message":"Forbidden"}', {}],
    ['a 403 in plain text', 403, 'Forbidden', {}],
  ])('%s', async (_what, status, body, headers) => {
    const verdict = await verdictOn(status, body, headers);
    expect(verdict).toMatchObject({ kind: 'again', code: 'NOT_THE_SERVICE', httpStatus: status });
    expect(verdict.message).toMatch(/proxy, firewall/);
  });

  test('the title of a page is shown, without the key', async () => {
    const { message } = await verdictOn(403, `<html><title>Blocked: ${API_KEY}</title></html>`);
    expect(message).toContain('Blocked: [redacted]');
    expect(message).not.toContain(API_KEY);
  });

  test('a long page is looked at only as far as its title', async () => {
    expect(await verdictOn(403, `<html>${'<title>'.repeat(100_000)}`)).toMatchObject({ code: 'NOT_THE_SERVICE' });
  });

  test('what a page with 429 or 413 says about time and size holds', async () => {
    expect(await verdictOn(429, '<html></html>', { 'Retry-After': '7' })).toMatchObject({
      kind: 'slow-down',
      waitMs: 7_000,
    });
    expect(await verdictOn(413, '<html></html>')).toMatchObject({ kind: 'halve' });
  });

  test.each([401, 403])('the service itself stops the region, when it refuses the key with %i', async (status) => {
    const code = 'AUTH_ERR_NO_ACCESS';
    expect(await verdictOn(status, JSON.stringify({ error: { code, message: 'no' } }))).toMatchObject({
      kind: 'stop-region',
      code,
    });
    expect(await verdictOn(status, JSON.stringify({ error: { message: 'no' } }))).toMatchObject({
      kind: 'stop-region',
    });
  });
});

describe('headers of every call', () => {
  test('it asks for JSON and says who it is', async () => {
    const server = await serve(json({ data: {} }));
    await connect(server.host, { userAgent: 'rollcall/1.2.3' }).addMembers('g1', TWO);
    await connect(server.host).listUsers();
    expect(server.received.map(({ headers }) => [headers['Accept'], headers['User-Agent']])).toEqual([
      ['application/json', 'rollcall/1.2.3'],
      ['application/json', 'rollcall'],
    ]);
  });
});

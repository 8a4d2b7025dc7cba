import { readFileSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../console/browser.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** Requests that are wrong on purpose: each is the sender's fault, says so, and leaves next to nothing in the log. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const logFile = () => join(server.dir.root, 'rollcall.log');
const logged = () => readFileSync(logFile(), 'utf8');
const logBytes = () => statSync(logFile()).size;

/** The path as it is, which `fetch` would tidy up first. */
async function raw(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { hostname, port } = new URL(server.url);
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, headers, method }, async (response) =>
      resolve({ status: response.statusCode, body: (await response.toArray()).join('') }),
    );
    sent.once('error', reject);
    sent.end();
  });
}

test.each(['imports', 'syncs', 'schedules', 'members'])(
  'a part of an address in %s that is too long is not found, whoever asks, and the log does not grow',
  async (collection) => {
    const before = logBytes();
    const path = `/v1/${collection}/${'x'.repeat(8_000)}/history`;
    for (const host of [undefined, 'evil.example']) {
      const { status, body } = await raw(path, host === undefined ? {} : { host });
      expect([404, 403]).toContain(status);
      expect(body.length).toBeLessThan(1_000);
    }
    expect(logBytes()).toBe(before);
  },
);

test('an address that cannot be decoded is not found', async () => {
  expect(JSON.parse((await raw('/v1/imports/%ff%zz')).body)).toMatchObject({ code: 'NOT_FOUND', status: 404 });
});

test('a fragment is no part of an address, even one that cannot be decoded', async () => {
  const { body } = await raw('/v1/imports#%zz', {}, 'PUT');
  expect(JSON.parse(body)).toMatchObject({ code: 'METHOD_NOT_ALLOWED', status: 405 });
});

test.each(['/assets/../../', '/assets/%2e%2e/%2e%2e/', '/assets/..%2f..%2f', '/assets/../../x'])(
  'a file outside of those that are served is not found: %s',
  async (path) => {
    const before = logBytes();
    expect((await raw(path)).status).toBe(404);
    expect(logBytes()).toBe(before);
  },
);

test('a form with a boundary of thousands of characters is a body that cannot be used', async () => {
  const boundary = 'b'.repeat(9_000);
  const problem = await server.problem('/v1/imports', {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nguid,uid\n\r\n--${boundary}--\r\n`,
  });
  expect(problem).toMatchObject({ code: 'BAD_BODY', status: 400 });
  expect(problem.detail.length).toBeLessThan(300);
});

test('an upload that its client leaves is not an error of the server', async () => {
  const before = logged().length;
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    'POST /v1/imports HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\nguid,uid\n',
  );
  await eventually(async () => server.leftovers().length).toBe(1);
  socket.resetAndDestroy();
  await eventually(async () => server.leftovers().length).toBe(0);
  await eventually(async () => logged().slice(before)).toContain('client left');
  expect(logged().slice(before)).not.toContain('"level":"error"');
});

test('a charset of thousands of blanks costs no more than one of as many letters', async () => {
  const { hostname, port } = new URL(server.url);
  const ask = (charset: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': `text/csv; charset=${charset}` };
      const sent = httpRequest({ hostname, port, path: '/v1/look', method: 'POST', headers }, (response) =>
        resolve(response.resume().statusCode),
      );
      sent.once('error', reject);
      sent.end('guid,uid\ng,a\n');
    });
  /** CPU time of many requests, in microseconds: this process is the server, too. The system counts it in steps of some ms. */
  const cost = async (charset: string) => {
    for (let warm = 0; warm < 5; warm += 1) await ask(charset);
    const before = process.cpuUsage();
    for (let asked = 0; asked < 100; asked += 1) expect([200, 400]).toContain(await ask(charset));
    return process.cpuUsage(before).user;
  };
  const letters = await cost('k'.repeat(14_000));
  expect(await cost(`${' '.repeat(14_000)}"x`)).toBeLessThan(6 * letters);
});

test('a request with two Host headers is refused, whichever of them is right', async () => {
  const { hostname, port } = new URL(server.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write('GET /v1/imports HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n'),
    );
    socket.setEncoding('utf8').once('data', resolve).once('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
});

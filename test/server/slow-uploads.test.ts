import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { eventually } from '../console/browser.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** Uploads that come drop by drop do not keep others from uploading. */

const MOST = 4;
/** The server measures how slow uploads are over this time. */
const WHILE_MS = 60_000;

let server: TestServer;
let others: string;
beforeAll(async () => {
  server = await startTestServer({ tokenRequired: true, maxUploads: MOST, uploadIdleMs: WHILE_MS });
  others = server.token('operator');
});
afterAll(() => server.close());

const drips: NodeJS.Timeout[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const drip of drips.splice(0)) clearInterval(drip);
});

/** An upload of which a byte comes now and then, and never the end; gives what it is answered. */
function trickle(token: string): { request: ClientRequest; answer: Promise<{ status?: number; detail: string }> } {
  const request = httpRequest(`${server.url}/v1/imports?dryRun=true`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${token}` },
  });
  request.on('error', () => {});
  request.write('guid,uid\n');
  drips.push(setInterval(() => request.write('g'), 100));
  const answer = (once(request, 'response') as Promise<[IncomingMessage]>).then(async ([response]) => {
    const { detail } = JSON.parse((await response.toArray()).join(''));
    return { ...(response.statusCode !== undefined && { status: response.statusCode }), detail };
  });
  // Most of them are left before they are answered.
  answer.catch(() => {});
  return { request, answer };
}

const upload = async (token: string) => {
  const response = await server.fetch('/v1/imports?dryRun=true', {
    method: 'POST',
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${token}` },
    body: 'guid,uid\ng,a\n',
  });
  await response.arrayBuffer();
  return response.status;
};

test('one token has half of the places at most', async () => {
  const greedy = server.token('operator');
  const held = [trickle(greedy), trickle(greedy)];
  await eventually(async () => server.leftovers().length).toBe(2);
  expect(await upload(greedy)).toBe(503);
  expect(await upload(others)).toBe(202);
  for (const { request } of held) request.destroy();
  await eventually(async () => server.leftovers().length).toBe(0);
});

test('where all places are taken, the slowest upload gives way, and is refused', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const held = [server.token('operator'), server.token('operator')].flatMap((token) => [
    trickle(token),
    trickle(token),
  ]);
  await eventually(async () => server.leftovers().length).toBe(MOST);
  const first = Promise.race(held.map(({ answer }) => answer));
  // No upload is slow from the start.
  expect(await upload(others)).toBe(503);
  vi.advanceTimersByTime(WHILE_MS);
  expect(await upload(others)).toBe(202);
  expect(await first).toMatchObject({ status: 400, detail: expect.stringContaining('others wait') });
  for (const { request } of held) request.destroy();
  await eventually(async () => server.leftovers().length).toBe(0);
});

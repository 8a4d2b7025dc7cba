import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** An Idempotency-Key makes one import of a repeated upload. */

const CSV = 'guid,uid\ng,anna\ng,bert\n';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Ids of all imports. */
const ids = async () =>
  (await server.json<{ imports: ImportView[] }>('/v1/imports?limit=200')).imports.map(({ id }) => id);

/** An upload whose body is written by hand. */
function openUpload(key: string, headers: Record<string, string | number>): ClientRequest {
  const request = httpRequest(`${server.url}/v1/imports?dryRun=true`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'idempotency-key': key, ...headers },
  });
  request.on('error', () => {});
  return request;
}

const send = (key: string, body = CSV, query = 'dryRun=true') =>
  server.fetch(`/v1/imports?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'idempotency-key': key },
    body,
  });
const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

test('the second answer is the first one, and says so', async () => {
  const first = await send('once');
  const before = await ids();
  const second = await send('once');
  expect(second.status).toBe(202);
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(second.headers.get('location')).toBe(first.headers.get('location'));
  expect(await ids()).toEqual(before);
  expect(server.leftovers()).toEqual([]);
});

test('another file or other options under the same key are refused', async () => {
  await send('reused');
  const other = await send('reused', 'guid,uid\ng,other\n');
  expect([other.status, await codeOf(other)]).toEqual([422, 'KEY_REUSED']);
  const options = await send('reused', CSV, 'dryRun=true&region=eu');
  expect([options.status, await codeOf(options)]).toEqual([422, 'KEY_REUSED']);
  expect(server.leftovers()).toEqual([]);
});

test('while the first upload is under way, the second is refused', async () => {
  const first = openUpload('at-once', { 'transfer-encoding': 'chunked' });
  first.write('guid,uid\n');
  await expect.poll(server.leftovers).toHaveLength(1);
  const second = await send('at-once', 'guid,uid\ng,anna\n');
  expect([second.status, await codeOf(second)]).toEqual([409, 'KEY_IN_USE']);
  first.end('g,anna\n');
  const [answer] = (await once(first, 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(202);
  const third = await send('at-once', 'guid,uid\ng,anna\n');
  expect(third.headers.get('idempotency-replayed')).toBe('true');
});

test('a key whose upload was given up is free again', async () => {
  const first = openUpload('given-up', { 'content-length': 1_000 });
  first.write('guid,uid\n');
  await expect.poll(server.leftovers).toHaveLength(1);
  first.destroy();
  await expect.poll(server.leftovers).toEqual([]);
  expect((await send('given-up')).headers.get('idempotency-replayed')).toBeNull();
});

test('the import being deleted, the key makes a new one', async () => {
  const first = (await (await send('deleted')).json()) as ImportView;
  await server.settled(first.id);
  await server.fetch(`/v1/imports/${first.id}`, { method: 'DELETE' });
  const second = await send('deleted');
  expect(second.headers.get('idempotency-replayed')).toBeNull();
  expect(((await second.json()) as ImportView).id).not.toBe(first.id);
});

test('a key that is not valid is refused', async () => {
  const response = await send('with a blank');
  expect(await response.json()).toMatchObject({ code: 'BAD_OPTION', field: 'idempotency-key' });
});

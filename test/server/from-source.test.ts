import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { SyncView } from '../../src/features/sync/api.ts';
import { BUCKET, KEYS, type S3Server, startS3 } from '../sources/s3-server.ts';
import { syncSettled } from '../syncs/sync-settled.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** `?source=`: the server gets the file itself, from where ROLLCALL_SOURCES allows. */

const CSV = 'guid,uid\ng,anna\ng,bert\n';

let server: TestServer;
let s3: S3Server;
let root: string;
let exports: string;
let address: string;
let answer: RequestListener;
const web = createServer((request, response) => answer(request, response));

beforeAll(async () => {
  s3 = await startS3();
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  address = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  root = mkdtempSync(join(tmpdir(), 'rollcall-test-'));
  exports = join(root, 'exports');
  mkdirSync(exports);
  writeFileSync(join(exports, 'members.csv'), CSV);
  writeFileSync(join(exports, '..', 'secret.csv'), CSV);
  symlinkSync(join(exports, '..', 'secret.csv'), join(exports, 'link.csv'));
  vi.stubEnv('SOURCE_HR_ACCESS_KEY_ID', KEYS.accessKeyId);
  vi.stubEnv('SOURCE_HR_SECRET_ACCESS_KEY', KEYS.secretAccessKey);
  const hr = { url: `s3://${BUCKET}`, endpoint: s3.endpoint, region: 'eu-central-1' };
  server = await startTestServer({
    settings: { sources: [exports, `${address}/files/`, 'hr:out/'] },
    namedSources: { hr },
  });
});
afterAll(async () => {
  await server.close();
  await s3.close();
  web.close();
  rmSync(root, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

const asked = (source: string) => `source=${encodeURIComponent(source)}`;
const post = (path: string) => server.json<ImportView & SyncView>(path, { method: 'POST' });
const refused = (source: string, init: RequestInit = {}) =>
  server.problem(`/v1/imports?${asked(source)}`, { method: 'POST', ...init });

test('a file in an allowed folder becomes an import, and the newest that fits a pattern', async () => {
  for (const name of ['members.csv', '*.csv']) {
    const { id } = await post(`/v1/imports?${asked(join(exports, name))}`);
    expect(await server.settled(id)).toMatchObject({ state: 'completed', rows: { read: 2 } });
    expect(await server.json<ImportView>(`/v1/imports/${id}`)).toMatchObject({
      file: expect.stringContaining('members.csv'),
    });
  }
});

test('an object in a named source becomes an import, and a page of the web a sync', async () => {
  s3.objects.set('out/members.csv', { bytes: Buffer.from(CSV), modifiedAt: new Date() });
  const { id } = await post(`/v1/imports?${asked('hr:out/members.csv')}`);
  expect(await server.settled(id)).toMatchObject({ state: 'completed', rows: { read: 2 } });

  answer = (_, response) => response.end(CSV);
  const sync = await post(`/v1/syncs?${asked(`${address}/files/members.csv?key=secret`)}&apply=true`);
  expect(await syncSettled(server.syncs, sync.id)).toMatchObject({
    state: expect.stringMatching(/^(applied|unchanged)$/),
  });
  expect(JSON.stringify(await server.json(`/v1/syncs/${sync.id}`))).not.toContain('secret');
});

test.each([
  ['a file elsewhere', () => '/etc/passwd'],
  ['a link that leads out', () => join(exports, 'link.csv')],
  ['another part of the bucket', () => 'hr:private/members.csv'],
  ['another address', () => 'https://example.com/members.csv'],
  ['a way out of the folder', () => `${exports}/../secret.csv`],
])('%s is not allowed, and nothing is left', async (_, source) => {
  expect((await refused(source())).code).toBe('SOURCE_NOT_ALLOWED');
  expect(server.leftovers()).toEqual([]);
});

test('what is not there, and what breaks off, is refused with the reason, and nothing is left', async () => {
  const gone = await refused(join(exports, 'gone.csv'));
  expect(gone).toMatchObject({ code: 'BAD_OPTION', field: 'source', detail: expect.stringContaining('gone.csv') });
  answer = (_, response) => {
    response.writeHead(200, { 'content-length': 1_000 });
    response.write(CSV);
    response.destroy();
  };
  expect(await refused(`${address}/files/members.csv`)).toMatchObject({ code: 'BAD_OPTION', field: 'source' });
  expect(server.leftovers()).toEqual([]);
});

test('a request has a body or a source', async () => {
  const both = await refused(join(exports, 'members.csv'), { body: CSV, headers: { 'content-type': 'text/csv' } });
  expect(both).toMatchObject({ code: 'BAD_BODY', remedy: expect.stringContaining('Leave one') });
});

test('the same key asks for the same file once', async () => {
  const once = async () => {
    const headers = { 'idempotency-key': 'night-1' };
    return server.json<ImportView>(`/v1/imports?${asked(join(exports, 'members.csv'))}`, { method: 'POST', headers });
  };
  const { id } = await once();
  expect((await once()).id).toBe(id);
  await server.settled(id);
});

test('a client that leaves ends the fetching, which is no failure of the server', async () => {
  const arrived = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  answer = (_, response) => {
    response.writeHead(200).write('guid,uid\n');
    response.once('close', () => ended.resolve());
    arrived.resolve();
  };
  const leaving = new AbortController();
  const request = server.fetch(`/v1/imports?${asked(`${address}/files/slow.csv`)}`, {
    method: 'POST',
    signal: leaving.signal,
  });
  await arrived.promise;
  leaving.abort();
  await expect(request).rejects.toThrow();
  await ended.promise;
  await expect.poll(() => server.leftovers()).toEqual([]);
  // Answered after the one that was left.
  await server.json('/v1/imports');
  expect(readFileSync(join(server.dir.root, 'rollcall.log'), 'utf8')).not.toContain('"level":"error"');
});

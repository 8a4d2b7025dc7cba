import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { DataDir } from '../../src/platform/data-dir.ts';
import { startTestServer, type TestServer } from './test-server.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_UPLOADS = 20;
/** Two members for a group. */
const csv = (guid: string) => `guid,uid\n${guid},anna\n${guid},bert\n`;
const CSV = csv('g');

let server: TestServer;
beforeAll(async () => {
  const settings = { maxUploadBytes: MAX_BYTES };
  // A process that was killed has left an upload behind.
  const prepare = ({ root }: DataDir) => {
    mkdirSync(join(root, 'uploads'));
    writeFileSync(join(root, 'uploads', 'left.part'), CSV);
  };
  server = await startTestServer({ settings, maxUploads: MAX_UPLOADS, prepare });
});
afterAll(() => server.close());

/** Ids of all imports. */
const ids = async () =>
  (await server.json<{ imports: ImportView[] }>('/v1/imports?limit=200')).imports.map(({ id }) => id);

/** An upload whose body is written by hand. */
function openUpload(headers: Record<string, string | number>, to: TestServer = server): ClientRequest {
  const request = httpRequest(`${to.url}/v1/imports`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', ...headers },
  });
  request.on('error', () => {});
  return request;
}

async function answerOf(
  request: ClientRequest,
): Promise<{ status: number | undefined; code?: string; headers: IncomingMessage['headers'] }> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = (await response.toArray()).join('');
  return { status: response.statusCode, code: JSON.parse(text).code, headers: response.headers };
}

function form(content: string, name: string, field = 'file'): FormData {
  const data = new FormData();
  data.append(field, new File([content], name, { type: 'text/csv' }));
  return data;
}

test('what a killed process has left of an upload is gone at the start', () => {
  expect(server.leftovers()).toEqual([]);
});

describe('a file becomes an import', () => {
  test('with its address in Location, and every row is accounted for', async () => {
    const response = await server.fetch('/v1/imports?name=members.csv', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: CSV,
    });
    expect(response.status).toBe(202);
    const view = (await response.json()) as ImportView;
    expect(response.headers.get('location')).toBe(`/v1/imports/${view.id}`);
    // The state is that of the moment: two rows may have been read, and sent, before the answer is written.
    expect(view).toMatchObject({ file: 'members.csv', sandbox: true, dryRun: false });
    expect(await server.settled(view.id)).toMatchObject({ state: 'completed', rows: { read: 2, added: 2 } });
  });

  test.each([
    ['JSON', 'application/json', '[{"guid":"json","uid":"a"},{"guid":"json","uid":"b"}]'],
    ['NDJSON', 'application/x-ndjson', '{"guid":"nd","uid":"a"}\n{"guid":"nd","uid":"b"}\n'],
    ['NDJSON that calls itself JSON', 'application/json', '{"guid":"ndj","uid":"a"}\n{"guid":"ndj","uid":"b"}\n'],
    ['bytes, whose format is seen', 'application/octet-stream', '{"guid":"o","uid":"a"}\n{"guid":"o","uid":"b"}\n'],
    ['CSV in an encoding that its type names', 'text/csv; charset=utf-16le', Buffer.from(csv('utf16'), 'utf16le')],
  ])('%s', async (_, type, body) => {
    const view = await server.upload('', '', { body, headers: { 'content-type': type } });
    expect(await server.settled(view.id)).toMatchObject({ state: 'completed', rows: { read: 2, added: 2 } });
  });

  test('gzipped', async () => {
    const init = { body: gzipSync(csv('gzip')), headers: { 'content-encoding': 'gzip' } };
    const view = await server.upload('', '', init);
    expect(await server.settled(view.id)).toMatchObject({ state: 'completed', rows: { read: 2, added: 2 } });
  });

  test('from a form, under the name of its file', async () => {
    const response = await server.fetch('/v1/imports', { method: 'POST', body: form(csv('form'), 'team.csv') });
    const view = (await response.json()) as ImportView;
    expect(view.file).toBe('team.csv');
    expect(await server.settled(view.id)).toMatchObject({ state: 'completed', rows: { read: 2, added: 2 } });
  });

  test('read as the options say', async () => {
    const query = new URLSearchParams({
      map: 'uid=Member ID',
      guid: 'team',
      scope: 'moderator',
      region: 'eu',
      delimiter: 'tab',
      onBehalfOf: 'boss',
      maxErrors: '5%',
      dryRun: 'true',
    });
    const view = await server.run('Member ID\tNote\nanna\tx,y\n', `${query}`);
    expect(view).toMatchObject({ state: 'staged', dryRun: true, actions: ['resume', 'cancel', 'delete'] });
    const { rows } = await server.json<{ rows: object[] }>(`/v1/imports/${view.id}/rows`);
    expect(rows).toMatchObject([
      { uid: 'anna', guid: 'team', scope: 'moderator', region: 'eu', original: { Note: 'x,y' } },
    ]);
  });

  test('a file that cannot be read is rejected with the place, and nothing is sent', async () => {
    const view = await server.run('guid,uid\ng,"anna\n');
    expect(view).toMatchObject({ state: 'rejected', calls: 0, actions: ['delete'] });
    expect(view.reason).toContain('a quote');
  });
});

test('a small gzipped file that unpacks to very much is rejected where it stops making sense', async () => {
  const bomb = gzipSync(Buffer.concat([Buffer.from('guid,uid\ng,'), Buffer.alloc(50 * 1024 * 1024, 'x')]));
  expect(bomb.length).toBeLessThan(MAX_BYTES);
  const view = await server.upload('', '', { body: bomb, headers: { 'content-encoding': 'gzip' } });
  expect(await server.settled(view.id)).toMatchObject({ state: 'rejected', calls: 0 });
});

describe('a name is a label and never a path', () => {
  test.each([
    ['../../../../tmp/evil.csv', 'evil.csv'],
    ['C:\\Users\\me\\team.csv', 'team.csv'],
    ['..', '..'],
    ['a\u202egnp.csv', 'a\\u{202e}gnp.csv'],
    ['-', 'upload'],
    ['', 'upload'],
    ['<img src=x onerror=alert(1)>.csv', '<img src=x onerror=alert(1)>.csv'],
    [`${'long'.repeat(100)}.csv`, 'long'.repeat(50)],
  ])('%j', async (name, label) => {
    const view = await server.upload(CSV, `dryRun=true&name=${encodeURIComponent(name)}`);
    expect(view.file).toBe(label);
    expect(readFileSync(join(server.dir.folder(view.id), 'input'), 'utf8')).toBe(CSV);
  });

  test('in a form as well', async () => {
    const body = form(CSV, '../../../../../../tmp/rollcall-evil.csv');
    const view = await server.json<ImportView>('/v1/imports?dryRun=true', { method: 'POST', body });
    expect(view.file).toBe('rollcall-evil.csv');
    expect(existsSync('/tmp/rollcall-evil.csv')).toBe(false);
  });
});

describe('what cannot become an import is refused, and leaves nothing behind', () => {
  let before: string[];
  beforeEach(async () => {
    before = await ids();
    return async () => {
      expect(await ids()).toEqual(before);
      await expect.poll(server.leftovers).toEqual([]);
    };
  });
  const post = (init: RequestInit, query = '') =>
    server.problem(`/v1/imports?${query}`, { method: 'POST', headers: { 'content-type': 'text/csv' }, ...init });

  test.each([
    ['region=mars', 'region', 'us, eu, in'],
    ['scope=owner', 'scope', 'admin, moderator, participant, ban'],
    ['dryRun=maybe', 'dryRun', 'true, false'],
    ['maxErrors=many', 'maxErrors', '5%'],
    ['map=nothing', 'map', 'field=column'],
    ['delimiter=abc', 'delimiter', 'one character'],
    ['delimiter=%22', 'delimiter', 'neither a quote'],
    ['format=docx', 'format', 'auto, csv, json, ndjson'],
    ['encoding=klingon', 'encoding', 'windows-1252'],
    ['guid=not%20an%20id', 'guid', 'A-Z'],
    ['onBehalfOf=a%20b', 'onBehalfOf', 'A-Z'],
    ['dry-run=true', 'dry-run', 'no option'],
  ])('the option %s', async (query, field, says) => {
    const problem = await post({ body: CSV }, query);
    expect(problem).toMatchObject({ code: 'BAD_OPTION', status: 400, field });
    expect(problem.detail).toContain(says);
    expect(problem.detail).not.toContain('--');
  });

  test('an empty body', async () => {
    expect(await post({ body: '' })).toMatchObject({ code: 'BAD_BODY', status: 400 });
  });

  test.each(['application/x-www-form-urlencoded', 'image/png', 'text/plain'])('the media type %s', async (type) => {
    expect(await post({ body: CSV, headers: { 'content-type': type } })).toMatchObject({
      code: 'MEDIA_TYPE',
      status: 415,
    });
  });

  test('an encoding of the body other than gzip', async () => {
    const headers = { 'content-type': 'text/csv', 'content-encoding': 'br' };
    expect(await post({ body: CSV, headers })).toMatchObject({ code: 'MEDIA_TYPE', status: 415 });
  });

  test('a body that says that it is too large, before it is sent', async () => {
    const request = openUpload({ 'content-length': MAX_BYTES + 1 });
    request.flushHeaders();
    expect(await answerOf(request)).toMatchObject({ status: 413, code: 'TOO_LARGE' });
    request.destroy();
  });

  test('a body that turns out to be too large', async () => {
    const request = openUpload({ 'transfer-encoding': 'chunked' });
    const answer = answerOf(request);
    request.write(CSV);
    request.write(Buffer.alloc(MAX_BYTES, 'x'));
    expect(await answer).toMatchObject({ status: 413, code: 'TOO_LARGE' });
    request.destroy();
  });

  test('a form with too large a file', async () => {
    const body = form(CSV.padEnd(MAX_BYTES + 1, 'x'), 'large.csv');
    expect(await post({ body, headers: {} })).toMatchObject({ code: 'TOO_LARGE', status: 413 });
  });

  test('a form without a file, with another part, with two files', async () => {
    const none = new FormData();
    none.append('region', 'us');
    const two = form(CSV, 'a.csv');
    two.append('file', new File([CSV], 'b.csv'));
    for (const body of [none, form(CSV, 'a.csv', 'document'), two, new FormData()]) {
      expect(await post({ body, headers: {} })).toMatchObject({ code: 'BAD_BODY', status: 400 });
    }
  });

  test('a form that breaks off', async () => {
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    for (const body of [head, `${head}${CSV}`, '--b', 'no form']) {
      expect(await post({ body, headers })).toMatchObject({ code: 'BAD_BODY', status: 400 });
    }
  });

  test('a client that goes away in the middle', async () => {
    const request = openUpload({ 'content-length': 1_000 });
    request.write(CSV);
    await expect.poll(server.leftovers).toHaveLength(1);
    request.destroy();
    await expect.poll(server.leftovers).toEqual([]);
  });

  test('a client that goes away in the middle of a form', async () => {
    const request = openUpload({ 'content-type': 'multipart/form-data; boundary=b', 'content-length': 1_000 });
    request.write(`--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${CSV}`);
    await expect.poll(server.leftovers).toHaveLength(1);
    request.destroy();
    await expect.poll(server.leftovers).toEqual([]);
  });

  test('an upload that stands still', async () => {
    const impatient = await startTestServer({ uploadIdleMs: 300 });
    const request = openUpload({ 'content-length': 1_000 }, impatient);
    request.write(CSV);
    expect(await answerOf(request)).toMatchObject({ status: 400, code: 'BAD_BODY' });
    request.destroy();
    expect(impatient.leftovers()).toEqual([]);
    await impatient.close();
  });

  test('more uploads at once than the server takes; the others are not disturbed', async () => {
    const open = Array.from({ length: MAX_UPLOADS }, () => openUpload({ 'transfer-encoding': 'chunked' }));
    for (const request of open) request.write('guid,uid\n');
    await expect.poll(server.leftovers).toHaveLength(MAX_UPLOADS);
    const problem = await post({ body: CSV });
    expect(problem).toMatchObject({ code: 'BUSY', status: 503 });
    expect(Number(problem.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const request of open) request.destroy();
    await expect.poll(server.leftovers).toEqual([]);
  });
});

test('60 uploads at once are each taken or asked to come back, and all of them get in at last', async () => {
  const before = (await ids()).length;
  const send = async (at: number): Promise<number> => {
    const response = await server.fetch(`/v1/imports?dryRun=true&name=${at}.csv`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: CSV,
    });
    await response.arrayBuffer();
    if (response.status === 503) return send(at);
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: 60 }, (_, at) => send(at)));
  expect(new Set(statuses)).toEqual(new Set([202]));
  const names = new Set<string>();
  let cursor = '';
  do {
    const page = await server.json<{ imports: ImportView[]; nextCursor: string | null }>(
      `/v1/imports?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    for (const { file } of page.imports) if (/^\d+\.csv$/.test(file)) names.add(file);
    cursor = page.nextCursor ?? '';
  } while (cursor !== '');
  expect(names.size).toBe(60);
  expect(before).toBeGreaterThan(0);
  expect(server.leftovers()).toEqual([]);
});

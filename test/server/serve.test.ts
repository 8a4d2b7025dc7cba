import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { FileLook } from '../../src/api/look.ts';
import { main } from '../../src/cli/main.ts';
import { STOP_DEADLINE_MS } from '../../src/platform/lifecycle.ts';
import { type Followed, filesBelow, openWorkplace, type Running, type Workplace } from '../cli/workplace.ts';
import { eventually } from '../eventually.ts';
import { readEvents } from './event-source.ts';

/** `rollcall serve` under way. */
interface Served {
  readonly url: string;
  json<Body>(path: string, init?: RequestInit): Promise<Body>;
  upload(content: string, query?: string): Promise<ImportView>;
  /** Resolves when nothing more happens by itself to the import. */
  over(id: string): Promise<ImportView>;
}

const command = (flags: readonly string[]) => ['serve', '--sandbox', '--port', '0', ...flags];

/** In this process: Ctrl-C ends it. */
async function serve(place: Workplace, ...flags: readonly string[]): Promise<Served & Followed> {
  const running = place.begin(command(flags));
  return { ...running, ...(await served(running)) };
}

/** In a process of its own. */
async function serveElsewhere(place: Workplace, ...flags: readonly string[]): Promise<Served & Running> {
  const running = place.start(command(flags), { stays: true });
  return { ...running, ...(await served(running)) };
}

async function served(running: Followed): Promise<Served> {
  await running.says('Listening on http://');
  const url = /Listening on (http:\S+)/.exec(running.stderr())?.[1] ?? '';
  const json: Served['json'] = async (path, init) => {
    const response = await fetch(`${url}${path}`, init);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json() as never;
  };
  return {
    url,
    json,
    upload: (body, query = '') =>
      json(`/v1/imports?${query}`, { method: 'POST', headers: { 'content-type': 'text/csv' }, body }),
    over: async (id) => {
      const view = () => json<{ state: string }>(`/v1/imports/${id}`);
      await eventually(async () => (await view()).state).toMatch(/^(?:staged|completed)$/);
      return json(`/v1/imports/${id}`);
    },
  };
}

/** One call for each row. */
const spread = (rows: number) => `guid,uid\n${Array.from({ length: rows }, (_, at) => `g${at},u`).join('\n')}\n`;

test('SIGTERM in the middle of an import: the next start goes on by itself, and no row is lost', async () => {
  const place = await openWorkplace();
  const first = await serveElsewhere(place, '--calls-per-minute', '600');
  // The tests of the console have their servers in their own process.
  expect(await (await fetch(first.url)).text()).toContain('<title>rollcall</title>');
  const { id } = await first.upload(spread(200), 'banCheck=false');
  const events = await readEvents(`${first.url}/v1/events`);
  await events.next(({ name, data }) => name === 'imports' && data.imports[0]?.rows.added > 0);
  first.child.kill('SIGTERM');
  expect((await first.ended).code).toBe(0);
  const last = (await events.rest()).findLast(({ name }) => name === 'imports');
  expect(last?.data.imports[0]?.state).not.toBe('completed');

  const second = await serve(place, '--calls-per-minute', '1000000');
  const { state, rows } = await second.over(id);
  expect(state).toBe('completed');
  expect(rows.added + rows.already_member).toBe(200);
  second.interrupt();
  expect((await second.ended).code).toBe(0);
});

test('Ctrl-C in the middle of an upload: the client gets an answer, and nothing of it is kept', async () => {
  const place = await openWorkplace();
  const served = await serve(place);
  const headers = { 'content-type': 'text/csv', 'content-length': 1_000_000 };
  const upload = httpRequest(`${served.url}/v1/imports`, { method: 'POST', headers });
  upload.on('error', () => {});
  const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
  upload.write('guid,uid\n');
  await eventually(() => filesBelow(join(place.dataDir, 'uploads')).length).toBe(1);
  served.interrupt();
  const [response] = await answered;
  expect(response.statusCode).toBe(503);
  expect(JSON.parse((await response.toArray()).join(''))).toMatchObject({ code: 'STOPPING' });
  expect((await served.ended).code).toBe(0);
  expect(filesBelow(join(place.dataDir, 'uploads'))).toEqual([]);
  expect(filesBelow(join(place.dataDir, 'imports'))).toEqual([]);
});

test('Ctrl-C in the middle of a download: it comes to its end', async () => {
  const place = await openWorkplace();
  const served = await serve(place);
  const rows = 6_000;
  const note = 'x'.repeat(3_000);
  const lines = Array.from({ length: rows }, (_, at) => `g,u${at},${note}`);
  const { id } = await served.upload(`guid,uid,note\n${lines.join('\n')}\n`, 'dryRun=true');
  await served.over(id);
  const download = httpRequest(`${served.url}/v1/imports/${id}/report?format=ndjson`).end();
  const [response] = (await once(download, 'response')) as [IncomingMessage];
  // More than the sockets hold on the way: the server is in the middle when it is asked to stop.
  await once(response, 'readable');
  // A server that stops gives a download some seconds: here they pass when it is over.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  served.interrupt();
  while (!served.stderr().includes('Stopping')) await setImmediate();
  let received = '';
  for await (const piece of response.setEncoding('utf8')) received += piece;
  // A connection that was opened ahead and never used may last until then.
  vi.advanceTimersByTime(STOP_DEADLINE_MS);
  vi.useRealTimers();
  expect(received.split('\n').length - 1).toBe(rows);
  expect((await served.ended).code).toBe(0);
});

test('a data directory has one server, and so has a port: others are refused and say which', async () => {
  const place = await openWorkplace();
  const first = await serve(place);
  const { port } = new URL(first.url);
  const [second, elsewhere] = await Promise.all([
    place.run(['serve', '--sandbox', '--port', '0']),
    place.run(['serve', '--sandbox', '--port', port, '--data-dir', 'elsewhere']),
  ]);
  expect([second.code, elsewhere.code]).toEqual([2, 2]);
  expect(second.stderr).toContain(`${first.url}`);
  expect(elsewhere.stderr).toContain('--port');
});

test('tokens can be made, listed and revoked while a server runs, and count at once', async () => {
  const place = await openWorkplace();
  const served = await serve(place, '--require-token');
  await served.says('rollcall token create --role admin');
  const status = async (token: string) =>
    (await fetch(`${served.url}/v1/audit`, { headers: { authorization: `Bearer ${token}` } })).status;

  const made = await place.run(['token', 'create', '--role', 'operator', '--name', 'Otto', '--expires', '90d']);
  const token = made.stdout.trim();
  expect(token).toMatch(/^rct_[a-z0-9]{8}_[\w-]{43}$/);
  expect(made.stderr).not.toContain(token);
  expect(await status(token)).toBe(200);

  const listed = await place.run(['token', 'list']);
  const id = token.split('_')[1] ?? '';
  expect(listed.stdout).toMatch(new RegExp(`^${id}  operator  valid until \\S+ +used \\S+ +Otto\n$`));
  expect(JSON.parse((await place.run(['token', 'list', '--json'])).stdout)).toMatchObject([
    { id, name: 'Otto', revokedAt: null },
  ]);

  expect((await place.run(['token', 'revoke', id])).code).toBe(0);
  expect(await status(token)).toBe(401);
  const again = await place.run(['token', 'revoke', id]);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('token list')]);
  const audit = filesBelow(place.dataDir).filter(({ path }) => /access\.sqlite/.test(path));
  expect(audit.some(({ content }) => content.includes(token.slice(-43)))).toBe(false);
});

test.each([
  [['serve', '--port', '70000'], '0 to 65535'],
  [['serve', '--max-upload', 'much'], '500mb'],
  [['serve', '--keep', 'forever'], '90d'],
  [['serve', '--max-uplaod', '1gb'], '--max-upload'],
  [['token', 'create'], '--role'],
  [['token', 'create', '--role', 'owner'], 'viewer, operator, admin'],
])('%j is refused with what is allowed', async (args, says) => {
  const err = new PassThrough();
  const io = { out: new PassThrough(), err, live: false, color: false, width: 80 };
  expect(await main(args, io)).toBe(2);
  expect(err.read().toString()).toContain(says);
});

test('with a sandbox, a new schedule has a folder to read from: one with a sample, which stays as people leave it', async () => {
  const place = await openWorkplace();
  const folder = join(place.dataDir, 'sources');
  const sample = JSON.stringify({ file: join(folder, 'members.csv') });
  const first = await serve(place);
  await first.says(`Schedules made in the console read files in ${folder}`);
  expect((await first.json<{ sources: string[] }>('/v1/settings')).sources).toEqual([folder]);
  const look = { method: 'POST', headers: { 'content-type': 'application/json' }, body: sample };
  const { preview } = await first.json<FileLook>('/v1/schedules/look', look);
  expect(preview?.rows.length).toBeGreaterThan(0);
  first.interrupt();
  await first.ended;

  rmSync(join(folder, 'members.csv'));
  const second = await serve(place);
  await second.says(`Schedules made in the console read files in ${folder}`);
  expect(readdirSync(folder)).toEqual([]);
  second.interrupt();
  await second.ended;
});

test('a folder that ROLLCALL_SOURCES names is the only one, also with a sandbox', async () => {
  const place = await openWorkplace();
  place.env['ROLLCALL_SOURCES'] = place.root;
  const served = await serve(place);
  expect((await served.json<{ sources: string[] }>('/v1/settings')).sources).toEqual([place.root]);
  expect(existsSync(join(place.dataDir, 'sources'))).toBe(false);
  served.interrupt();
  expect((await served.ended).stderr).not.toContain('Schedules made in the console');
});

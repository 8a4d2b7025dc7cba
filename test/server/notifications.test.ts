import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import type { AnswerOf } from '../../src/api/operation.ts';
import type { SettingsAnswer } from '../../src/api/service.ts';
import { openReceiver } from '../../src/features/notify/open-receiver.ts';
import type { NotificationsView, notificationOperations } from '../../src/features/notify/operations.ts';
import { openAccessStore } from '../../src/server/access/access-store.ts';
import { until } from '../cli/workplace.ts';
import { startTestServer, type TestServerOptions } from './test-server.ts';

/** Admins set who is notified while the server runs, and try it. */

const SECRET = 'whsec_8A36zvAN+s7wDfrO8A36zvAN+s7wDfrO8A36zvAN+s4=';

type Operations = typeof notificationOperations;

async function receiver(status = 204) {
  const notes: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, reply) => {
    const body = Buffer.concat(await request.toArray()).toString();
    notes.push({ headers: request.headers, body });
    reply.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, address: `http://${host}/hook?key=open-sesame`, notes };
}

async function serve(options: TestServerOptions = { notifyPrivate: true }) {
  const server = await startTestServer(options);
  onTestFinished(() => server.close());
  const send = (method: string, body?: object): RequestInit => ({
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const PATH = '/v1/notifications';
  return {
    server,
    set: (body: object) => server.json<AnswerOf<Operations['set']>>(PATH, send('PUT', body)),
    refused: (body: object) => server.problem(PATH, send('PUT', body)),
    view: () => server.json<NotificationsView>(PATH),
    clear: () => server.fetch(PATH, { method: 'DELETE' }),
    test: () => server.json<AnswerOf<Operations['test']>>(`${PATH}/test`, { method: 'POST' }),
    notifyHost: async () => (await server.json<SettingsAnswer>('/v1/settings')).notifyHost,
  };
}

test('a receiver that an admin sets is notified of the next import, signed with the secret that is shown once', async () => {
  const { host, address, notes } = await receiver();
  const { server, set, view, test, notifyHost } = await serve();
  expect(await view()).toEqual({ host: null, fixed: false, problem: null });
  const { secret, ...seen } = await set({ address });
  expect(seen).toEqual({ host, fixed: false, problem: null });
  expect([await view(), await notifyHost()]).toEqual([seen, host]);

  const { id } = await server.run('guid,uid\ng,a\n');
  await until(() => notes.length === 1);
  const [{ headers, body } = { headers: {}, body: '' }] = notes;
  expect(new Webhook(secret ?? '').verify(body, headers as Record<string, string>)).toMatchObject({
    type: 'import.completed',
    data: { id },
  });

  expect(await test()).toEqual({ host, arrived: true, reason: null });
  expect(JSON.parse(notes[1]?.body ?? '')).toMatchObject({ type: 'import.test' });
  const { entries } = await server.json<{ entries: object[] }>('/v1/audit?action=notify');
  expect(entries).toMatchObject([
    { action: 'notify.test', target: host, detail: 'arrived' },
    { action: 'notify.set', target: host },
  ]);
  const log = readFileSync(join(server.dir.root, 'rollcall.log'), 'utf8');
  expect(JSON.stringify(entries) + log).not.toMatch(/open-sesame|whsec_/);
});

test('another receiver takes the place of the first at once, and after clearing no one is notified', async () => {
  const [first, second] = await Promise.all([receiver(), receiver()]);
  const { server, set, clear, test, view } = await serve();
  await Promise.all([set({ address: first.address }), set({ address: second.address })]);
  const { host } = await view();
  // Nobody knows which of two requests arrives last.
  const [used, replaced] = host === second.host ? [second, first] : [first, second];
  await server.run('guid,uid\ng,a\n');
  await until(() => used.notes.length === 1);
  expect(replaced.notes).toEqual([]);
  expect(await test()).toMatchObject({ host: used.host });

  expect((await clear()).status).toBe(204);
  expect((await view()).host).toBeNull();
  expect(await server.problem('/v1/notifications/test', { method: 'POST' })).toMatchObject({ code: 'NO_RECEIVER' });
  await server.run('guid,uid\ng,b\n');
  await set({ address: used.address });
  await test();
  const types = used.notes.map(({ body }) => JSON.parse(body).type);
  expect(types).toEqual(['import.completed', 'import.test', 'import.test']);
});

const keeping = (address: string) => (dir: { root: string }) => {
  const access = openAccessStore(join(dir.root, 'access.sqlite'));
  access.keepReceiver({ address, secret: SECRET });
  access.close();
};

test('it is kept: the next start notifies it', async () => {
  const { host, address, notes } = await receiver();
  const { server, view } = await serve({ notifyPrivate: true, prepare: keeping(address) });
  expect(await view()).toEqual({ host, fixed: false, problem: null });
  await server.run('guid,uid\ng,a\n');
  await until(() => notes.length === 1);
});

test('a private address needs --notify-private, when it is set and at every start', async () => {
  const { address } = await receiver();
  const { refused, view, server } = await serve({ prepare: keeping(address) });
  expect(await view()).toMatchObject({ host: null, problem: expect.stringContaining('--notify-private') });
  expect(await refused({ address })).toMatchObject({
    code: 'BAD_OPTION',
    field: 'address',
    detail: expect.stringContaining('--notify-private'),
  });
  expect(await refused({ address: 'https://10.1.2.3/hook' })).toMatchObject({
    detail: expect.stringContaining('10.1.2.3'),
  });
  expect(await refused({ address: 'smtp://192.168.0.1:25?from=a@example.com&to=b@example.com' })).toMatchObject({
    detail: expect.stringContaining('192.168.0.1'),
  });
  await server.run('guid,uid\ng,a\n');
});

test('the receiver that the server was started with is used, and cannot be changed or cleared', async () => {
  const [given, kept] = await Promise.all([receiver(500), receiver()]);
  const fixed = await openReceiver({ address: given.address }, true);
  const { refused, view, test, server } = await serve({ receiver: fixed, prepare: keeping(kept.address) });
  expect(await view()).toEqual({ host: given.host, fixed: true, problem: null });
  expect(await refused({ address: kept.address })).toMatchObject({ code: 'NOTIFY_FIXED', status: 409 });
  expect(await server.problem('/v1/notifications', { method: 'DELETE' })).toMatchObject({ code: 'NOTIFY_FIXED' });
  expect(await test()).toEqual({ host: given.host, arrived: false, reason: 'the receiver says 500' });
});

test.each([
  [{}, 'address', /missing/],
  [{ address: 'hooks' }, 'address', /https:\/\/hooks\.example/],
  [{ address: 'smtp://mail.example' }, 'address', /from=.*to=/],
])('%j is refused with what is allowed', async (body, field, says) => {
  const { refused } = await serve();
  expect(await refused(body)).toMatchObject({ code: 'BAD_OPTION', field, detail: expect.stringMatching(says) });
});

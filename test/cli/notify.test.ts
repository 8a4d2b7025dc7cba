import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startMailServer } from '../server/mail-server.ts';
import { openWorkplace } from './workplace.ts';

async function receiver(status: number) {
  const bodies: string[] = [];
  const server = createServer(async (request, reply) => {
    bodies.push(Buffer.concat(await request.toArray()).toString());
    reply.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/T0/s3cret`, bodies };
}

test('notify test sends what Slack takes, without a secret', async () => {
  const { url, bodies } = await receiver(200);
  const place = await openWorkplace();
  const { code, stderr } = await place.run(['notify', 'test', '--notify', `slack+${url}`, '--notify-private']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('127.0.0.1')]);
  expect(bodies.map((body) => JSON.parse(body))).toMatchObject([
    { text: expect.stringContaining('rollcall: import test: test\nthis is a test') },
  ]);
});

test('a receiver that refuses is said, without the secret in its address', async () => {
  const { url } = await receiver(404);
  const place = await openWorkplace();
  const { code, stderr } = await place.run(['notify', 'test', '--notify', `slack+${url}`, '--notify-private']);
  expect([code, stderr]).toEqual([3, expect.stringContaining('404')]);
  expect(stderr).not.toContain('s3cret');
});

test('notify test sends e-mail', async () => {
  const { url, mails } = await startMailServer();
  const place = await openWorkplace();
  const { code, stderr } = await place.run(['notify', 'test', '--notify', url, '--notify-private']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('arrived')]);
  expect(mails.map(({ text }) => text)).toEqual([expect.stringMatching(/To: ops@example\.com/s)]);
});

test('a mail server on this machine or a private network needs --notify-private', async () => {
  const place = await openWorkplace();
  const notify = (host: string) =>
    place.run(['notify', 'test', '--notify', `smtp://me:s3cret@${host}?from=a@example.com&to=b@example.com`]);
  for (const host of ['127.0.0.1:25', '10.1.2.3', '[::1]:587']) {
    const { code, stderr } = await notify(host);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/smtp:.*--notify-private/)]);
  }
  const { code, stderr } = await notify('localhost:25');
  expect([code, stderr]).toEqual([3, expect.stringMatching(/localhost.*--notify-private/)]);
  expect(stderr).not.toContain('s3cret');
});

test('an address without a mailbox is refused with what is allowed', async () => {
  const place = await openWorkplace();
  const { code, stderr } = await place.run(['notify', 'test', '--notify', 'smtp://me:s3cret@mail.example']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('[BAD_SETTING]')]);
  expect(stderr).not.toContain('s3cret');
});

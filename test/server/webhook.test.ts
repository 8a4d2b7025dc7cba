import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openReceiver } from '../../src/features/notify/open-receiver.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { isPublic } from '../../src/sources/allowed-sources.ts';
import { filesBelow, members, openWorkplace, until } from '../cli/workplace.ts';
import { startTestServer } from './test-server.ts';

const SECRET = 'whsec_8A36zvAN+s7wDfrO8A36zvAN+s7wDfrO8A36zvAN+s4=';

interface Note {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that answers each note with the next of these statuses, and the last one from then on. */
async function receiver(...statuses: readonly number[]): Promise<{ url: string; notes: Note[] }> {
  const notes: Note[] = [];
  const answer: RequestListener = async (request, reply) => {
    const body = Buffer.concat(await request.toArray()).toString();
    notes.push({ path: request.url ?? '', headers: request.headers, body });
    const status = statuses[Math.min(notes.length, statuses.length) - 1] ?? 204;
    reply.writeHead(status, { location: '/elsewhere' }).end('x'.repeat(100));
  };
  const server = createServer((request, reply) => void answer(request, reply)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?team=9`, notes };
}

test('a completed import sends a notification, signed, and again after a refusal, a redirect and kill -9, under one id', async () => {
  const place = await openWorkplace({ env: { ROLLCALL_NOTIFY_SECRET: SECRET } });
  const { url, notes } = await receiver(302, 500, 500, 204);
  const serve = ['serve', '--sandbox', '--port', '0', '--notify', url, '--notify-private'];
  const first = place.start(serve, { stays: true });
  await first.says('Listening on http://');
  const address = /Listening on (http:\S+)/.exec(first.stderr())?.[1] ?? '';
  const settings = await (await fetch(`${address}/v1/settings`)).json();
  expect(settings).toMatchObject({ notifyHost: new URL(url).host });
  place.file('m.csv', members([['g1', 'ann']]));
  const env = { ROLLCALL_SERVER: address, ROLLCALL_DATA_DIR: '' };
  const { summary } = await place.summary(['import', 'm.csv'], { env });
  // It may be sent once more before this looks.
  await until(() => notes.length >= 2);
  first.child.kill('SIGKILL');
  await first.ended;

  const again = place.begin(serve);
  await until(() => notes.length === 4);
  // A server that stops before it has the answer sends the note once more.
  const catalog = new DatabaseSync(dataDir(place.dataDir).catalog, { readOnly: true });
  onTestFinished(() => catalog.close());
  await until(() => catalog.prepare('select id from deliveries').all().length === 0);
  again.interrupt();
  expect((await again.ended).code).toBe(0);

  expect(new Set(notes.map(({ path, body, headers }) => [path, body, headers['webhook-id']].join()))).toHaveLength(1);
  // The standard's own library is the judge.
  const other = new Webhook(SECRET.replace('8', '9'));
  for (const { headers, body } of notes) {
    expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
    expect(() => other.verify(body, headers as Record<string, string>)).toThrow('No matching signature');
  }
  expect(JSON.parse(notes[0]?.body ?? '')).toMatchObject({
    type: 'import.completed',
    data: { id: summary.id, state: 'completed', file: 'm.csv', rows: { read: 1, added: 1 } },
  });
  const files = filesBelow(place.dataDir);
  expect(files.some(({ path }) => path === join(place.dataDir, 'rollcall.log'))).toBe(true);
  expect(files.filter(({ content }) => content.includes(SECRET))).toEqual([]);

  const third = place.begin(serve);
  await third.says('Listening on http://');
  third.interrupt();
  await third.ended;
  expect(notes).toHaveLength(4);
});

test('an outage of the service sends one notification when it begins and one when it ends', async () => {
  const { url, notes } = await receiver(204);
  const server = await startTestServer({
    receiver: await openReceiver({ address: url, secret: SECRET }, true),
    outageMs: 0,
  });
  try {
    server.sandbox.faults.set('reset-before');
    const { id } = await server.upload('guid,uid\ng,a\nh,b\ni,c\nj,d\n');
    await until(() => notes.length === 1);
    const { type, data } = JSON.parse(notes[0]?.body ?? '');
    expect(type).toBe('region.away');
    expect(data).toMatchObject({ region: 'us', state: 'away', since: expect.any(String) });
    expect(data.reason).toMatch(/^in us, the service has not answered since .* UTC .*rows wait and use no attempts$/);

    server.sandbox.faults.clear();
    expect((await server.settled(id)).rows).toMatchObject({ added: 4 });
    await until(() => notes.length === 3);
    const types = notes.map(({ body }) => JSON.parse(body).type).toSorted();
    expect(types).toEqual(['import.completed', 'region.away', 'region.back']);
    const back = notes.map(({ body }) => JSON.parse(body)).find((note) => note.type === 'region.back');
    expect(back.data).toMatchObject({ region: 'us', state: 'back', since: data.since });
  } finally {
    await server.close();
  }
});

test('a notification that cannot be made keeps no other waiting', async () => {
  const { url, notes } = await receiver(204);
  const server = await startTestServer({ receiver: await openReceiver({ address: url, secret: SECRET }, true) });
  try {
    const { id } = await server.run('guid,uid\ng,a\n', 'dryRun=true');
    const catalog = new DatabaseSync(server.dir.catalog, { timeout: 5_000 });
    catalog.prepare("update imports set tags = '{}' where id = ?").run(id);
    catalog
      .prepare(
        "insert into deliveries (id, kind, subject, state, reason, at) values ('1', 'import', ?, 'blocked', '', ?)",
      )
      .run(id, Date.now() - 60_000);
    catalog.close();
    const other = await server.run('guid,uid\ng,b\n');
    await until(() => notes.length === 1);
    expect(JSON.parse(notes[0]?.body ?? '')).toMatchObject({ type: 'import.completed', data: { id: other.id } });
  } finally {
    await server.close();
  }
});

test('a sync that a guard holds sends a notification with what the guard objects to, and another when it ends', async () => {
  const { url, notes } = await receiver(204);
  const team = ['ann', 'ben', 'cyd', 'dan', 'eve'];
  const server = await startTestServer({
    receiver: await openReceiver({ address: url, secret: SECRET }, true),
    sandbox: { groups: 0, seed: { regions: { us: { members: { team: { participants: team } } } } } },
  });
  try {
    const { id } = await server.json<{ id: string }>('/v1/syncs?mode=mirror&missing=remove&name=team.csv', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'guid,uid\nteam,ann\n',
    });
    const bodies = () => notes.map(({ body }) => JSON.parse(body));
    await until(() => notes.length === 1);
    expect(bodies()[0]).toMatchObject({
      type: 'sync.held',
      data: {
        id,
        state: 'held',
        file: 'team.csv',
        actions: ['approve', 'reject'],
        findings: [{ guid: 'team', value: 4 }],
      },
    });
    server.syncs.approve(id, 'ops', 'the team has moved');
    await until(() => notes.length === 3);
    expect(
      bodies()
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(['import.completed', 'sync.applied', 'sync.held']);
  } finally {
    await server.close();
  }
});

describe('addresses', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::7f00:1',
  ])('%s is not public', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  test.each(['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'])('%s is public', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  test.each([
    ['hooks.example/x', 'https://hooks.example'],
    ['http://hooks.example/x', 'allowed is https'],
    ['ftp://hooks.example/x', 'allowed is https'],
    ['https://me:pass@hooks.example/x', 'user name or password'],
    ['https://127.0.0.1/x', '--notify-private'],
    ['https://0x7f.1/x', '--notify-private'],
    ['https://[::1]/x', '--notify-private'],
    ['https://[::ffff:10.0.0.1]:8443/x?token=s3cret', '--notify-private'],
    ['https://hooks.example:port/x?token=s3cret', 'cannot be read'],
  ])('%s is refused', async (url, says) => {
    const refused = await openReceiver({ address: url, secret: SECRET }).catch((error) => error);
    expect(refused).toMatchObject({ code: 'BAD_RECEIVER' });
    expect(refused.message).toContain(says);
    expect(refused.message).not.toMatch(/s3cret|me:pass/);
  });

  test('a public name that leads to this machine is found out when it is looked up', async () => {
    const { url, notes } = await receiver(204);
    const { port } = new URL(url);
    const local = await openReceiver({ address: `https://localhost:${port}/hook`, secret: SECRET });
    onTestFinished(() => local.close());
    const sent = local.send({ id: 'd1', body: '{}' }, new AbortController().signal);
    await expect(sent).rejects.toMatchObject({ code: 'BAD_RECEIVER' });
    expect(notes).toEqual([]);
  });
});

test.each([
  [{}, ['--notify', 'https://hooks.example'], 'ROLLCALL_NOTIFY_SECRET is not set'],
  [
    { ROLLCALL_NOTIFY_SECRET: 'short' },
    ['--notify', 'https://hooks.example'],
    'ROLLCALL_NOTIFY_SECRET is not a valid secret: set it to `whsec_`',
  ],
  [{ ROLLCALL_NOTIFY_SECRET: SECRET, ROLLCALL_NOTIFY: 'http://127.0.0.1' }, [], 'ROLLCALL_NOTIFY is http://127.0.0.1'],
])('a server with %j %j does not start', async (env, flags, says) => {
  const place = await openWorkplace({ env });
  const { code, stderr } = await place.run(['serve', '--sandbox', '--port', '0', ...flags]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});

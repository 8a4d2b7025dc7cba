import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ImportSummary, importSummary } from '../../src/api/import-summary.ts';
import { importsIn } from '../../src/cli/client/imports.ts';
import { connectToServer } from '../../src/cli/client/server-client.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { main } from '../../src/cli/main.ts';
import { followImport } from '../../src/cli/screen/follow.ts';
import { readConfig } from '../../src/platform/config.ts';
import { makeCertificate } from '../../src/sandbox/https.ts';
import { eventually } from '../eventually.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { freePort } from '../servers/program.ts';
import { Screen } from './screen.ts';
import { manyMembers, members, openWorkplace, type Workplace } from './workplace.ts';

/** One server for all tests, each of which looks at the import that it made last. */
let server: TestServer;
let token = '';
beforeAll(async () => {
  server = await startTestServer({ tokenRequired: true, settings: { maxUploadBytes: 32 * 1024 } });
  token = server.token('operator');
});
afterAll(() => server.close());

/** One call for each group. */
const GROUPS = 50;

/** From now on no call is answered, so that a test can act meanwhile, until it hurries or is over. */
function standStill(): void {
  server.sandbox.faults.set('slow=600000ms');
  onTestFinished(hurry);
}

/** From now on the service answers at once. */
const hurry = () => server.sandbox.faults.clear();

/** Tests share the server's sandbox, and so its members. */
const inPlace = ({ rows }: ImportSummary) => rows.added + rows.already_member;

/** A folder with nothing in it for commands that talk to the server. */
async function remotePlace(): Promise<Workplace> {
  const place = await openWorkplace({ env: { ROLLCALL_SERVER: server.url, ROLLCALL_TOKEN: token } });
  place.file('m.csv', manyMembers(GROUPS, GROUPS));
  return place;
}

describe('with a server, commands do as they do without:', () => {
  test('import, list, status, report, retry', async () => {
    const place = await remotePlace();
    const { url } = server;
    place.file(
      'few.csv',
      members([
        ['g1', 'ann'],
        ['g1', 'ann'],
        ['g1', 'bob', 'king'],
      ]),
    );
    const { code, summary } = await place.summary(['import', 'few.csv', '--map', 'uid=uid', '--max-errors', '50%']);
    expect(code).toBe(EXIT.rowsFailed);
    expect(importSummary.parse(summary)).toMatchObject({
      state: 'completed',
      file: 'few.csv',
      rows: { read: 3, added: 1, duplicate: 1, invalid: 1 },
      reports: { all: `${url}/v1/imports/${summary.id}/report?format=csv`, retry: null },
    });
    const listed = await place.run(['list', '--limit', '1', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([summary]);
    const status = await place.run(['status', '--server', url]);
    expect(status.stdout).toMatch(/^import \S+, completed: few\.csv$/m);
    expect(status.stdout).toContain('king');
    expect(status.stderr).toContain(`${summary.id} --server ${url}`);

    const report = await place.run(['report', '--format', 'ndjson', '--status', 'invalid', '--output', 'r.ndjson']);
    expect([report.code, report.stderr]).toEqual([EXIT.ok, 'Written to r.ndjson.\n']);
    const piped = await place.run(['report', '--format', 'ndjson', '--status', 'invalid']);
    expect(piped.stdout).toMatch(/^\{[^\n]*"king"[^\n]*\}\n$/);
    expect((await place.run(['retry'])).code).toBe(EXIT.ok);
  });

  test('standard input is streamed, gzipped or not; a dry run waits for resume', async () => {
    const place = await remotePlace();
    const dry = await place.run(['import', '-', '--dry-run', '--guid', 'g1'], { input: gzipSync('uid\nann\nbob\n') });
    expect(dry.code).toBe(EXIT.ok);
    expect(dry.stderr).toMatch(/ resume \S+\n/);
    const { code, summary } = await place.summary(['resume']);
    expect([code, summary.state, inPlace(summary)]).toEqual([EXIT.ok, 'completed', 2]);
  });

  test('an empty file is named before it is sent', async () => {
    const place = await remotePlace();
    const { code, stderr } = await place.run(['import', place.file('empty.csv', '')]);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('[EMPTY]')]);
  });

  test('the progress of an import whose other rows wait stays where it is', async () => {
    const place = await remotePlace();
    const { summary } = await place.summary(['import', 'm.csv', '--first', '25']);
    expect(summary).toMatchObject({ state: 'paused', rows: { read: 50 } });
    const { url } = server;
    const remote = connectToServer(url, { token });
    const imports = importsIn(readConfig({}, {}), remote, remote);
    const screen = new Screen(80);
    await followImport(screen.io, imports, summary.id, { signal: new AbortController().signal });
    expect(screen.text).toMatch(/50 % {2}25 of 50 rows/);
  });

  test('pause, resume, cancel and retry steer; --detach comes back after the upload', async () => {
    const place = await remotePlace();
    standStill();
    const detached = await place.run(['import', 'm.csv', '--detach', '--json']);
    expect(detached.code).toBe(EXIT.ok);
    const { id } = JSON.parse(detached.stdout) as { id: string };
    const late = await place.run(['watch', '--timeout', '1']);
    expect([late.code, late.stderr]).toEqual([EXIT.stillRunning, expect.stringContaining(`watch ${id}`)]);
    // While its file is still being read there is nothing to pause.
    await eventually(async () => (await place.summary(['status'])).summary.state).toBe('running');
    expect((await place.run(['pause', '--json'])).stdout).toMatch(/^\{"id":"\S+","state":"paus(ing|ed)"\}\n$/);
    hurry();
    expect((await place.run(['watch', id])).code).toBe(EXIT.interrupted);
    standStill();
    const resumed = place.begin(['resume', id]);
    await resumed.says('Ctrl-C leaves it running');
    expect((await place.run(['cancel'])).code).toBe(EXIT.ok);
    hurry();
    expect((await resumed.ended).code).toBe(EXIT.stopped);
    const { code, summary } = await place.summary(['watch']);
    expect([code, summary.state]).toEqual([EXIT.stopped, 'cancelled']);
    expect(summary.rows.unprocessed).toBeGreaterThan(0);
    const again = await place.run(['cancel']);
    expect([again.code, again.stderr]).toEqual([EXIT.usage, expect.stringContaining('[WRONG_STATE]')]);

    standStill();
    const retry = place.begin(['retry', '--json']);
    await retry.says('Ctrl-C leaves it running');
    // While it is being read it has no rows.
    await eventually(async () => (await place.summary(['status'])).summary.state).toBe('running');
    expect((await place.run(['cancel'])).code).toBe(EXIT.ok);
    hurry();
    const retried = await retry.ended;
    expect(retried.code).toBe(EXIT.stopped);
    expect(importSummary.parse(JSON.parse(retried.stdout)).rows.read).toBe(summary.rows.unprocessed);
  });
});

test('Ctrl-C leaves the import to the server and says how to look at it again', async () => {
  const place = await remotePlace();
  standStill();
  const run = place.begin(['import', 'm.csv']);
  await run.says('Ctrl-C leaves it running');
  run.interrupt();
  const { code, stderr } = await run.ended;
  expect(code).toBe(EXIT.stillRunning);
  expect(stderr).toMatch(
    new RegExp(`continues at ${server.url}\\. Watch it, or cancel it, with:\n {2}rollcall watch \\S+\n`),
  );
  expect((await place.summary(['status'])).summary.state).toMatch(/^(staging|staged|running)$/);
  expect((await place.run(['cancel'])).code).toBe(EXIT.ok);
});

test('Ctrl-C in the middle of an upload: nothing begins', async () => {
  const place = await remotePlace();
  const ids = async () =>
    (JSON.parse((await place.run(['list', '--json'])).stdout) as { id: string }[]).map(({ id }) => id);
  const before = await ids();
  const run = place.start(['import', '-'], { input: 'open' });
  run.child.stdin?.write('guid,uid\ng1,ann\n');
  await run.says('Sending standard input');
  run.child.kill('SIGINT');
  const { code, stderr } = await run.ended;
  expect([code, stderr]).toEqual([EXIT.interrupted, expect.stringContaining('nothing was sent')]);
  expect(await ids()).toEqual(before);
});

test('the token comes from the environment, and is shown nowhere', async () => {
  const place = await remotePlace();
  const [viewer, ...others] = [server.token('viewer'), '', 'rct_wrong_secretsecret', 'secret secret'];
  for (const other of others) {
    const { code, stderr } = await place.run(['import', 'm.csv'], { env: { ROLLCALL_TOKEN: other } });
    expect([code, stderr]).toEqual([
      EXIT.usage,
      expect.stringMatching(/^rollcall: .*Set ROLLCALL_TOKEN|^rollcall: ROLLCALL_TOKEN/),
    ]);
    expect(stderr).not.toMatch(/secret ?secret/);
  }
  const refused = await place.run(['import', 'm.csv'], { env: { ROLLCALL_TOKEN: viewer ?? '' } });
  expect([refused.code, refused.stderr]).toEqual([EXIT.usage, expect.stringContaining('--role operator')]);
});

describe('what cannot work is refused with why:', () => {
  test('a server that is away, by its address', async () => {
    const place = await openWorkplace();
    place.file('m.csv', manyMembers(1));
    const url = 'http://127.0.0.1:9';
    for (const args of [['import', 'm.csv'], ['list'], ['watch']]) {
      const { code, stderr } = await place.run([...args, '--server', url]);
      expect([code, stderr]).toEqual([
        EXIT.fatal,
        expect.stringMatching(new RegExp(`^rollcall: .*${url}.*ROLLCALL_SERVER`)),
      ]);
    }
  });

  test('something else that answers there', async () => {
    const other = createServer((_, reply) => reply.writeHead(200).end('<h1>Welcome</h1>')).listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const place = await openWorkplace();
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, stderr } = await place.run(['list', '--server', url]);
    expect([code, stderr]).toEqual([EXIT.fatal, expect.stringContaining('[NO_ROLLCALL]')]);
  });

  test.each([
    [['list', '--server', 'example'], 'http://127.0.0.1:7700'],
    [['list', '--server', 'http://me:pass@127.0.0.1'], 'ROLLCALL_TOKEN'],
    [['import', 'm.csv', '--sandbox'], '--sandbox'],
    [['import', 'm.csv', '--sandbox-faults', 'reset-after=1%'], '--sandbox-faults'],
    [['import', 'm.csv', '--concurrency', '3'], '--concurrency'],
    [['status', '--data-dir', 'x'], '--data-dir'],
    [['cancel', '--queue', 'redis://x'], '--queue'],
    [['import', 'missing.csv'], 'missing.csv'],
  ])('%j', async (args, says) => {
    const err = new PassThrough();
    const io = { out: new PassThrough(), err, live: false, color: false, width: 80 };
    const named = args.includes('--server') ? args : [...args, '--server', 'http://127.0.0.1:9'];
    expect(await main(named, io)).toBe(EXIT.usage);
    const said = err.read().toString();
    expect(said).toContain(says);
    expect(said).not.toContain('me:pass');
  });

  test('options and ids that the server refuses, with its remedy', async () => {
    const place = await remotePlace();
    place.file('big.csv', manyMembers(5_000));
    const runs = await Promise.all([
      place.run(['import', 'm.csv', '--encoding', 'klingon']),
      place.run(['import', 'big.csv']),
      place.run(['status', 'nobody']),
    ]);
    expect(runs.map(({ code }) => code)).toEqual([EXIT.usage, EXIT.usage, EXIT.usage]);
    expect(runs.map(({ stderr }) => stderr.split('\n').find((line) => line.startsWith('rollcall:')))).toEqual([
      expect.stringContaining('klingon'),
      expect.stringContaining('--max-upload'),
      expect.stringContaining('`rollcall list`'),
    ]);
    const rejected = await place.run(['import', place.file('quote.csv', 'guid,uid\ng1,"ann\n')]);
    expect([rejected.code, rejected.stderr]).toEqual([EXIT.usage, expect.stringContaining('Nothing was sent')]);
  });
});

/** Passes a request on to the server, and its answer back unless the test loses it. */
function passOn(loses: (incoming: IncomingMessage) => boolean = () => false): RequestListener {
  return (incoming, reply) => {
    const { method, url, headers } = incoming;
    const outgoing = request(`${server.url}${url}`, { method, headers }, (answer) => {
      if (loses(incoming)) return void incoming.socket.destroy();
      reply.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(reply);
    });
    incoming.pipe(outgoing);
  };
}

/** Starts a proxy before the server; gives its port. */
async function listening(proxy: Server, port = 0): Promise<number> {
  proxy.listen(port);
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await once(proxy, 'listening');
  return (proxy.address() as AddressInfo).port;
}

test('a server that goes away and comes back is waited for', async () => {
  let asked = 0;
  const proxy = createServer(passOn());
  const port = await listening(proxy, await freePort());
  const place = await remotePlace();
  standStill();
  await place.run(['import', 'm.csv', '--detach', '--no-ban-check']);
  const watching = place.begin(['watch', '--json', '--server', `http://localhost:${port}`]);
  await watching.says('Watching');
  proxy.prependListener('connection', (socket) => {
    asked += 1;
    socket.destroy();
  });
  proxy.closeAllConnections();
  await eventually(() => asked).toBeGreaterThan(1);
  // Nothing listens there for a moment.
  await new Promise((resolve) => proxy.close(resolve));
  await listening(createServer(passOn()), port);
  hurry();
  const { code, stdout } = await watching.ended;
  expect(code).toBe(EXIT.ok);
  expect(inPlace(importSummary.parse(JSON.parse(stdout)))).toBe(GROUPS);
});

test('an upload whose answer is lost is repeated, and makes one import', async () => {
  let lost = 0;
  const loses = ({ method }: IncomingMessage) => method === 'POST' && ++lost === 1;
  const port = await listening(createServer(passOn(loses)));
  const place = await remotePlace();
  const count = async () => JSON.parse((await place.run(['list', '--json'])).stdout).length as number;
  const before = await count();
  const { code, stdout } = await place.run(['import', 'm.csv', '--detach', '--server', `http://localhost:${port}`]);
  expect([code, lost]).toEqual([EXIT.ok, 2]);
  expect(stdout).toMatch(/^\d{8}-\d{6}-\w{3}\n$/);
  expect(await count()).toBe(before + 1);
});

test('a server behind TLS is reached with the certificate authority of ROLLCALL_CA_FILE, and not without', async () => {
  const { cert, key } = await makeCertificate(['localhost']);
  const port = await listening(createTlsServer({ cert, key }, passOn()));
  const place = await openWorkplace({ env: { ROLLCALL_TOKEN: token } });
  place.file('ca.pem', cert);
  const list = ['list', '--limit', '1', '--server', `https://localhost:${port}`];
  const trusting = await place.run(list, { env: { ROLLCALL_CA_FILE: 'ca.pem' } });
  expect([trusting.code, trusting.stdout]).toEqual([EXIT.ok, expect.stringMatching(/^id +state/)]);
  const other = await place.run(list);
  expect([other.code, other.stderr]).toEqual([EXIT.fatal, expect.stringContaining('ROLLCALL_CA_FILE')]);
});

test('the file of settings may name the server', async () => {
  const place = await openWorkplace({ env: { ROLLCALL_TOKEN: token } });
  place.file('rollcall.config.json', JSON.stringify({ server: server.url }));
  const { code, stdout } = await place.run(['list', '--limit', '1']);
  expect([code, stdout]).toEqual([EXIT.ok, expect.stringMatching(/^id +state/)]);
});

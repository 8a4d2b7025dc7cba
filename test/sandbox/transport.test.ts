import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { openSandbox } from './open-sandbox.ts';

test('5.9 plain HTTP is refused with a text that says so, and the connection ends', async () => {
  const { sandbox } = await openSandbox();
  const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = request({ port: sandbox.port, host: '127.0.0.1', method: 'POST' }, async (response) => {
      const chunks = await response.toArray();
      resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() });
    });
    sent.on('error', reject);
    sent.end('{}');
  });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('https:// address');
});

test('5.9 a client that does not trust the authority cannot connect, and others still can', async () => {
  const { sandbox, ask } = await openSandbox();
  const refused = await new Promise<NodeJS.ErrnoException>((resolve) => {
    connectTls({ port: sandbox.port, host: '127.0.0.1', servername: 'sandbox-us.api-us.localhost' }).once(
      'error',
      resolve,
    );
  });
  expect(refused.code).toMatch(/^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/);
  expect((await ask('GET', '/v3/users')).status).toBe(200);
});

test('the certificate holds for every address of the service and for no other', async () => {
  const { sandbox } = await openSandbox();
  const certificate = await new Promise<X509Certificate>((resolve, reject) => {
    const socket = connectTls({ port: sandbox.port, host: '127.0.0.1', servername: 'localhost', ca: sandbox.caPem });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      resolve(new X509Certificate(raw));
    });
  });
  const names = [
    'any.api-us.localhost',
    'any.call-eu.localhost',
    'any.api-in.localhost',
    'apimgmt.localhost',
    'localhost',
  ];
  for (const name of names) expect(certificate.checkHost(name), name).toBeDefined();
  for (const name of ['example.org', 'api-us.localhost', 'any.api-xx.localhost']) {
    expect(certificate.checkHost(name), name).toBeUndefined();
  }
  expect(certificate.verify(new X509Certificate(sandbox.caPem).publicKey)).toBe(true);
});

test('an address without an app is answered with the shape of an address', async () => {
  const { ask } = await openSandbox();
  const { status, json } = await ask('GET', '/', { name: 'localhost' });
  expect(status).toBe(404);
  expect(json.error.message).toContain('<app id>.api-<region>.localhost');
});

test('an app is found whatever the case of its address', async () => {
  const { ask, sandbox } = await openSandbox({ apps: { us: { appId: 'App1' } } });
  expect((await ask('GET', '/v3/users', { name: 'app1.api-us.localhost' })).status).toBe(200);
  expect(sandbox.apps.us.appId).toBe('App1');
});

test('keys are made anew at each start, 40 hex characters each, unless they are given', async () => {
  const [one, other] = [await openSandbox(), await openSandbox({ apps: { eu: { apiKey: 'mine' } } })];
  expect(one.sandbox.apps.us.apiKey).toMatch(/^[0-9a-f]{40}$/);
  expect(one.sandbox.apps.us.apiKey).not.toBe(other.sandbox.apps.us.apiKey);
  expect(one.sandbox.apps.us.apiKey).not.toBe(one.sandbox.apps.eu.apiKey);
  expect(other.sandbox.apps.eu.apiKey).toBe('mine');
});

test('env points other commands at the sandbox', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const caFile = join(folder, 'ca.pem');
  const { sandbox } = await openSandbox({ caFile });
  const { us, eu, in: india } = sandbox.apps;
  expect(sandbox.env).toEqual({
    ROLLCALL_HOST: `localhost:${sandbox.port}`,
    ROLLCALL_US_APP_ID: us.appId,
    ROLLCALL_US_API_KEY: us.apiKey,
    ROLLCALL_EU_APP_ID: eu.appId,
    ROLLCALL_EU_API_KEY: eu.apiKey,
    ROLLCALL_IN_APP_ID: india.appId,
    ROLLCALL_IN_API_KEY: india.apiKey,
    ROLLCALL_MANAGEMENT_KEY: sandbox.management.key,
    ROLLCALL_MANAGEMENT_SECRET: sandbox.management.secret,
    ROLLCALL_CA_FILE: caFile,
  });
  expect(await readFile(caFile, 'utf8')).toBe(sandbox.caPem);
  expect((await stat(caFile)).mode & 0o777).toBe(0o644);
});

test('a port in use is named', async () => {
  const { sandbox } = await openSandbox();
  await expect(startSandbox({ port: sandbox.port })).rejects.toThrow(`port ${sandbox.port}`);
});

test('an address of another machine is named, with what to do', async () => {
  await expect(startSandbox({ listenOn: '192.0.2.1' })).rejects.toThrow(
    'port 0 on 192.0.2.1 cannot be opened: this is not an address of this machine; choose one, such as 127.0.0.1',
  );
});

test('a certificate that cannot be written stops the start and frees the port', async () => {
  // Nobody else takes a port of this address in between.
  const listenOn = '127.0.0.3';
  const { sandbox } = await openSandbox({ listenOn });
  await sandbox.close();
  const start = startSandbox({ listenOn, port: sandbox.port, caFile: '/nowhere/ca.pem' });
  await expect(start).rejects.toThrow('/nowhere/ca.pem');
  const again = await startSandbox({ listenOn, port: sandbox.port });
  await again.close();
});

test('clients of two machines that have the same port are two clients', async () => {
  const { sandbox } = await openSandbox({ listenOn: '0.0.0.0' });
  const clientAt = async (localAddress: string, localPort?: number) => {
    const to = { port: sandbox.port, host: localAddress, localAddress, servername: 'localhost', ca: sandbox.caPem };
    const socket = connectTls({ ...to, ...(localPort !== undefined && { localPort }) });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  };
  const first = await clientAt('127.0.0.1');
  const second = await clientAt('127.0.0.2', first.localPort);
  const ends: string[] = [];
  for (const [name, socket] of Object.entries({ first, second })) {
    socket.on('error', ({ code }: NodeJS.ErrnoException) => ends.push(`${name} ${code}`));
  }
  sandbox.faults.set('reset-before=1');
  first.write(`GET /v3/users HTTP/1.1\r\nHost: ${sandbox.apps.us.appId}.api-us.localhost\r\n\r\n`);
  await new Promise((resolve) => first.once('close', resolve));
  expect(ends).toEqual(['first ECONNRESET']);
  expect(second.destroyed).toBe(false);
});

test('closing cuts calls that still wait, and closing again is not an error', async () => {
  const { sandbox, ask } = await openSandbox({ faults: 'timeout' });
  const waiting = ask('GET', '/v3/users').catch((error: unknown) => error);
  await expect.poll(() => sandbox.calls.us.requests).toBe(1);
  await Promise.all([sandbox.close(), sandbox.close()]);
  expect(await waiting).toBeInstanceOf(Error);
  const late = await new Promise<NodeJS.ErrnoException>((resolve) => connect(sandbox.port).once('error', resolve));
  expect(late.code).toBe('ECONNREFUSED');
});

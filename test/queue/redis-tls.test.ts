import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { checkQueue, openBackend } from '../../src/queue/open-backend.ts';
import { createAuthority } from '../chat/tls-authority.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

const authority = await createAuthority();
const identity = await authority.issue(['localhost']);
const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
afterEach(() => {
  if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
});

/** A Redis behind TLS of an unknown authority; what reached it is counted. */
async function openTls(): Promise<{ readonly url: string; passed(): number }> {
  const { hostname, port } = new URL(server.url);
  const sockets = new Set<Socket>();
  let passed = 0;
  const tls = createServer(identity, (socket) => {
    const onward = connectTcp(Number(port), hostname);
    socket.on('data', () => {
      passed += 1;
    });
    socket.pipe(onward).pipe(socket);
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => {});
    }
  });
  tls.on('tlsClientError', (_error, socket) => socket.destroy());
  tls.listen(0, '127.0.0.1');
  await once(tls, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    tls.close();
  });
  return { url: `rediss://localhost:${(tls.address() as AddressInfo).port}`, passed: () => passed };
}

test.each(['0', undefined])('rediss is verified where NODE_TLS_REJECT_UNAUTHORIZED is %j', async (value) => {
  if (value !== undefined) process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = value;
  const { url, passed } = await openTls();
  await expect(checkQueue(url)).rejects.toThrow(/certificate/);
  const heard = Promise.withResolvers<Error>();
  const backend = await openBackend(url, heard.resolve);
  onTestFinished(() => backend.close());
  expect((await heard.promise).message).toMatch(/certificate/);
  expect(passed()).toBe(0);
});

test('a Redis of the authority that is named is trusted', async () => {
  const { url } = await openTls();
  expect(await checkQueue(url, authority.ca)).toEqual([]);
  const backend = await openBackend(url, () => {}, authority.ca);
  onTestFinished(() => backend.close());
  expect(await backend.warnings()).toEqual([]);
});

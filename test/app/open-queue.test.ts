import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openQueue } from '../../src/app/open-queue.ts';
import { readConfig } from '../../src/platform/config.ts';

/** A queue's server that takes connections and says nothing. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const connected = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.add(socket);
    connected.resolve();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    host: `127.0.0.1:${port}`,
    connected: connected.promise,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('that the server of the queue does not answer is said after 3 s', async () => {
  const server = await silentServer();
  const warned: string[] = [];
  const config = readConfig({ queue: `redis://${server.host}/0` });
  const opening = openQueue({ config, warn: (text) => void warned.push(text) }, () => {});
  await server.connected;
  await vi.advanceTimersByTimeAsync(2_999);
  expect(warned).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(warned).toEqual([expect.stringMatching(/^the queue's server does not answer.*; calls wait until it does$/)]);
  // It is tried again until the queue is closed.
  server.close();
  await (await opening).close();
});

test('a server that is away is waited for, and the warning says why', async () => {
  const warned: string[] = [];
  const refused = Promise.withResolvers<void>();
  const config = readConfig({ queue: 'redis://127.0.0.1:1/0' });
  const opening = openQueue({ config, warn: (text) => void warned.push(text) }, () => refused.resolve());
  await refused.promise;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(warned).toEqual([expect.stringContaining('does not answer (connect ECONNREFUSED')]);
  await (await opening).close();
});

import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { workerHealth } from '../../src/cli/worker-health.ts';

async function ask(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const health = await workerHealth(0, '127.0.0.1').serve([]);
  onTestFinished(() => health.close());
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port: health.port, method, path, headers }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    asking.on('error', reject);
    asking.end();
  });
}

test.each([
  [{ host: 'evil.example' }],
  [{ host: '127.0.0.1.evil.example' }],
  [{ host: '127.0.0.1', origin: 'https://evil.example' }],
  [{ host: '127.0.0.1', origin: 'null' }],
  [{ host: 'localhost', 'sec-fetch-site': 'cross-site' }],
])('the health port does not answer a page of a browser: %o', async (headers) => {
  expect(await ask('PUT', '/concurrency', headers)).toBe(403);
  expect(await ask('GET', '/metrics', headers)).toBe(403);
});

test.each([[{ host: '127.0.0.1' }], [{ host: 'localhost:9090' }], [{ host: '[::1]:9090' }]])(
  'the health port answers programs: %o',
  async (headers) => {
    expect(await ask('GET', '/healthz', headers)).toBe(200);
  },
);

import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, test } from 'vitest';
import { fingerprintOf } from '../../src/chat/chat-client.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { openSandboxPlace } from './workplace.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

const APPS_ALONE = { ROLLCALL_US_API_KEY: '', ROLLCALL_EU_API_KEY: '', ROLLCALL_IN_API_KEY: '' };

describe('doctor looks at the queue that is configured', () => {
  test('a dead one is wrong, whether a flag or a setting names it', async () => {
    const { run } = await openSandboxPlace();
    const flag = await run(['doctor', '--queue', 'redis://127.0.0.1:1']);
    const setting = await run(['doctor'], { env: { ROLLCALL_QUEUE: 'redis://127.0.0.1:1' } });
    for (const { code, stdout } of [flag, setting]) {
      expect(code).toBe(EXIT.usage);
      expect(stdout).toMatch(/^WRONG {2}queue .*ECONNREFUSED/m);
      expect(stdout).not.toContain('embedded');
    }
  });

  test('one that drops jobs when memory is short is wrong; nothing is left in it', async () => {
    const { run } = await openSandboxPlace();
    const redis = new Redis(server.url);
    try {
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const evicting = await run(['doctor', '--queue', server.url]);
      expect(evicting.code).toBe(EXIT.usage);
      expect(evicting.stdout).toMatch(/WRONG {2}queue .*allkeys-lru/);
      expect(evicting.stdout).toContain('noeviction');
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
      expect((await run(['doctor', '--queue', server.url])).code).toBe(EXIT.ok);
      expect(await redis.dbsize()).toBe(0);
    } finally {
      redis.disconnect();
    }
  });
});

test('doctor imports a test user in silence where it is asked to, names it, and leaves it', async () => {
  const { run, sandbox } = await openSandboxPlace();
  const { code, stdout } = await run(['doctor', '--try-silent']);
  expect(code).toBe(EXIT.ok);
  const [, id = ''] = /^ok {5}silence in us .*user (rollcall-try-[0-9a-f]{8}) is in group/m.exec(stdout) ?? [];
  expect(stdout).toContain('ERR_ALREADY_JOINED');
  expect([...sandbox.members('us', id)]).toEqual([[id, 'participant']]);
});

describe('doctor knows what this machine does', () => {
  test('a coordinator needs no keys', async () => {
    const { run, calls } = await openSandboxPlace();
    const { code, stdout } = await run(['doctor', '--queue', server.url], { env: APPS_ALONE });
    expect(stdout).toMatch(/^ok {5}settings .*us, eu, in/m);
    expect(code).toBe(EXIT.ok);
    expect(calls()).toBe(0);
  });

  test('a worker is asked about its own regions only', async () => {
    const { run, sandbox } = await openSandboxPlace();
    const { code, stdout } = await run(['doctor', '--queue', server.url], {
      env: { ...APPS_ALONE, ROLLCALL_EU_API_KEY: sandbox.apps.eu.apiKey },
    });
    expect(stdout).toContain('us, in');
    expect(stdout).toMatch(new RegExp(`^ok {5}region eu .*takes key ${fingerprintOf(sandbox.apps.eu.apiKey)}`, 'm'));
    expect(stdout).not.toMatch(/region (us|in)/);
    expect(code).toBe(EXIT.ok);
  });

  test('a machine without a queue of others needs all keys', async () => {
    const { run } = await openSandboxPlace();
    const { code, stdout } = await run(['doctor'], { env: { ROLLCALL_EU_API_KEY: '' } });
    expect(code).toBe(EXIT.usage);
    expect(stdout).toContain('ROLLCALL_EU_API_KEY');
  });
});

test('doctor leaves nothing behind, and starts nothing', async () => {
  const { run, root, dataDir } = await openSandboxPlace();
  const before = readdirSync(root);
  expect((await run(['doctor'])).code).toBe(EXIT.ok);
  expect(existsSync(dataDir)).toBe(false);
  expect(readdirSync(root)).toEqual(before);
});

test('a host that was pasted with more than the host is corrected, with a message; without one, the real one is named', async () => {
  const { run, sandbox } = await openSandboxPlace();
  const pasted = `https://sandbox-us.api-us.${sandbox.host}/v3`;
  const corrected = await run(['doctor'], { env: { ROLLCALL_HOST: pasted } });
  expect(corrected.code).toBe(EXIT.ok);
  expect(corrected.stderr).toContain(`"${pasted}"`);
  const missing = await run(['doctor'], { env: { ROLLCALL_HOST: '' } });
  expect(missing.stdout).toContain('cometchat.io');
});

test('doctor names key files that others on the machine can read', async () => {
  const { run, file, env, root } = await openSandboxPlace();
  const path = join(root, file('us.key', env['ROLLCALL_US_API_KEY'] ?? ''));
  const asked = { env: { ...APPS_ALONE, ROLLCALL_US_API_KEY_FILE: path } };
  chmodSync(path, 0o644);
  expect((await run(['doctor'], asked)).stdout).toMatch(/chmod 600 .*us\.key/);
  chmodSync(path, 0o600);
  expect((await run(['doctor'], asked)).stdout).not.toContain('key files');
});

describe('doctor asks for the lists that protect members', () => {
  test('at the address that answers, or at the one that is set', async () => {
    const seed = { groups: ['team'] };
    for (const bannedAddress of ['bannedusers', 'banned_members'] as const) {
      const { run } = await openSandboxPlace({ seed, behaviour: { bannedAddress } });
      const { code, stdout } = await run(['doctor']);
      expect([code, stdout]).toEqual([
        EXIT.ok,
        expect.stringMatching(/^ok {5}lists of us .*banned users can be listed/m),
      ]);
      const fixed = await run(['doctor'], { env: { ROLLCALL_BANNED_LIST: 'bannedusers' } });
      expect(fixed.code).toBe(bannedAddress === 'bannedusers' ? EXIT.ok : EXIT.usage);
    }
  });

  test('and names the protection that is missing', async () => {
    const { run } = await openSandboxPlace({ seed: { groups: ['team'] }, behaviour: { bannedAddress: 'none' } });
    const { code, stdout } = await run(['doctor']);
    expect(code).toBe(EXIT.usage);
    expect(stdout).toMatch(/^WRONG .*ERR_API_NOT_FOUND/m);
    expect(stdout).toContain('BANS_UNKNOWN');
  });

  test('where there is a group', async () => {
    const { run } = await openSandboxPlace();
    const { code, stdout } = await run(['doctor']);
    expect([code, stdout]).toEqual([EXIT.ok, expect.stringContaining('no group')]);
  });
});

import { expect, test } from 'vitest';
import { openSandbox } from './open-sandbox.ts';

const START = 1_800_000_000_000; // a multiple of a minute

test('by default an app takes 10,000 calls a minute, and every reply tells how many are left', async () => {
  const { ask } = await openSandbox();
  const { headers } = await ask('GET', '/v3/users');
  expect(headers).toMatchObject({ 'x-rate-limit': '10000', 'x-rate-limit-remaining': '9999' });
  expect(headers).not.toHaveProperty('retry-after');
});

test('a call over the limit is refused with when to come back, and not processed', async () => {
  let now = START + 45_500;
  const { add, sandbox } = await openSandbox({
    users: 9,
    groups: 1,
    rateLimit: { calls: 2, perMs: 60_000 },
    now: () => now,
  });
  await add('group-1', { admins: ['user-1'] });
  await add('group-1', { admins: ['user-2'] });
  const { status, headers, json } = await add('group-1', { admins: ['user-3'] });
  expect([status, json.error.code]).toEqual([429, 'ERR_TOO_MANY_REQUESTS']);
  expect(headers).toMatchObject({
    'x-rate-limit': '2',
    'x-rate-limit-remaining': '0',
    'retry-after': '15',
    'x-rate-limit-reset': String(START / 1000 + 60),
  });
  expect(sandbox.members('us', 'group-1').has('user-3')).toBe(false);
  expect(sandbox.calls.us).toMatchObject({ requests: 3, byStatus: { 200: 2, 429: 1 }, rateLimited: 1 });

  now = START + 60_000;
  expect((await add('group-1', { admins: ['user-3'] })).status).toBe(200);
});

test('each app has a limit of its own', async () => {
  const { ask } = await openSandbox({ rateLimit: { calls: 1, perMs: 60_000 }, now: () => START });
  const ofRegions = async () => [
    (await ask('GET', '/v3/users', { region: 'us' })).status,
    (await ask('GET', '/v3/users', { region: 'eu' })).status,
  ];
  expect(await ofRegions()).toEqual([200, 200]);
  expect(await ofRegions()).toEqual([429, 429]);
});

test('a refused key takes nothing from the limit', async () => {
  const { ask } = await openSandbox({ rateLimit: { calls: 1, perMs: 60_000 }, now: () => START });
  await ask('GET', '/v3/users', { headers: { apikey: 'x' } });
  expect((await ask('GET', '/v3/users')).status).toBe(200);
});

test('windows can be shorter than a second, and Retry-After is still a whole second', async () => {
  let now = START;
  const { ask } = await openSandbox({ rateLimit: { calls: 1, perMs: 200 }, now: () => now });
  await ask('GET', '/v3/users');
  const limited = await ask('GET', '/v3/users');
  expect([limited.status, limited.headers['retry-after']]).toEqual([429, '1']);
  now += 200;
  expect((await ask('GET', '/v3/users')).status).toBe(200);
});

test('listsPerMinute: calls that only read have a budget of their own', async () => {
  const { ask, add } = await openSandbox({
    users: 9,
    groups: 1,
    rateLimit: { calls: 1, perMs: 60_000 },
    behaviour: { listsPerMinute: 2 },
    now: () => START,
  });
  const adding = () => add('group-1', { admins: ['user-1'] });
  expect((await adding()).headers).toMatchObject({ 'x-rate-limit': '1', 'x-rate-limit-remaining': '0' });
  expect((await adding()).status).toBe(429);
  expect((await ask('GET', '/v3/users')).headers).toMatchObject({ 'x-rate-limit': '2', 'x-rate-limit-remaining': '1' });
  expect((await ask('GET', '/v3/groups/group-1/members')).status).toBe(200);
  expect((await ask('GET', '/v3/users')).status).toBe(429);
});

test('rateHeaders: X-RateLimit uses the other spelling', async () => {
  const { ask } = await openSandbox({
    rateLimit: { calls: 1, perMs: 60_000 },
    behaviour: { rateHeaders: 'X-RateLimit' },
    now: () => START,
  });
  const { headers } = await ask('GET', '/v3/users');
  expect(headers).toMatchObject({ 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0' });
  expect(headers).not.toHaveProperty('x-rate-limit');
  const limited = await ask('GET', '/v3/users');
  expect(limited.headers).toMatchObject({ 'x-ratelimit-reset': String(START / 1000 + 60), 'retry-after': '60' });
});

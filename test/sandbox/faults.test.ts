import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FAULT_KINDS,
  type Fault,
  type FaultKind,
  faultsWith,
  parseFaults,
  seededRandom,
} from '../../src/sandbox/injected-faults.ts';
import { eventually } from '../eventually.ts';
import { openSandbox, uids } from './open-sandbox.ts';

const BODY = { participants: uids(4) };
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error);

describe('what a fault does to a call that adds four users', () => {
  test.each([
    ['reset-before', 0],
    ['reset-midway', 2],
    ['reset-after', 4],
  ])('%s resets the connection with %i of them added', async (kind, added) => {
    const { add, sandbox } = await openSandbox();
    sandbox.faults.set(`${kind}=1`);
    const outcome = await add('group-1', BODY).catch(codeOf);
    expect(['ECONNRESET', 'UND_ERR_SOCKET']).toContain(outcome);
    expect(sandbox.members('us', 'group-1').size).toBe(added);
    expect((await add('group-1', BODY)).status).toBe(200);
    await expect.poll(() => sandbox.calls.us).toMatchObject({ requests: 2, byStatus: { 200: 1 }, unanswered: 1 });
  });

  test('timeout never answers, changes nothing and lets other calls pass', async () => {
    const { add, sandbox } = await openSandbox({ users: 9, groups: 1, faults: 'timeout=1' });
    const waiting = add('group-1', { admins: ['user-9'] }).catch(codeOf);
    await expect.poll(() => sandbox.calls.us.requests).toBe(1);
    expect((await add('group-1', BODY)).status).toBe(200);
    expect(sandbox.members('us', 'group-1').has('user-9')).toBe(false);
    expect(sandbox.calls.us).toMatchObject({ unanswered: 0, maxConcurrent: 2 });
    await sandbox.close();
    await waiting;
    await expect.poll(() => sandbox.calls.us.unanswered).toBe(1);
  });

  test.each([
    ['too-many', 429, 'ERR_TOO_MANY_REQUESTS'],
    ['error', 500, 'ERR_OPERATION_FAILED'],
    ['refuse-key', 401, 'AUTH_ERR_APIKEY_NOT_FOUND'],
  ])('%s answers %i %s and changes nothing', async (kind, status, code) => {
    const { add, sandbox } = await openSandbox({ users: 9, groups: 1, faults: `${kind}=1` });
    const reply = await add('group-1', BODY);
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    expect(sandbox.members('us', 'group-1').size).toBe(0);
    expect((await add('group-1', BODY)).status).toBe(200);
  });

  test('too-many asks to come back in a second, and differs from the rate limit', async () => {
    const now = 1_800_000_000_000;
    const { add, sandbox } = await openSandbox({ users: 9, groups: 1, faults: 'too-many=1', now: () => now });
    const { headers } = await add('group-1', BODY);
    expect(headers).toMatchObject({ 'retry-after': '1', 'x-rate-limit-reset': String(now / 1000 + 1) });
    expect(sandbox.calls.us).toMatchObject({ byStatus: { 429: 1 }, rateLimited: 0 });
  });

  test.each([
    ['unavailable', 503],
    ['not-json', 200],
  ])('%s answers %i with a page and changes nothing', async (kind, status) => {
    const { add, sandbox } = await openSandbox({ users: 9, groups: 1, faults: `${kind}=1` });
    const reply = await add('group-1', BODY);
    expect([reply.status, reply.json, reply.text.slice(0, 6)]).toEqual([status, undefined, '<html>']);
    expect(reply.headers['content-type']).toContain('text/html');
    expect(sandbox.members('us', 'group-1').size).toBe(0);
  });

  test('truncated adds them and breaks the JSON off', async () => {
    const { add, sandbox } = await openSandbox({ users: 9, groups: 1, faults: 'truncated=1' });
    const reply = await add('group-1', BODY);
    expect([reply.status, reply.json]).toEqual([200, undefined]);
    expect(reply.text).toMatch(/^\{"data":/);
    expect(sandbox.members('us', 'group-1').size).toBe(4);
  });

  test('omit-uid adds them and leaves the last out of the reply', async () => {
    const { add, sandbox } = await openSandbox({ users: 9, groups: 1, faults: 'omit-uid=1' });
    expect(Object.keys((await add('group-1', BODY)).json.data.participants)).toEqual(uids(3));
    expect(sandbox.members('us', 'group-1').size).toBe(4);
  });

  test('slow delays the answer, and another fault can join', async () => {
    const { add } = await openSandbox({ users: 9, groups: 1, faults: 'slow=60ms@1,error=1' });
    const start = performance.now();
    expect((await add('group-1', BODY)).status).toBe(500);
    // Timers may fire up to a millisecond early.
    expect(performance.now() - start).toBeGreaterThanOrEqual(59);
    expect((await add('group-1', BODY)).status).toBe(200);
  });

  test('slow answers come as soon as other faults are in force', async () => {
    const { add, sandbox } = await openSandbox({ users: 9, groups: 1, faults: 'slow=600000ms' });
    const slow = add('group-1', BODY);
    await expect.poll(() => sandbox.calls.us.requests).toBe(1);
    sandbox.faults.clear();
    expect((await slow).status).toBe(200);
  });
});

test('latencyMs makes every call take that long', async () => {
  const { ask } = await openSandbox({ latencyMs: [40, 50] });
  const start = performance.now();
  await ask('GET', '/v3/users');
  // Timers may fire up to a millisecond early.
  expect(performance.now() - start).toBeGreaterThanOrEqual(39);
});

test('calls overlap', async () => {
  const { ask, sandbox } = await openSandbox({ latencyMs: 600_000 });
  // They end with the sandbox, without an answer.
  for (let call = 0; call < 3; call += 1) ask('GET', '/v3/users').catch(() => {});
  await eventually(() => sandbox.calls.us.maxConcurrent).toBe(3);
});

describe('where and when', () => {
  test('a fault with a region strikes there alone', async () => {
    const { ask } = await openSandbox({ faults: 'eu:refuse-key' });
    expect((await ask('GET', '/v3/users', { region: 'eu' })).status).toBe(401);
    expect((await ask('GET', '/v3/users', { region: 'us' })).status).toBe(200);
  });

  test('a fault of add members waits for such a call', async () => {
    const { ask, add } = await openSandbox({ users: 9, groups: 1, faults: 'omit-uid=1' });
    expect((await ask('GET', '/v3/users')).status).toBe(200);
    expect((await add('group-1', { admins: ['user-1'] })).json.data.admins).toEqual({});
  });

  test('faults can be changed and cleared while the sandbox runs', async () => {
    const { ask, sandbox } = await openSandbox({ faults: 'error' });
    expect((await ask('GET', '/v3/users')).status).toBe(500);
    sandbox.faults.set('unavailable');
    expect((await ask('GET', '/v3/users')).status).toBe(503);
    sandbox.faults.clear();
    expect((await ask('GET', '/v3/users')).status).toBe(200);
  });

  test('a count strikes exactly the next calls, whatever the seed', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(40), fc.nat(), (count, calls, seed) => {
        const faults = faultsWith(seededRandom(seed));
        faults.set([{ kind: 'error', count }]);
        const struck = Array.from({ length: calls }, () => faults.strike('us', 'add-members').fault === 'error');
        expect(struck).toEqual(struck.map((_, at) => at < count));
      }),
    );
  });

  test('of several faults the first kind wins, and the others keep their count', () => {
    const faults = faultsWith(seededRandom(1));
    faults.set('error=1,timeout=1,reset-before=1');
    const struck = Array.from({ length: 4 }, () => faults.strike('us', 'add-members').fault);
    expect(struck).toEqual(['reset-before', 'timeout', 'error', undefined]);
  });

  test('a probability strikes about that share of the calls', () => {
    const faults = faultsWith(seededRandom(7));
    faults.set('error=5%');
    const struck = Array.from({ length: 10_000 }, () => faults.strike('in', 'add-members').fault).filter(
      Boolean,
    ).length;
    expect(struck).toBeGreaterThan(400);
    expect(struck).toBeLessThan(600);
  });

  test('the same random seed strikes the same calls, and another seed others', () => {
    const run = (seed: number) => {
      const faults = faultsWith(seededRandom(seed));
      faults.set('error=30%,timeout=0.2');
      return Array.from({ length: 200 }, () => faults.strike('us', 'add-members').fault);
    };
    expect(run(42)).toEqual(run(42));
    expect(run(42)).not.toEqual(run(43));
  });
});

describe('the syntax', () => {
  test.each<[string, Fault[]]>([
    ['', []],
    ['reset-after=2%', [{ kind: 'reset-after', chance: 0.02 }]],
    ['reset-after=0.05', [{ kind: 'reset-after', chance: 0.05 }]],
    ['too-many=5', [{ kind: 'too-many', count: 5 }]],
    ['in:refuse-key', [{ kind: 'refuse-key', region: 'in', chance: 1 }]],
    ['slow=400ms', [{ kind: 'slow', ms: 400, chance: 1 }]],
    ['eu:slow=400ms@10%', [{ kind: 'slow', region: 'eu', ms: 400, chance: 0.1 }]],
    [
      ' error=1 , timeout=100% ',
      [
        { kind: 'error', count: 1 },
        { kind: 'timeout', chance: 1 },
      ],
    ],
  ])('"%s" is read', (text, faults) => {
    expect(parseFaults(text)).toEqual(faults);
  });

  test('every kind can be asked for in every region, and nothing gets lost', () => {
    const kinds = Object.keys(FAULT_KINDS).filter((kind) => kind !== 'slow') as FaultKind[];
    const fault = fc.record({
      kind: fc.constantFrom(...kinds),
      region: fc.constantFrom('us', 'eu', 'in'),
      count: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(fault), (faults) => {
        const text = faults.map(({ kind, region, count }) => `${region}:${kind}=${count}`).join(',');
        expect(parseFaults(text)).toEqual(faults);
      }),
    );
  });

  test.each([
    ['reset', 'unknown kind "reset", known are reset-before, '],
    ['toString=1', 'unknown kind "toString"'],
    ['mars:error=1', 'unknown region "mars", known are us, eu, in'],
    ['error=often', '"often" is neither a probability (5% or 0.05) nor a count of calls (3)'],
    ['error=150%', '"150%" is neither'],
    ['error=1.5', '"1.5" is neither'],
    ['error=-1', '"-1" is neither'],
    ['error=', '"" is neither'],
    ['slow', 'slow needs milliseconds'],
    ['slow=2s', 'slow needs milliseconds'],
    ['a:b:c', 'expected [region:]kind[=when]'],
  ])('"%s" is refused with what is allowed', (text, message) => {
    expect(() => parseFaults(text)).toThrow(`fault "${text}": ${message}`);
  });
});

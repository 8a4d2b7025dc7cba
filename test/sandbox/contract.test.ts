import { describe, expect, test } from 'vitest';
import { DEFAULT_BEHAVIOUR, parseBehaviour, SWITCHES } from '../../src/sandbox/behaviour.ts';
import { openSandbox } from './open-sandbox.ts';

const ANYBODY = { users: 'any', groups: 'any' } as const;

/** UIDs of a list in the order in which the text of the reply has them, with the count that each brought. */
function inOrder(text: string, uids: readonly string[]): (readonly [uid: string, count: number])[] {
  return uids
    .map((uid) => [uid, text.indexOf(`"${uid}":{"success"`)] as const)
    .toSorted(([, a], [, b]) => a - b)
    .map(([uid, at]) => [uid, Number(/"membersCount":(\d+)/.exec(text.slice(at))?.[1])]);
}

test('UIDs that are numbers stand in the order in which they were added, and membersCount climbs in it', async () => {
  const { add } = await openSandbox(ANYBODY);
  const participants = ['10', '9', 'abc', '2'];
  const { text, json } = await add('g1', { participants });
  expect(inOrder(text, participants)).toEqual([
    ['10', 1],
    ['9', 2],
    ['abc', 3],
    ['2', 4],
  ]);
  expect(Object.keys(json.data.participants)).toHaveLength(4);
});

test('"__proto__" is a UID that cannot be, and is named in the reply as every other', async () => {
  const { add } = await openSandbox(ANYBODY);
  const { text } = await add('g1', { participants: ['__proto__', 'a'] });
  expect(text).toContain('"__proto__":{"success":');
});

describe('switches', () => {
  test('a call without any list is taken, or refused', async () => {
    const { add } = await openSandbox(ANYBODY);
    expect(await add('g1', {})).toMatchObject({ status: 200, json: { data: {} } });
    const strict = await openSandbox({ ...ANYBODY, behaviour: { emptyRequest: 'refuse' } });
    expect(await strict.add('g1', {})).toMatchObject({ status: 400, json: { error: { code: 'ERR_BAD_REQUEST' } } });
  });

  test('an unknown field is refused, or left out', async () => {
    const body = { participants: ['a'], owners: ['b'] };
    const { add } = await openSandbox(ANYBODY);
    expect((await add('g1', body)).status).toBe(400);
    const lenient = await openSandbox({ ...ANYBODY, behaviour: { unknownFields: 'ignore' } });
    const { status, json } = await lenient.add('g1', body);
    expect([status, Object.keys(json.data)]).toEqual([200, ['participants']]);
  });

  test('who acts must be a member, or not', async () => {
    const { add } = await openSandbox(ANYBODY);
    expect(await add('g1', { participants: ['a'] }, { onBehalfOf: 'boss' })).toMatchObject({
      status: 401,
      json: { error: { code: 'ERR_GROUP_NOT_JOINED' } },
    });
    const lenient = await openSandbox({ ...ANYBODY, behaviour: { actingUser: 'anybody' } });
    expect((await lenient.add('g1', { admins: ['a'] }, { onBehalfOf: 'boss' })).status).toBe(200);
  });

  test('a user who is not a member can be banned, or not', async () => {
    const { ask } = await openSandbox(ANYBODY);
    expect((await ask('POST', '/v3/groups/g1/bannedusers/a')).status).toBe(200);
    const strict = await openSandbox({ ...ANYBODY, behaviour: { banningStrangers: 'refuse' } });
    expect(await strict.ask('POST', '/v3/groups/g1/bannedusers/a')).toMatchObject({
      status: 404,
      json: { error: { code: 'ERR_NOT_A_MEMBER' } },
    });
  });

  test('every switch can be written, with each of its values', () => {
    for (const [name, allowed] of Object.entries(SWITCHES)) {
      for (const value of typeof allowed === 'number' ? [7] : allowed) {
        expect(parseBehaviour(`${name}=${value}`)).toEqual({ [name]: value });
      }
    }
    expect(DEFAULT_BEHAVIOUR).toMatchObject({ maxUidsPerCall: 25, tooManyUids: 'refuse', listBanned: true });
    expect(parseBehaviour(' pagination=sample, readDelayMs=20 ,')).toEqual({ pagination: 'sample', readDelayMs: 20 });
  });

  test.each([
    ['pages=sample', '"pages" is not a switch; allowed are maxUidsPerCall'],
    ['pagination=true', 'pagination is "true"; allowed are right, absent, odd, sample'],
    ['readDelayMs=-1', 'readDelayMs is "-1"; allowed is a whole number from 0'],
    ['constructor=1', '"constructor" is not a switch'],
  ])('%s is refused with what is allowed', (text, message) => {
    expect(() => parseBehaviour(text)).toThrow(expect.objectContaining({ code: 'BAD_BEHAVIOUR' }));
    expect(() => parseBehaviour(text)).toThrow(message);
  });
});

test('an address that leads nowhere is answered with the names that there are', async () => {
  const { ask } = await openSandbox({ ...ANYBODY, domain: 'sandbox' });
  const { json } = await ask('GET', '/v3/users', { name: 'sandbox' });
  expect(json.error.message).toContain('<app id>.api-<region>.sandbox,');
});

test.each([
  ['firewall', 403],
  ['redirect', 302],
])('the fault %s answers as something on the way does', async (faults, status) => {
  const { add, sandbox } = await openSandbox({ ...ANYBODY, faults });
  const reply = await add('g1', { participants: ['a'] });
  expect([reply.status, reply.json]).toEqual([status, undefined]);
  expect(sandbox.members('us', 'g1').size).toBe(0);
});

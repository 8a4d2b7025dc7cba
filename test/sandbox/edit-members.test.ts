import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../runs.ts';
import { type Asking, type Chat, openSandbox, uids } from './open-sandbox.ts';

/** Changing the place of one user in a group: shapes and refusals from public knowledge, not contract. */

const MEMBERS = '/v3/groups/team/members';
const BANNED = '/v3/groups/team/bannedusers';

/** A group with one of each, and a user outside. */
function team(options: Parameters<typeof openSandbox>[0] = {}): Promise<Chat> {
  const members = {
    owner: 'boss',
    admins: ['ann'],
    moderators: ['mod'],
    participants: ['pat', 'pit'],
    usersToBan: ['bad'],
  };
  return openSandbox({ seed: { users: ['out'], regions: { us: { members: { team: members } } } }, ...options });
}

const scopeTo = (scope: string): Asking => ({ body: { scope } });
const codeOf = async (reply: ReturnType<Chat['ask']>) => {
  const { status, json } = await reply;
  return [status, json.error?.code];
};

describe('what an edit does', () => {
  test('changing a scope gives the member with its new scope', async () => {
    const { ask, sandbox } = await team({ now: () => 1_800_000_000_000 });
    const { status, json } = await ask('PUT', `${MEMBERS}/Pat`, scopeTo('moderator'));
    expect([status, json]).toEqual([
      200,
      { data: { guid: 'team', uid: 'pat', scope: 'moderator', joinedAt: 1_800_000_000 - 3_650 * 86_400 } },
    ]);
    expect(sandbox.members('us', 'team').get('pat')).toBe('moderator');
  });

  test.each([
    ['PUT', MEMBERS, 'scopeChanged'],
    ['DELETE', MEMBERS, 'kicked'],
    ['POST', BANNED, 'banned'],
  ])('%s at %s may be answered with an action message', async (method, path, action) => {
    const { ask } = await team({ behaviour: { editReply: 'action' } });
    const { status, json } = await ask(method, `${path}/pat`, method === 'PUT' ? scopeTo('moderator') : {});
    const entities = { on: { entity: { uid: 'pat' } }, for: { entity: { guid: 'team' } } };
    expect([status, json.data]).toMatchObject([200, { category: 'action', data: { action, entities } }]);
  });

  test.each<[method: string, path: string, uid: string, scope: string | undefined, membersCount: number]>([
    ['DELETE', MEMBERS, 'pat', undefined, 4],
    ['POST', BANNED, 'pat', 'ban', 4],
    ['POST', BANNED, 'out', 'ban', 5],
    ['DELETE', BANNED, 'bad', undefined, 5],
  ])('%s %s/%s: %s is the place now, and %s members are left', async (method, path, uid, scope, membersCount) => {
    const { ask, sandbox } = await team();
    const { status, json } = await ask(method, `${path}/${uid}`);
    expect([status, json]).toEqual([200, { data: { success: true, message: expect.stringContaining(uid) } }]);
    expect(sandbox.members('us', 'team').get(uid)).toBe(scope);
    expect((await ask('GET', '/v3/groups/team')).json.data.membersCount).toBe(membersCount);
  });

  test('whoever was removed or unbanned can be added again', async () => {
    const { add, ask } = await team({ behaviour: { addingBanned: 'refuse' } });
    await ask('DELETE', `${MEMBERS}/pat`);
    await ask('DELETE', `${BANNED}/bad`);
    const { participants } = (await add('team', { participants: ['pat', 'bad'] })).json.data;
    expect([participants.pat.success, participants.bad.success]).toEqual([true, true]);
  });

  test('the list of the banned comes by page, and each with the scope it had', async () => {
    const { ask } = await team();
    await ask('POST', `${BANNED}/mod`);
    const { json } = await ask('GET', `${BANNED}?perPage=1&page=2`);
    expect(json.data).toMatchObject([{ uid: 'bad', scope: 'participant' }]);
    expect(json.meta.pagination).toMatchObject({ total: 2, count: 1, total_pages: 2 });
    expect((await ask('GET', `${BANNED}?perPage=1`)).json.data).toMatchObject([{ uid: 'mod', scope: 'moderator' }]);
  });

  test('the banned are among the members too, unless that is switched off', async () => {
    for (const listBanned of [true, false]) {
      const { ask } = await team({ behaviour: { listBanned } });
      const members = (await ask('GET', MEMBERS)).json.data.map(({ uid }: { uid: string }) => uid);
      expect(members.includes('bad')).toBe(listBanned);
    }
  });

  test('every edit counts towards the rate limit', async () => {
    const { ask } = await team({ rateLimit: { calls: 2, perMs: 60_000 }, now: () => 1_800_000_000_000 });
    await ask('DELETE', `${MEMBERS}/pat`);
    await ask('POST', `${BANNED}/pit`);
    expect(await codeOf(ask('GET', BANNED))).toEqual([429, 'ERR_TOO_MANY_REQUESTS']);
  });
});

describe('what is refused', () => {
  test.each<[method: string, path: string, asking: Asking, status: number, code: string]>([
    ['PUT', `${MEMBERS}/pat`, scopeTo('participant'), 400, 'ERR_SAME_SCOPE'],
    ['PUT', `${MEMBERS}/pat`, scopeTo('ban'), 400, 'ERR_BAD_REQUEST'],
    ['PUT', `${MEMBERS}/out`, scopeTo('admin'), 404, 'ERR_NOT_A_MEMBER'],
    ['PUT', `${MEMBERS}/bad`, scopeTo('admin'), 400, 'ERR_BANNED_GROUPMEMBER'],
    ['DELETE', `${MEMBERS}/out`, {}, 404, 'ERR_NOT_A_MEMBER'],
    ['DELETE', `${MEMBERS}/bad`, {}, 400, 'ERR_BANNED_GROUPMEMBER'],
    ['DELETE', `${MEMBERS}/nobody`, {}, 404, 'ERR_UID_NOT_FOUND'],
    ['DELETE', '/v3/groups/nowhere/members/pat', {}, 404, 'ERR_GUID_NOT_FOUND'],
    ['POST', `${BANNED}/bad`, {}, 400, 'ERR_ALREADY_BANNED'],
    ['DELETE', `${BANNED}/pat`, {}, 400, 'ERR_NOT_A_BANNED_USER'],
    ['DELETE', MEMBERS, {}, 404, 'ERR_API_NOT_FOUND'],
  ])('%s %s %j: %i %s', async (method, path, asking, status, code) => {
    const { ask, sandbox } = await team();
    const before = sandbox.members('us', 'team');
    expect(await codeOf(ask(method, path, asking))).toEqual([status, code]);
    expect(sandbox.members('us', 'team')).toEqual(before);
  });

  test.each([
    ['PUT', MEMBERS, scopeTo('participant')],
    ['DELETE', MEMBERS, {}],
    ['POST', BANNED, {}],
  ])('nobody changes the owner of a group: %s %s', async (method, path, asking) => {
    const { ask, sandbox } = await team();
    expect(await codeOf(ask(method, `${path}/Boss`, asking))).toEqual([403, 'ERR_GROUP_NO_CLEARANCE']);
    expect(sandbox.members('us', 'team').get('boss')).toBe('admin');
  });

  test.each<[onBehalfOf: string, method: string, path: string, outcome: number | string]>([
    ['boss', 'DELETE', `${MEMBERS}/ann`, 200],
    ['ann', 'DELETE', `${MEMBERS}/mod`, 200],
    // A member leaves.
    ['ann', 'DELETE', `${MEMBERS}/ann`, 200],
    ['pat', 'DELETE', `${MEMBERS}/pat`, 200],
    ['ann', 'PUT', `${MEMBERS}/ann`, 'ERR_GROUP_NO_SELF_ACTION'],
    ['mod', 'DELETE', `${MEMBERS}/pat`, 200],
    ['mod', 'DELETE', `${MEMBERS}/ann`, 'ERR_GROUP_NO_CLEARANCE'],
    ['mod', 'PUT', `${MEMBERS}/pat`, 'ERR_GROUP_NO_CLEARANCE'],
    ['pat', 'DELETE', `${MEMBERS}/pit`, 'ERR_GROUP_NO_CLEARANCE'],
    ['pat', 'POST', `${BANNED}/pit`, 'ERR_GROUP_NO_CLEARANCE'],
    ['out', 'DELETE', `${MEMBERS}/pit`, 'ERR_GROUP_NOT_JOINED'],
    ['nobody', 'DELETE', `${MEMBERS}/pit`, 'ERR_UID_NOT_FOUND'],
  ])('on behalf of %s, %s %s: %s', async (onBehalfOf, method, path, outcome) => {
    const { ask } = await team();
    const asking = { headers: { onBehalfOf }, ...(method === 'PUT' && scopeTo('admin')) };
    const { status, json } = await ask(method, path, asking);
    expect(json.error?.code ?? status).toBe(outcome);
  });

  test.each([
    ['moderators', 'mod2', 'moderator', 'ERR_SAME_SCOPE'],
    ['moderators', 'pat', 'moderator', 200],
    ['moderators', 'pat', 'admin', 'ERR_GROUP_NO_CLEARANCE'],
    ['participants', 'mod2', 'participant', 'ERR_GROUP_NO_CLEARANCE'],
    ['participants', 'pat', 'moderator', 200],
    ['nobody', 'pat', 'moderator', 'ERR_GROUP_NO_CLEARANCE'],
  ] as const)('a moderator changes %s: %s to %s: %s', async (moderatorsChange, uid, scope, outcome) => {
    const { ask } = await openSandbox({
      behaviour: { moderatorsChange },
      seed: { regions: { us: { members: { team: { moderators: ['mod', 'mod2'], participants: ['pat'] } } } } },
    });
    const { status, json } = await ask('PUT', `${MEMBERS}/${uid}`, {
      headers: { onBehalfOf: 'mod' },
      ...scopeTo(scope),
    });
    expect(json.error?.code ?? status).toBe(outcome);
  });

  test('no one leaves where the switch says so', async () => {
    const { ask } = await team({ behaviour: { selfActions: 'refuse' } });
    const { json } = await ask('DELETE', `${MEMBERS}/pat`, { headers: { onBehalfOf: 'pat' } });
    expect(json.error.code).toBe('ERR_GROUP_NO_SELF_ACTION');
  });

  test('an authOnly key edits nothing', async () => {
    const { ask, sandbox } = await team();
    const headers = { apikey: sandbox.apps.us.authOnlyKey };
    for (const [method, path] of [
      ['PUT', `${MEMBERS}/pat`],
      ['DELETE', `${MEMBERS}/pat`],
      ['GET', BANNED],
      ['POST', `${BANNED}/pat`],
      ['DELETE', `${BANNED}/bad`],
    ] as const) {
      expect(await codeOf(ask(method, path, { headers }))).toEqual([403, 'AUTH_ERR_NO_ACCESS']);
    }
  });
});

describe('faults', () => {
  test('a lost reply leaves the change made, and the repeat meets it', async () => {
    const { ask, sandbox } = await team({ faults: 'reset-after=1' });
    await expect(ask('DELETE', `${MEMBERS}/pat`)).rejects.toThrow();
    expect(sandbox.members('us', 'team').has('pat')).toBe(false);
    expect(await codeOf(ask('DELETE', `${MEMBERS}/pat`))).toEqual([404, 'ERR_NOT_A_MEMBER']);
  });

  test.each<[fault: string, uids: string[]]>([
    ['short-page=1', uids(5, 11)],
    ['empty-page=1', []],
    ['repeat-page=1', uids(10)],
  ])('%s spoils one page of the list, whose numbers go on promising the whole', async (fault, listed) => {
    const members = { team: { participants: uids(25) } };
    const { ask, sandbox } = await openSandbox({ seed: { regions: { us: { members } } } });
    sandbox.faults.set(fault);
    expect((await ask('GET', '/v3/groups/team')).json.data.membersCount).toBe(25);
    const { data, meta } = (await ask('GET', `${MEMBERS}?perPage=10&page=2`)).json;
    expect(data.map(({ uid }: { uid: string }) => uid)).toEqual(listed);
    expect(meta.pagination).toMatchObject({ total: 25, count: listed.length, current_page: 2, total_pages: 3 });
    expect((await ask('GET', `${MEMBERS}?perPage=10&page=2`)).json.data).toHaveLength(10);
  });
});

test('whatever is done in whatever order, each user has the place that the last edit carried out gave it', async () => {
  const { ask, sandbox } = await openSandbox({ users: 4, groups: 'any' });
  const edit = fc.record({
    uid: fc.constantFrom(...uids(4)),
    what: fc.constantFrom('add', 'admin', 'moderator', 'participant', 'remove', 'ban', 'unban'),
  });
  let group = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 12 }), async (edits) => {
      group += 1;
      const path = `/v3/groups/made-${group}`;
      const places = new Map<string, string>();
      for (const { uid, what } of edits) {
        const place = places.get(uid);
        const isMember = place !== undefined && place !== 'ban';
        if (what === 'add') {
          await ask('POST', `${path}/members`, { body: { participants: [uid] } });
          if (!isMember) places.set(uid, 'participant');
        } else if (what === 'remove') {
          const { status } = await ask('DELETE', `${path}/members/${uid}`);
          expect(status === 200).toBe(isMember);
          if (isMember) places.delete(uid);
        } else if (what === 'ban') {
          const { status } = await ask('POST', `${path}/bannedusers/${uid}`);
          expect(status === 200).toBe(place !== 'ban');
          places.set(uid, 'ban');
        } else if (what === 'unban') {
          const { status } = await ask('DELETE', `${path}/bannedusers/${uid}`);
          expect(status === 200).toBe(place === 'ban');
          if (place === 'ban') places.delete(uid);
        } else {
          const { status } = await ask('PUT', `${path}/members/${uid}`, scopeTo(what));
          expect(status === 200).toBe(isMember && place !== what);
          if (isMember) places.set(uid, what);
        }
        const { membersCount } = (await ask('GET', path)).json.data;
        expect(membersCount).toBe([...places.values()].filter((one) => one !== 'ban').length);
      }
      const found = sandbox.members('us', `made-${group}`);
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(places));
    }),
    { numRuns: runs(100) },
  );
});

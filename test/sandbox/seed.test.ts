import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MemberScope } from '../../src/chat/service/lists.ts';
import { REGIONS } from '../../src/membership/membership.ts';
import { Group } from '../../src/sandbox/sandbox-app.ts';
import { parseSeed } from '../../src/sandbox/seed.ts';
import { openSandbox } from './open-sandbox.ts';

describe('what a sandbox starts with', () => {
  test('numbers make users and groups in every region', async () => {
    const { ask } = await openSandbox({ users: 3, groups: 2 });
    for (const region of REGIONS) {
      expect((await ask('GET', '/v3/users', { region })).json.meta.pagination.total).toBe(3);
      expect((await ask('GET', '/v3/groups/group-2', { region })).status).toBe(200);
      expect((await ask('GET', '/v3/groups/group-3', { region })).status).toBe(404);
    }
  });

  test('"any" knows every group and user that it is asked about, in the form in which it stores them', async () => {
    const { add, sandbox } = await openSandbox({ users: 'any', groups: 'any' });
    const { data } = (await add('Whatever', { participants: ['Ann', 'not possible'] })).json;
    expect(data.participants.ann.success).toBe(true);
    expect(data.participants['not possible'].error.code).toBe('ERR_UID_NOT_FOUND');
    expect([...sandbox.members('us', 'whatever')]).toEqual([['ann', 'participant']]);
  });

  test('without anything there is nobody', async () => {
    const { ask } = await openSandbox({});
    expect((await ask('GET', '/v3/users')).json.data).toEqual([]);
  });

  test('a document makes users and groups everywhere, and members where it says', async () => {
    const text = JSON.stringify({
      users: ['Ann'],
      groups: ['team'],
      regions: {
        eu: { users: ['eve'], groups: ['club'], members: { team: { admins: ['eve'], usersToBan: ['bea'] } } },
      },
    });
    const { ask, sandbox } = await openSandbox({ seed: parseSeed(text, 'seed.json') });
    const usersOf = async (region: 'us' | 'eu') =>
      (await ask('GET', '/v3/users', { region })).json.data.map(({ uid }: { uid: string }) => uid);
    expect(await usersOf('us')).toEqual(['ann']);
    expect(await usersOf('eu')).toEqual(['ann', 'eve', 'bea']);
    expect(Object.fromEntries(sandbox.members('eu', 'team'))).toEqual({ eve: 'admin', bea: 'ban' });
    expect((await ask('GET', '/v3/groups/club', { region: 'us' })).status).toBe(404);
  });

  test('a group of a document can have an owner, who is an admin of it unless a list says otherwise', async () => {
    const members = {
      'group-1': { owner: 'Boss', participants: ['ann'] },
      'group-2': { owner: 'ann', moderators: ['Ann'] },
    };
    const { ask, sandbox } = await openSandbox({
      groups: 2,
      seed: parseSeed(JSON.stringify({ groups: ['group-2'], regions: { us: { members } } }), 'seed.json'),
    });
    const ownerOf = async (guid: string) => (await ask('GET', `/v3/groups/${guid}`)).json.data.owner;
    expect([await ownerOf('group-1'), await ownerOf('group-2')]).toEqual(['boss', 'ann']);
    expect(Object.fromEntries(sandbox.members('us', 'group-1'))).toEqual({ ann: 'participant', boss: 'admin' });
    expect(Object.fromEntries(sandbox.members('us', 'group-2'))).toEqual({ ann: 'moderator' });
  });

  test('users and groups can be added while it runs, and an impossible id is refused', async () => {
    const { add, sandbox } = await openSandbox({});
    expect([sandbox.addUser('us', 'Ann'), sandbox.addGroup('us', 'team')]).toEqual([true, true]);
    expect([sandbox.addUser('us', 'a b'), sandbox.addGroup('us', 'x'.repeat(101))]).toEqual([false, false]);
    expect((await add('team', { admins: ['ann'] })).json.data.admins.ann.success).toBe(true);
  });
});

describe('a document that cannot be used', () => {
  test.each([
    ['{"users":', 'it is not valid JSON'],
    ['[]', 'the document: Invalid input'],
    ['{"user":["ann"]}', 'the document: Unrecognized key: "user"'],
    ['{"regions":{"mars":{}}}', 'regions: Unrecognized key: "mars"'],
    ['{"users":["ann","a b"]}', 'users.1: "a b" cannot be an id: up to 100 letters'],
    [
      '{"regions":{"us":{"members":{"team":{"owners":["ann"]}}}}}',
      'regions.us.members.team: Unrecognized key: "owners"',
    ],
  ])('%s is refused with the file, the place and the reason', (text, problem) => {
    expect(() => parseSeed(text, 'my-seed.json')).toThrow(`the seed in my-seed.json cannot be used:\n  ${problem}`);
  });
});

test('whatever is added and banned in whatever order, membersCount is the number of places that are not banned', () => {
  const change = fc.record({
    uid: fc.constantFrom('a', 'b', 'c', 'd'),
    scope: fc.constantFrom<MemberScope | 'ban'>('admin', 'moderator', 'participant', 'ban'),
  });
  const addingBanned = fc.constantFrom('lift-ban', 'refuse');
  fc.assert(
    fc.property(
      fc.array(change),
      addingBanned,
      fc.integer({ min: 1, max: 5 }),
      (changes, addingBanned, maxGroupMembers) => {
        const profile = {
          guid: 'g',
          name: 'g',
          type: 'public',
          description: '',
          icon: '',
          tags: [],
          owner: 'o',
          createdAt: 0,
        };
        const group = new Group(profile);
        for (const [at, { uid, scope }] of changes.entries()) {
          const before = group.membersCount;
          const place = { scope: scope === 'ban' ? 'participant' : scope, banned: false, joinedAt: at };
          const obstacle =
            scope === 'ban' ? group.ban(uid, at) : group.add(uid, place, { maxGroupMembers, addingBanned });
          if (obstacle !== undefined) expect(group.membersCount).toBe(before);
          else expect(group.memberScope(uid)).toBe(scope === 'ban' ? undefined : scope);
          expect(group.membersCount).toBe([...group.places.values()].filter(({ banned }) => !banned).length);
          expect(group.membersCount).toBeLessThanOrEqual(maxGroupMembers);
        }
      },
    ),
  );
});

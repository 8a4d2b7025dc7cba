import { expect, test } from 'vitest';
import type { ImportOptions } from '../../../src/imports/import-options.ts';
import type { CreateChoices } from '../../../src/options/create-options.ts';
import { createOptionsOf } from '../../../src/options/create-options.ts';
import { openChecking } from './checking.ts';

const SEED = {
  users: ['fresh', { uid: 'idle', deactivated: true }],
  regions: {
    us: {
      members: {
        team: { owner: 'boss', participants: ['anna', 'ben'], usersToBan: ['mallory'] },
      },
    },
  },
};
const open = () => openChecking({ sandbox: { seed: SEED } });

/** Options with which an import may create. */
function creating(choices: CreateChoices): Partial<ImportOptions> {
  const create = createOptionsOf(choices);
  return create === undefined ? {} : { create };
}

/** Checks a file, and gives what is said of its rows: `<row> <verdict> <code>`. */
async function checked(content: string, options: Partial<ImportOptions> = {}) {
  const at = await open();
  const id = await at.stage(content, options);
  expect(await at.check(id)).toMatchObject({ state: 'done' });
  const said = at.found(id).map(({ row, check, code }) => `${row} ${check}${code ? ` ${code}` : ''}`);
  return { at, id, said, summary: await at.findings(id) };
}

const MISSING = [
  'uid,guid,scope,name,group_name,group_owner',
  'ghost,team,participant,Ghost,,', // 2
  'fresh,new,participant,,New,',
  'ghost,new,moderator,Ghost,,',
  'idle,team,participant,Idle,,', // 5
  'idle,new,participant,Idle,,',
  'spook,team,ban,Spook,,',
  'nameless,team,participant,,,',
  'fresh,untitled,participant,,,',
  'fresh,orphan,participant,,Orphan,nobody', // 10
  `longname,team,participant,${'x'.repeat(101)},,`,
  '',
].join('\n');

test('what is missing would be created where that was asked for, and the rest fails with what is wrong', async () => {
  const { said, summary, at, id } = await checked(
    MISSING,
    creating({ createUsers: true, createGroups: true, reactivate: true }),
  );
  expect(said).toEqual([
    '2 create CREATE_USER',
    '3 create CREATE_GROUP',
    '4 create CREATE_BOTH',
    '5 create REACTIVATE_USER',
    '6 create REACTIVATE_AND_CREATE_GROUP',
    '7 fail ERR_UID_NOT_FOUND',
    '8 fail NO_NAME',
    '9 fail NO_NAME',
    '10 fail GROUP_OWNER_NOT_FOUND',
    '11 fail FIELD_LIMIT',
  ]);
  expect(summary).toMatchObject({
    wouldFail: true,
    rows: { read: 10, create: 5, fail: 5 },
    create: { users: 1, groups: 1, reactivated: 1, over: [] },
    messages: { count: 5, groups: 2 },
  });
  await at.coordinator.resume(id);
  await at.coordinator.settled(id);
  expect(at.rows(id).map(({ status }) => status)).toEqual([
    ...['added', 'added', 'added', 'added', 'added', 'failed', 'failed', 'failed', 'failed', 'failed'],
  ]);
});

test('without that, missing users and groups fail as before', async () => {
  const { said, summary } = await checked(MISSING);
  expect(said.filter((one) => one.includes(' create'))).toEqual([]);
  expect(summary).toMatchObject({ rows: { fail: 10 }, create: null });
});

test('only users: a missing group still fails, and is not counted as created', async () => {
  const { said, summary } = await checked(MISSING, creating({ createUsers: true }));
  expect(said.slice(0, 4)).toEqual([
    '2 create CREATE_USER',
    '3 fail ERR_GUID_NOT_FOUND',
    '4 fail ERR_GUID_NOT_FOUND',
    '5 fail USER_DEACTIVATED',
  ]);
  expect(summary).toMatchObject({ create: { users: 1, groups: 0, reactivated: 0 } });
});

test('more than may be created is said before, and the import waits before its first call with both numbers', async () => {
  const ghosts = Array.from({ length: 7 }, (_, n) => `ghost${n},team\nanna,room${n % 3}`).join('\n');
  const names = { userNameFrom: 'uid', groupNameFrom: 'guid' } as const;
  const max = { maxCreate: { users: { count: 6 }, groups: { count: 3 } } };
  const options = creating({ createUsers: true, createGroups: true, ...names, ...max });
  const { summary, at, id } = await checked(`uid,guid\n${ghosts}\n`, options);
  expect(summary).toMatchObject({
    wouldFail: true,
    create: { users: 7, groups: 3, over: [{ kind: 'user', missing: 7, limit: 6 }] },
  });
  const before = at.requests();
  for (const _ of ['from the check', 'as before']) {
    await at.coordinator.resume(id);
    expect(await at.coordinator.settled(id)).toMatchObject({
      state: 'blocked',
      code: 'CREATE_LIMIT',
      reason: 'the check found 7 users that the service does not know, and 6 may be created; nothing was created',
      remedy: expect.stringContaining('users=7'),
    });
  }
  expect(at.requests()).toBe(before);
  await at.coordinator.resume(id, { maxCreate: { users: { count: 7 } } });
  expect(await at.coordinator.settled(id)).toMatchObject({ state: 'completed' });
  expect(at.rows(id).filter(({ status }) => status === 'added')).toHaveLength(10);
});

test('nobody is asked when no column has the names that creating needs', async () => {
  const at = await open();
  const id = await at.stage('uid,guid\nghost,team\n', creating({ createUsers: true }));
  const before = at.requests();
  await expect(at.check(id)).rejects.toMatchObject({ code: 'CREATE_WITHOUT_NAME' });
  expect(at.requests()).toBe(before);
});

test('a new user is created with what its row says, also where the row gives several memberships', async () => {
  const { said, at, id } = await checked('uid,guid,name\nghost,team|new,Ghost\nanna,team|new,Anna\n', {
    shape: { split: { guid: '|' } },
    ...creating({ createUsers: true, createGroups: true, groupNameFrom: 'guid' }),
  });
  expect(said).toEqual(['2 create CREATE_USER', '2 create CREATE_BOTH', '3 already_member', '3 create CREATE_GROUP']);
  expect(at.found(id).map(({ value }) => value)).toEqual(['guid=team', 'guid=new', 'guid=team', 'guid=new']);
  await at.coordinator.resume(id);
  expect(await at.coordinator.settled(id)).toMatchObject({ state: 'completed' });
  expect(at.rows(id).map(({ status }) => status)).toEqual(['added', 'added', 'already_member', 'added']);
});

test('rows that are left out are skipped and not invalid, and the rows to try first are counted', async () => {
  const { said, summary } = await checked('uid,guid,kind\nfresh,team,x\nanna,team,y\nboss,team,x\nmallory,none,x\n', {
    shape: { where: [{ column: 'kind', is: ['x'] }] },
    first: 1,
  } as Partial<ImportOptions>);
  expect(said).toEqual(['2 add', '3 skipped FILTERED', '4 other_scope', '5 fail ERR_GUID_NOT_FOUND']);
  expect(summary).toMatchObject({
    rows: { read: 4, skipped: 1, invalid: 0 },
    sentFirst: 1,
    calls: { send: { us: 3 } },
  });
});

test('in silence it says who would have joined before the group was there, and what is created in calls of fifty', async () => {
  const { said, summary } = await checked(
    'uid,guid,joined_at\nfresh,team,2001-01-01\nghost,team,2024-01-01\nghost,new,2001-01-01\n',
    {
      ...creating({ createUsers: true, createGroups: true, userNameFrom: 'uid', groupNameFrom: 'guid' }),
      silent: true,
    },
  );
  expect(said).toEqual(['2 fail ERR_IMPORT_INVALID_JOINEDAT', '3 create CREATE_USER', '4 create CREATE_BOTH']);
  expect(summary).toMatchObject({
    messages: { count: 0 },
    // A look at each group, a call for the members, one for the group and one for the user.
    calls: { send: { us: 2 + 1 + 1 + 1 } },
    ways: { added: { messages: 3, calls: 2 }, silent: { calls: 1 } },
  });
});

test('in a file of changes every row gets a verdict on what it would do', async () => {
  const { said, summary } = await checked(
    [
      'uid,guid,scope,action',
      'anna,team,moderator,change',
      'fresh,team,moderator,change',
      'ben,team,,remove',
      'ghost,team,,remove',
      'idle,team,,remove',
      'mallory,team,,unban',
      'boss,team,,unban',
      '',
    ].join('\n'),
    { shape: { actions: { column: 'action' } } } as Partial<ImportOptions>,
  );
  expect(said).toEqual([
    '2 change',
    '3 fail ERR_NOT_A_MEMBER',
    '4 remove',
    '5 fail ERR_UID_NOT_FOUND',
    '6 fail USER_DEACTIVATED',
    '7 unban',
    '8 nothing_to_do',
  ]);
  expect(summary?.messages).toEqual({ count: 3, groups: 1 });
  expect(summary?.ways).toBeNull();
});

test.each([
  ['keep', 'fail BANNED', 'failed'],
  ['lift', 'lifts_ban', 'added'],
] as const)('the addition of a banned user, with bans: %s', async (bans, check, outcome) => {
  const { said, at, id } = await checked('uid,guid\nmallory,team\nmallory,team\n', { bans });
  expect(said).toEqual([`2 ${check}`, '3 duplicate']);
  await at.coordinator.resume(id);
  await at.coordinator.settled(id);
  expect(at.rows(id).map(({ status }) => status)).toEqual([outcome, 'duplicate']);
});

test('a ban of a user who is created for another row may come before or after that, and the check says so', async () => {
  const create = creating({ createUsers: true, createGroups: true, userNameFrom: 'uid', groupNameFrom: 'guid' });
  const { said } = await checked('uid,guid,scope\nghost,new,participant\nghost,team,ban\nspook,team,ban\n', create);
  expect(said).toEqual(['2 create CREATE_BOTH', '3 not_checked NEW_USER', '4 fail ERR_UID_NOT_FOUND']);
});

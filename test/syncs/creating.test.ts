import { expect, test } from 'vitest';
import { makePlan } from '../../src/features/sync/plan/make-plan.ts';
import { planText } from '../../src/features/sync/plan/plan-print.ts';
import { countNewcomers } from '../../src/features/sync/plan/prepare.ts';
import type { GroupPages } from '../../src/imports/ask/group-pages.ts';
import { openImportReader } from '../../src/imports/report/import-reader.ts';
import { type CreateOptions, createOptions } from '../../src/options/create-options.ts';
import { DEFAULT_FLAGS, fileRows, people, planned } from './planning.ts';
import { syncSettled } from './sync-settled.ts';
import { openSyncing, type Syncing } from './syncing.ts';

const FILE = [
  'guid,uid,scope,name,group_name,group_type,user_tags',
  'team,ann,participant,Ann,,,',
  'new,zoe,participant,=Zoe,New Room,private,"[""x"",""y""]"',
  'new,ann,admin,Ann,Other name,public,',
  'new,bob,participant,Bob,,,',
  'nameless,ann,participant,Ann,,,',
].join('\n');

const creates = (more: Partial<CreateOptions> = {}): { readonly create: CreateOptions } => ({
  create: createOptions.parse({ users: true, groups: true, ...more }),
});

/** ann and cid exist, cid in the group `team`; no other user does. */
const open = () => openSyncing({ team: { participants: ['cid'] }, elsewhere: { participants: ['ann'] } }, { users: 0 });

function outcomes(at: Syncing, id: string): string[] {
  const reader = openImportReader(at.dir.ledger(id));
  try {
    return reader
      .rows()
      .map(({ guid, uid, status, created }) => `${guid} ${uid}: ${status} ${created}`.trimEnd())
      .toArray();
  } finally {
    reader.close();
  }
}

/** Counts the newcomers of a plan; gives what is said of each user who was asked for. */
async function usersCounted(of: Pick<Parameters<typeof countNewcomers>[0], 'plan' | 'desired' | 'pages'>) {
  const done: string[] = [];
  await countNewcomers({
    ...of,
    options: createOptions.parse({ users: true, userNameFrom: 'uid' }),
    signal: new AbortController().signal,
    onProgress: ({ done: at, of }) => {
      if (of !== null) done.push(`${at} of ${of}`);
    },
  });
  return done;
}

test('groups are created first, then users when they turn out to be missing; a second run has nothing to do', async () => {
  const at = await open();
  const flags = { mode: 'mirror', missing: 'remove' } as const;
  const done = await at.sync(FILE, flags, creates());
  expect(done.state).toBe('applied');
  expect(done.totals).toMatchObject({
    unlisted: 1,
    actions: { add: 4, remove: 1 },
    // Both groups are looked for, one is created, and so are two users, whose rows are sent once more.
    create: { groups: 1, users: 2, reactivated: 0, calls: 6 },
  });
  expect(outcomes(at, done.id)).toEqual([
    'team ann: added',
    'team cid: removed',
    'new ann: added group',
    'new bob: added user+group',
    'new zoe: added user+group',
  ]);
  // Created like those of an import: a group has the first values of its rows in the order of the file, a user those of
  // its row.
  expect(at.sandbox.group('us', 'new')).toMatchObject({ name: 'New Room', type: 'private' });
  expect(at.sandbox.user('us', 'zoe')).toMatchObject({ name: '=Zoe', tags: ['x', 'y'] });
  expect(at.members('new')).toEqual({ ann: 'admin', bob: 'participant', zoe: 'participant' });
  expect(at.sandbox.group('us', 'nameless')).toBeUndefined();

  const again = await at.sync(FILE, flags, creates());
  expect([again.state, at.changes(again.id)]).toEqual(['unchanged', []]);
  const text = at.plan(again.id, (plan) => planText(plan, { color: false, width: 120 }));
  expect(text).toContain('NO_NAME');
});

test('a new group with one member has the values of its only row', async () => {
  const at = await open();
  await at.sync('guid,uid,group_name,group_type\nsolo,ann,Solo Room,private\n', {}, creates({ users: false }));
  expect(at.sandbox.group('us', 'solo')).toMatchObject({ name: 'Solo Room', type: 'private' });
});

test('what is not asked for is not created: a group that is not there is named, and a user who is missing fails', async () => {
  const at = await open();
  const done = await at.sync(FILE);
  expect(outcomes(at, done.id)).toEqual(['team ann: added']);
  const text = at.plan(done.id, (plan) => planText(plan, { color: false, width: 120 }));
  expect(text).toContain('new (us)');
  const nameless = await at.sync('guid,uid\nnew,ann\n', {}, { create: createOptions.parse({ groups: true }) });
  expect([nameless.state, nameless.code]).toEqual(['failed', 'CREATE_WITHOUT_NAME']);
});

test('more than may be created is held before anything is sent, with the numbers, until someone approves it', async () => {
  const at = await open();
  const held = await at.sync(FILE, {}, creates({ max: { users: { percent: 40 }, groups: { count: 0 } } }));
  expect([held.state, held.code]).toEqual(['held', 'GUARDS_OBJECT']);
  expect(at.plan(held.id, (plan) => plan.findings())).toMatchObject([
    {
      guard: 'created-groups',
      value: 1,
      limit: 0,
      sentence: expect.stringContaining('1 group'),
    },
    // 40 % of the three users of the file.
    { guard: 'created-users', value: 2, limit: 1, sentence: expect.stringContaining('2 users') },
  ]);
  expect(at.sandbox.group('us', 'new')).toBeUndefined();
  at.syncs.approve(held.id, 'ann', 'a new course');
  expect((await syncSettled(at.syncs, held.id)).state).toBe('applied');
  expect(Object.keys(at.members('new'))).toEqual(['ann', 'bob', 'zoe']);
});

test('users who are missing only when the plan is carried out are counted as well: the import waits, and goes on', async () => {
  const at = await open();
  const none = { users: { count: 0 } };
  const wanted = 'guid,uid,name\nteam,ann,Ann\n';
  const plan = await at.sync(wanted, {}, { apply: false, ...creates({ groups: false, reactivate: true, max: none }) });
  expect(plan.state).toBe('planned');
  at.sandbox.setActive('us', 'ann', false);
  await at.syncs.apply(plan.id, 'tester');
  expect((await syncSettled(at.syncs, plan.id)).state).toBe('applying');
  expect(at.coordinator.find(plan.id)).toMatchObject({ state: 'blocked', code: 'CREATE_LIMIT' });
  await at.coordinator.resume(plan.id, { maxCreate: { users: { count: 1 } } });
  expect((await syncSettled(at.syncs, plan.id)).state).toBe('applied');
  expect(outcomes(at, plan.id)).toEqual(['team ann: added reactivated']);
});

test('a group that someone else creates meanwhile is used as it is, and no one is taken out of it', async () => {
  const at = await open();
  const flags = { mode: 'mirror', missing: 'remove' } as const;
  const plan = await at.sync(FILE, flags, { apply: false, ...creates({ userNameFrom: 'uid' }) });
  at.sandbox.addGroup('us', 'new');
  await at.syncs.apply(plan.id, 'tester');
  expect((await syncSettled(at.syncs, plan.id)).state).toBe('applied');
  expect(outcomes(at, plan.id)).toContain('new zoe: added user');
  expect(at.sandbox.group('us', 'new')?.name).not.toBe('New Room');
});

test('users are not counted beforehand where that takes many calls: the plan says that they are counted later', async () => {
  const { plan, path, desired } = planned(fileRows(people(1_001)), { team: {} });
  makePlan({ path, kind: 'file', from: desired, flags: DEFAULT_FLAGS, newcomers: true });
  const asked: string[] = [];
  const pages = () =>
    ({
      listPage: async () => {
        asked.push('list');
        return { entries: [], pagination: { total: 5_000_000 } };
      },
    }) as Partial<GroupPages> as GroupPages;
  await countNewcomers({
    plan,
    desired,
    pages,
    options: createOptions.parse({ users: true, userNameFrom: 'uid' }),
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  expect(asked).toEqual(['list']);
  const text = planText(plan, { color: false, width: 200 });
  expect(text).toContain('are counted');
  expect(text).toContain('than 100');
});

test('regions are asked for users side by side: one that is slow does not hold up the others', async () => {
  const file = [
    ...fileRows(people(2)),
    ...fileRows(people(2), 'team-eu', 'eu'),
    ...fileRows(people(2), 'team-in', 'in'),
  ];
  const live = { team: {}, 'team-eu': { region: 'eu' }, 'team-in': { region: 'in' } } as const;
  const { plan, path, desired } = planned(file, live);
  makePlan({ path, kind: 'file', from: desired, flags: DEFAULT_FLAGS, newcomers: true });
  const asked = new Set<string>();
  const { promise: allAsked, resolve } = Promise.withResolvers<void>();
  const pages = (region: string) =>
    ({
      getUser: async () => {
        asked.add(region);
        if (asked.size === 3) resolve();
        await allAsked;
        return { deactivatedAt: null } as Awaited<ReturnType<GroupPages['getUser']>>;
      },
      listPage: async () => ({ entries: [], pagination: { total: 0 } }),
    }) as Partial<GroupPages> as GroupPages;
  expect(await usersCounted({ plan, desired, pages })).toEqual(Array.from({ length: 6 }, (_, at) => `${at + 1} of 6`));
});

test('entries of a list that is read count as no users who were asked for', async () => {
  const { plan, path, desired } = planned(fileRows(people(30)), { team: {} });
  makePlan({ path, kind: 'file', from: desired, flags: DEFAULT_FLAGS, newcomers: true });
  const user = (uid: string) => ({ uid, deactivatedAt: null });
  const pages = () =>
    ({
      getUser: async () => user('someone') as Awaited<ReturnType<GroupPages['getUser']>>,
      listPage: async () => ({
        entries: Object.keys(people(20)).map(user),
        pagination: { total: 20, count: 20, current_page: 1, total_pages: 1 },
      }),
    }) as Partial<GroupPages> as GroupPages;
  expect(await usersCounted({ plan, desired, pages })).toEqual([]);
});

import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { ChatClient } from '../../../src/chat/chat-client.ts';
import type { CheckSummary } from '../../../src/features/check/operations.ts';
import { checkFiles, checkOfRows, rowsOfCheck } from '../../../src/imports/predictions/row-check.ts';
import { withList } from '../../chat/with-list.ts';
import { openChecking } from './checking.ts';

const SEED = {
  users: ['ghostless', { uid: 'idle', deactivated: true }, 'fresh'],
  groups: ['empty'],
  regions: {
    us: {
      members: {
        team: { owner: 'boss', moderators: ['mia'], participants: ['anna'], usersToBan: ['mallory'] },
        second: { participants: ['anna'] },
      },
    },
  },
};
const open = () => openChecking({ sandbox: { seed: SEED } });

const verdictOf = (row: Record<string, string>) =>
  `${row['row']} ${row['check']}${row['code'] ? ` ${row['code']}` : ''}${row['now'] ? ` (${row['now']})` : ''}`;

test('every row of the file gets a verdict, and nothing is changed', async () => {
  const at = await open();
  const id = await at.stage(
    [
      'uid,guid,scope,on_behalf_of',
      'fresh,team,participant,', // 2
      'ANNA,Team,participant,',
      'mia,team,admin,',
      'mallory,team,participant,',
      'mallory,team,ban,', // 6: with the row before: added and banned at once
      'fresh,second,ban,',
      'nobody,team,participant,',
      'idle,team,participant,',
      'anna,nogroup,participant,', // 10
      'fresh,empty,participant,boss',
      'fresh,second,participant,nobody',
      'not valid,team,participant,',
      'mia,second,moderator,anna',
      'mia,second,moderator,anna', // 15
      '',
    ].join('\n'),
  );
  const before = JSON.stringify([...at.sandbox.members('us', 'team'), ...at.sandbox.members('us', 'second')]);
  expect(await at.check(id)).toMatchObject({ state: 'done', reason: '' });
  expect(at.found(id).map(verdictOf)).toEqual([
    '2 add (not a member)',
    '3 already_member (participant)',
    '4 other_scope (moderator)',
    '5 invalid ADDED_AND_BANNED',
    '6 invalid ADDED_AND_BANNED',
    '7 invalid ADDED_AND_BANNED',
    '8 fail ERR_UID_NOT_FOUND (not a member)',
    '9 fail USER_DEACTIVATED (not a member)',
    '10 fail ERR_GUID_NOT_FOUND',
    '11 fail ERR_GROUP_NOT_JOINED (not a member)',
    '12 invalid ADDED_AND_BANNED',
    '13 invalid BAD_CHARACTER',
    '14 fail ERR_GROUP_NO_CLEARANCE (not a member)',
    '15 duplicate',
  ]);
  expect(JSON.stringify([...at.sandbox.members('us', 'team'), ...at.sandbox.members('us', 'second')])).toBe(before);
  expect(at.coordinator.find(id).state).toBe('staged');
  expect(await at.findings(id)).toMatchObject({
    wouldFail: true,
    rows: { read: 14, add: 1, already_member: 1, other_scope: 1, fail: 5, invalid: 5, duplicate: 1, not_checked: 0 },
    groups: { asked: 4, found: 3, missing: 1 },
    users: { exist: 4, unknown: 1, deactivated: 1, notChecked: 0 },
    messages: { count: 1, groups: 1 },
    // A user acts for some of them.
    ways: null,
  } satisfies DeepPartial<CheckSummary>);
});

type DeepPartial<T> = { [K in keyof T]?: T[K] extends object ? DeepPartial<T[K]> : T[K] };

test('bans, and rows for an acting user who does not exist', async () => {
  const at = await open();
  const id = await at.stage(
    'uid,guid,scope,on_behalf_of\nmallory,team,ban,\nfresh,team,ban,\nanna,team,ban,\nfresh,second,participant,nobody\nmallory,second,participant,\n',
  );
  await at.check(id);
  expect(at.found(id).map(verdictOf)).toEqual([
    '2 already_banned (banned)',
    '3 ban (not a member)',
    '4 ban (participant)',
    '5 fail ACTING_USER_NOT_FOUND (not a member)',
    '6 add (not a member)',
  ]);
});

test('a banned user whom the plan adds is shown, because adding lifts the ban', async () => {
  const at = await open();
  const id = await at.stage('uid,guid\nmallory,team\n');
  await at.check(id);
  expect(at.found(id)).toMatchObject([{ check: 'lifts_ban', now: 'banned', reason: 'adding the user lifts the ban' }]);
  expect(await at.findings(id)).toMatchObject({
    wouldFail: false,
    messages: { count: 1 },
    ways: { added: { calls: 1 }, silent: { calls: 1 } },
  });
});

describe('the cheaper way is chosen', () => {
  const uids = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
  const rows = (guid: string, names: readonly string[]) => names.map((uid) => `${uid},${guid}`).join('\n');

  test('a large group with few rows is asked user by user, a small one with many rows is listed', async () => {
    const at = await openChecking({
      sandbox: {
        seed: {
          regions: {
            us: { members: { large: { participants: uids('u', 2500) }, small: { participants: uids('u', 90) } } },
          },
        },
      },
    });
    const id = await at.stage(`uid,guid\n${rows('large', ['u1', 'u2400'])}\n${rows('small', uids('u', 90))}\n`);
    const before = at.requests();
    await at.check(id);
    // Two groups; in the large one two users, in the small one a page; a list of the banned in each. Everyone is a member. The deactivated.
    expect(at.requests() - before).toBe(2 + 2 + 1 + 2 + 1);
    expect(await at.findings(id)).toMatchObject({
      rows: { already_member: 92 },
      users: { exist: 91, asked: 91 },
      calls: { check: 8 },
    });
  });

  test('many users are looked up in the list of users, and some who are not in it are asked for by name', async () => {
    const at = await openChecking({ sandbox: { seed: { users: uids('u', 1500), groups: ['g'] } } });
    const id = await at.stage(`uid,guid\n${rows('g', [...uids('u', 200), ...uids('nobody', 100)])}\n`);
    const before = at.requests();
    await at.check(id);
    // The group, its two lists, how long the list of users is, its two pages, 25 by name, the deactivated.
    expect(at.requests() - before).toBe(1 + 2 + 1 + 2 + 25 + 1);
    expect(await at.findings(id)).toMatchObject({ rows: { add: 200, fail: 100 }, users: { unknown: 100 } });
  });

  test('many groups are looked up in the list of groups, and those that are not in it are asked for by name', async () => {
    const at = await openChecking({ sandbox: { seed: { users: ['u'], groups: uids('g', 50) } } });
    const id = await at.stage(`uid,guid\n${[...uids('g', 50), 'none'].map((guid) => `u,${guid}`).join('\n')}\n`);
    const before = at.requests();
    await at.check(id);
    // The length of the list, the list, the missing one; 50 groups with two lists each; one user, the deactivated.
    expect(at.requests() - before).toBe(1 + 1 + 1 + 100 + 1 + 1);
    expect(await at.findings(id)).toMatchObject({ rows: { add: 50, fail: 1 }, groups: { found: 50, missing: 1 } });
  });

  test('a list that lacks users who exist is not believed', async () => {
    const at = await openChecking({ sandbox: { users: 'any', seed: { groups: ['g'] } } });
    const id = await at.stage(`uid,guid\n${rows('g', uids('u', 60))}\n`);
    await at.check(id);
    expect(await at.findings(id)).toMatchObject({
      rows: { add: 60, fail: 0 },
      notes: ['the list of users in us lacks users who exist, so that each was asked for by name'],
    });
  });
});

describe('the price', () => {
  const FILE = `uid,guid\n${Array.from({ length: 30 }, (_, n) => `u${n},g${n % 3}`).join('\n')}\n`;
  const seed = { groups: ['g0', 'g1', 'g2'] };

  test('is said before it is paid: no more calls are made than are allowed, and what is known is kept', async () => {
    const at = await openChecking({ sandbox: { seed } });
    const id = await at.stage(FILE);
    const priced = await at.check(id, 20);
    // Two lists of each group, and the users: a page, 25 by name, the deactivated.
    expect(priced).toMatchObject({ state: 'priced', price: { us: 6 + 26 + 1 }, calls: 4 });
    expect(at.requests()).toBe(4);
    expect(priced?.reason).toBe('at most 33 more calls are needed, and 16 are allowed');
    expect(await at.findings(id)).toBeUndefined();
    expect(await at.check(id, 100)).toMatchObject({ state: 'done' });
    expect(await at.findings(id)).toMatchObject({ rows: { fail: 30 } });
  });

  test('of the groups is said before the first call', async () => {
    const at = await openChecking({ sandbox: { seed } });
    const id = await at.stage(FILE);
    expect(await at.check(id, 2)).toMatchObject({ state: 'priced', price: { us: 3 }, calls: 0 });
    expect(at.requests()).toBe(0);
  });
});

describe('a check that does not come to its end', () => {
  test('goes on where it was stopped', async () => {
    const at = await openChecking({
      concurrency: 1,
      sandbox: { seed: { groups: Array.from({ length: 15 }, (_, n) => `g${n}`) } },
    });
    const id = await at.stage(`uid,guid\n${Array.from({ length: 15 }, (_, n) => `u,g${n}`).join('\n')}\n`);
    at.sandbox.faults.set('slow=20ms');
    const ended = at.checks.start(id, 1_000);
    await expect.poll(() => at.checks.works.progress(id)?.done ?? 0, { interval: 5 }).toBeGreaterThan(3);
    await at.checks.works.stop();
    await ended;
    at.sandbox.faults.clear();
    const before = at.requests();
    expect(await at.check(id)).toMatchObject({ state: 'done' });
    // All of it is 15 groups, two lists in each, one user, the deactivated; what was known before is not asked for again.
    expect(at.requests() - before).toBeLessThan(15 + 30 + 1 + 1);
    expect(await at.findings(id)).toMatchObject({ rows: { fail: 15 }, groups: { found: 15 } });
  });

  test('because its process was killed before it wrote anything begins again', async () => {
    const at = await open();
    const id = await at.stage('uid,guid\nanna,team\n');
    writeFileSync(checkFiles(at.dir.folder(id)).check, '');
    expect(await at.check(id)).toMatchObject({ state: 'done' });
  });

  test('because the key is refused says so, and goes on later', async () => {
    const at = await open();
    const id = await at.stage('uid,guid\nanna,team\n');
    at.sandbox.faults.set('refuse-key');
    expect(await at.check(id)).toMatchObject({
      state: 'stopped',
      reason: expect.stringContaining('AUTH_ERR_APIKEY_NOT_FOUND'),
    });
    at.sandbox.faults.clear();
    expect(await at.check(id)).toMatchObject({ state: 'done' });
  });

  test('a group that cannot be read leaves its rows unchecked, and says why', async () => {
    const spoil = (chat: ChatClient) =>
      withList(chat, 'members', async (page) => {
        const read = await page();
        return { ...read, entries: read.entries.slice(1) };
      });
    const at = await openChecking({ chat: spoil, sandbox: { seed: SEED } });
    const id = await at.stage('uid,guid\nanna,team\nfresh,empty\n');
    expect(await at.check(id)).toMatchObject({ state: 'done' });
    expect(at.found(id).map(verdictOf)).toEqual(['2 not_checked UNTRUSTED_LISTING', '3 add (not a member)']);
    expect(await at.findings(id)).toMatchObject({ wouldFail: true, groups: { failed: 1 } });
  });
});

test('rows that would not fit into a group are counted', async () => {
  const crowd = (chat: ChatClient): ChatClient => ({
    ...chat,
    getGroup: async (guid, options) => ({ ...(await chat.getGroup(guid, options)), membersCount: 99_999 }),
  });
  const at = await openChecking({ chat: crowd, sandbox: { seed: SEED } });
  const id = await at.stage('uid,guid\nfresh,empty\nghostless,empty\nmia,empty\n');
  await at.check(id);
  expect(await at.findings(id)).toMatchObject({
    wouldFail: true,
    rows: { add: 3 },
    groups: { full: 1, rowsWithoutRoom: 2 },
  });
});

test('an import that was sent, or has another target, is not checked', async () => {
  const at = await open();
  const { id } = await at.run('uid,guid\nanna,team\n');
  expect(() => at.checks.start(id, 1)).toThrow(
    expect.objectContaining({ code: 'WRONG_STATE', facts: expect.objectContaining({ state: 'completed' }) }),
  );
  const sandboxed = await at.stage('uid,guid\nanna,team\n', { sandbox: true });
  expect(() => at.checks.start(sandboxed, 1)).toThrow(expect.objectContaining({ code: 'WRONG_TARGET' }));
});

test('a file of more rows than the process looks at by itself is checked in a thread, with the same result', async () => {
  const at = await openChecking({ sandbox: { users: 1, groups: 1 } });
  const id = await at.stage(
    `uid,guid\n${Array.from({ length: 20_500 }, (_, n) => `user-${n + 1},group-1`).join('\n')}\n`,
  );
  expect(await at.check(id)).toMatchObject({ state: 'done' });
  expect(await at.findings(id)).toMatchObject({
    rows: { read: 20_500, add: 1, fail: 20_499 },
    users: { unknown: 20_499 },
  });
});

test('while a check begins, and has no tables yet, rows are shown without its verdicts', async () => {
  const at = await open();
  const id = await at.stage('uid,guid\nfresh,team\n');
  const folder = at.dir.folder(id);
  writeFileSync(checkFiles(folder).check, '');
  const ledger = new DatabaseSync(checkFiles(folder).ledger, { readOnly: true });
  expect([checkOfRows(ledger, [1]).size, rowsOfCheck(ledger, 'fail')]).toEqual([0, []]);
  ledger.close();
});

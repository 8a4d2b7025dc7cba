import { describe, expect, test } from 'vitest';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import { withList } from '../chat/with-list.ts';
import { EMBEDDED, openPipeline, type PipelineOptions, type StartOptions } from '../imports/pipeline-harness.ts';
import { openExport } from './exporting.ts';

const MEMBERS = {
  team: { owner: 'boss', moderators: ['mia'], participants: ['anna', 'bob'], usersToBan: ['mallory'] },
  second: { participants: ['anna'] },
};
const USERS = [
  { uid: 'anna', name: 'Anna, "the first"', role: 'staff', tags: ['a', 'b'], metadata: { dept: 'x' } },
  { uid: 'mia', name: '=1+2' },
  { uid: 'gone', deactivated: true },
];

function open(more: Partial<PipelineOptions> & StartOptions = {}) {
  const seed = {
    users: USERS,
    groups: [{ guid: 'team', name: 'The Team', type: 'private' as const, tags: ['t'] }, 'empty'],
    regions: { us: { members: MEMBERS } },
  };
  return openPipeline({ place: EMBEDDED, ...more, sandbox: { users: 0, groups: 0, seed, ...more.sandbox } });
}

const EVERYBODY = [
  'second anna participant',
  'team anna participant',
  'team bob participant',
  'team boss admin',
  'team mallory ban',
  'team mia moderator',
];

test('every member of every group is a row, the banned with the scope ban', async () => {
  const exporting = openExport(await open());
  expect(await exporting.run()).toBeUndefined();
  expect(exporting.members()).toEqual(EVERYBODY);
  expect(exporting.read((reader) => reader.totals())).toEqual({
    groups: 3,
    pending: 0,
    members: 5,
    banned: 1,
    users: 0,
    unknownScopes: 0,
    missing: [],
    failed: [],
  });
  expect(exporting.read((reader) => reader.record())).toMatchObject({ state: 'completed', reason: '' });
});

test('rows have names, and what the group is; formulas in names are made text in CSV and are exact in NDJSON', async () => {
  const exporting = openExport(await open());
  await exporting.run();
  const [header, first] = exporting.text().split('\n');
  expect(header).toBe('uid,guid,scope,region,name,group_name,group_type,group_owner,joined_at');
  expect(first).toMatch(/^anna,second,participant,us,"Anna, ""the first""",second,public,app_system,\d{4}-/);
  expect(exporting.text()).toContain(`\nmia,team,moderator,us,"'=1+2",The Team,private,boss,`);
  const objects = exporting
    .text('members', 'ndjson')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(objects).toContainEqual(
    expect.objectContaining({ uid: 'mia', guid: 'team', scope: 'moderator', region: 'us', name: '=1+2' }),
  );
});

test('users and groups are lists of their own, with their fields, the deactivated and the empty too', async () => {
  const exporting = openExport(await open(), { users: true });
  await exporting.run();
  const read = (list: 'users' | 'groups') =>
    exporting
      .text(list, 'ndjson')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  expect(read('users').map(({ uid }) => uid)).toEqual(['anna', 'bob', 'boss', 'gone', 'mallory', 'mia']);
  expect(read('users')[0]).toMatchObject({
    role: 'staff',
    tags: ['a', 'b'],
    metadata: { dept: 'x' },
    deactivated_at: null,
  });
  expect(read('users')[3]).toMatchObject({ uid: 'gone', deactivated_at: expect.stringMatching(/^\d{4}-/) });
  expect(read('groups').map(({ guid, members }) => `${guid} ${members}`)).toEqual(['empty 0', 'second 1', 'team 4']);
  expect(read('groups')[2]).toMatchObject({ group_name: 'The Team', group_type: 'private', group_tags: ['t'] });
});

test('only the groups that were named, in any case of letters; one that no region has is named', async () => {
  const exporting = openExport(await open(), { groups: ['SECOND', 'none', 'team'], regions: ['us', 'eu'] });
  await exporting.run();
  expect(exporting.members().map((line) => line.toLowerCase())).toEqual(EVERYBODY);
  expect(exporting.read((reader) => reader.totals())).toMatchObject({
    missing: [{ guid: 'none', code: 'ERR_GUID_NOT_FOUND' }],
    failed: [],
  });
  expect(exporting.read((reader) => reader.record()).state).toBe('incomplete');
});

test('an export makes no more calls than it may: it says before what it needs, and goes on when more are allowed', async () => {
  const at = await open();
  const exporting = openExport(at, { groups: ['second', 'team'] });
  await exporting.run(undefined, undefined, 5);
  expect(exporting.read((reader) => reader.record())).toMatchObject({ state: 'priced', price: { us: 6 }, calls: 0 });
  await exporting.run(undefined, undefined, 6);
  expect(exporting.read((reader) => reader.record())).toMatchObject({ state: 'completed', price: null, calls: 6 });
  expect(at.sandbox.calls.us.requests).toBe(6);
});

test('the length of a list is not known before: where it takes more calls than allowed, nothing that was read is lost', async () => {
  const at = await open();
  const exporting = openExport(at);
  await exporting.run(undefined, undefined, 2);
  expect(exporting.read((reader) => reader.record())).toMatchObject({ state: 'priced', price: { us: 6 }, calls: 1 });
  await exporting.run();
  expect(exporting.members()).toEqual(EVERYBODY);
  expect(at.sandbox.calls.us.requests).toBe(7);
});

test('groups alone cost one call for a thousand', async () => {
  const at = await open();
  const exporting = openExport(at, { groupsOnly: true });
  await exporting.run();
  expect(exporting.text('groups').trim().split('\n')).toHaveLength(4);
  expect(at.sandbox.calls.us.requests).toBe(1);
  expect(exporting.read((reader) => reader.record())).toMatchObject({ state: 'completed', calls: 1 });
});

describe('an export that is interrupted', () => {
  test('goes on with the groups that were not read, and asks for nothing twice', async () => {
    const at = await open({ concurrency: 1 });
    const exporting = openExport(at);
    const leaving = new AbortController();
    const left = await exporting.run(leaving.signal, ({ step }) => {
      if (step === 'members') leaving.abort(new Error('Ctrl-C'));
    });
    expect(left).toMatchObject({ message: 'Ctrl-C' });
    expect(exporting.read((reader) => reader.totals())).toMatchObject({ groups: 1, pending: 2 });
    expect(exporting.read((reader) => reader.record()).state).toBe('running');
    const before = at.sandbox.calls.us.requests;
    expect(await exporting.run()).toBeUndefined();
    expect(exporting.members()).toEqual(EVERYBODY);
    // Two groups, each with a list of members and one of the banned; a call that was under way may still have arrived.
    expect([4, 5]).toContain(at.sandbox.calls.us.requests - before);
  });

  test('by a refused key is stopped, says why, and goes on when the key is right', async () => {
    const at = await open();
    const exporting = openExport(at);
    at.sandbox.faults.set('refuse-key');
    expect(await exporting.run()).toBeUndefined();
    expect(exporting.read((reader) => reader.record())).toMatchObject({
      state: 'stopped',
      reason: expect.stringContaining('AUTH_ERR_APIKEY_NOT_FOUND'),
    });
    at.sandbox.faults.clear();
    await exporting.run();
    expect(exporting.members()).toEqual(EVERYBODY);
  });
});

test('a group whose list cannot be trusted is named, and the others are there', async () => {
  const spoil = (chat: ChatClient) =>
    withList(chat, 'members', async (page, guid) => {
      const read = await page();
      return guid === 'team' ? { ...read, entries: read.entries.slice(1) } : read;
    });
  const exporting = openExport(await open({ chat: spoil }));
  await exporting.run();
  expect(exporting.members()).toEqual(['second anna participant']);
  expect(exporting.read((reader) => reader.totals()).failed).toMatchObject([
    { guid: 'team', code: 'UNTRUSTED_LISTING' },
  ]);
});

describe('members that change while they are listed', () => {
  const uids = (from: number, count: number) => Array.from({ length: count }, (_, at) => `u${from + at}`);
  const crowd = { regions: { us: { members: { crowd: { participants: uids(1000, 1500) } } } } };
  /** Does something to the group once, between the pages of its list or the lists. */
  function disturbing(when: 'pages' | 'lists', disturb: (chat: ChatClient) => Promise<unknown>) {
    let done = false;
    return (chat: ChatClient) =>
      withList(chat, 'members', async (page, _, number) => {
        const read = await page();
        if (!done && number === (when === 'pages' ? 1 : 2)) {
          done = true;
          await disturb(chat);
        }
        return read;
      });
  }
  const exported = async (chat: (chat: ChatClient) => ChatClient) => {
    const at = await open({ chat, sandbox: { seed: crowd } });
    const exporting = openExport(at);
    await exporting.run();
    expect(exporting.read((reader) => reader.record())).toMatchObject({ state: 'completed' });
    return exporting.members();
  };

  test('who stays is there once, whoever leaves meanwhile', async () => {
    const members = await exported(disturbing('pages', (chat) => chat.removeMember('crowd', 'u1000')));
    expect(members).toEqual(uids(1001, 1499).map((uid) => `crowd ${uid} participant`));
  });

  test('who joins meanwhile costs no one a place, and is listed at most once', async () => {
    const members = await exported(
      disturbing('pages', (chat) => chat.addMembers('crowd', { participants: ['u1000', 'u1001'], admins: ['u1002'] })),
    );
    expect(new Set(members).size).toBe(members.length);
    expect(members).toEqual(expect.arrayContaining(uids(1000, 1500).map((uid) => `crowd ${uid} participant`)));
  });

  test('who is banned between the two lists is banned', async () => {
    const members = await exported(disturbing('lists', (chat) => chat.addMembers('crowd', { usersToBan: ['u1700'] })));
    expect(members).toHaveLength(1500);
    expect(members).toContain('crowd u1700 ban');
  });
});

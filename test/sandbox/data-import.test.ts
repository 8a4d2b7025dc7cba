import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../../src/sandbox/behaviour.ts';
import { openSandbox } from './open-sandbox.ts';

/** Bulk import of users, groups and members (docs/chat-service.md, 72 to 78). */

const NOW = 1_800_000_000_000;

async function open(behaviour: Partial<Behaviour> = {}) {
  const chat = await openSandbox({ users: 100, groups: 2, now: () => NOW, behaviour });
  const post = async (what: 'users' | 'groups' | 'members', entities: object) => {
    const { status, json } = await chat.ask('POST', `/v3/data_import/${what}`, { body: { [what]: entities } });
    return { status, json, data: json.data, code: json.error?.code };
  };
  return { ...chat, post };
}

const member = (guid: string, uid: string, more: object = {}) => ({
  [`${guid}_member_${uid}`]: { memberId: `${guid}_member_${uid}`, guid, uid, ...more },
});

describe('members', () => {
  test('of several groups come in one call, with their time of joining, and each key has its result', async () => {
    const { post, ask, sandbox } = await open();
    const { status, data } = await post('members', {
      ...member('group-1', 'user-1', { scope: 'admin', joinedAt: 1_799_990_000 }),
      ...member('group-2', 'user-2', { joinedAt: '1799990000' }),
      ...member('group-2', 'user-3', { isBanned: true }),
      ...member('group-2', 'nobody'),
      ...member('nowhere', 'user-1'),
    });
    expect(status).toBe(200);
    expect(data['group-1_member_user-1']).toEqual({
      success: true,
      data: { guid: 'group-1', uid: 'user-1', scope: 'admin', joinedAt: 1_799_990_000 },
    });
    expect(data['group-2_member_nobody']).toMatchObject({ success: false, error: { code: 'ERR_UID_NOT_FOUND' } });
    expect(data['nowhere_member_user-1']).toMatchObject({ success: false, error: { code: 'ERR_GUID_NOT_FOUND' } });
    expect(Object.fromEntries(sandbox.members('us', 'group-2'))).toEqual({ 'user-2': 'participant', 'user-3': 'ban' });
    expect((await ask('GET', '/v3/groups/group-1/members')).json.data[0].joinedAt).toBe(1_799_990_000);
  });

  test('who are in the group already are told apart from failures', async () => {
    const { post } = await open({ importFailure: 'end-call' });
    await post('members', member('group-1', 'user-1'));
    const { status, data } = await post('members', { ...member('group-1', 'user-1'), ...member('group-1', 'user-2') });
    expect([status, data['group-1_member_user-1'].error.code, data['group-1_member_user-2'].success]).toEqual([
      200,
      'ERR_ALREADY_JOINED',
      true,
    ]);
  });

  test.each([
    ['before the group', { joinedAt: 1_000_000_000 }, 'ERR_IMPORT_INVALID_JOINEDAT'],
    ['in the future', { joinedAt: 1_800_000_001 }, 'ERR_IMPORT_INVALID_JOINEDAT'],
    ['that is no time', { joinedAt: 'yesterday' }, 'ERR_IMPORT_INVALID_MEMBER_FORMAT'],
    ['under another key', { memberId: 'other' }, 'ERR_IMPORT_INVALID_MEMBER_FORMAT'],
  ])('a member %s is refused', async (_, more, code) => {
    const { post } = await open();
    const { data } = await post('members', member('group-1', 'user-1', more));
    expect(data['group-1_member_user-1'].error.code).toBe(code);
  });

  test('importFailure=end-call: the first bad one ends the call, and those before it are in', async () => {
    const { post, sandbox } = await open({ importFailure: 'end-call' });
    const { status, code } = await post('members', {
      ...member('group-1', 'user-1'),
      ...member('group-1', 'nobody'),
      ...member('group-1', 'user-2'),
    });
    expect([status, code, [...sandbox.members('us', 'group-1').keys()]]).toEqual([500, 'ERR_EXCEPTION', ['user-1']]);
  });

  test.each<[Behaviour['importDetails'], boolean]>([
    ['create', true],
    ['ignore', false],
  ])('importDetails=%s: who is missing is created: %s', async (importDetails, success) => {
    const { post, sandbox } = await open({ importDetails });
    const details = { userDetails: { uid: 'new', name: 'New' }, groupDetails: { guid: 'made', name: 'Made' } };
    const { data } = await post('members', member('made', 'new', details));
    expect(data['made_member_new'].success).toBe(success);
    expect([sandbox.user('us', 'new')?.name, sandbox.group('us', 'made')?.name]).toEqual(
      success ? ['New', 'Made'] : [undefined, undefined],
    );
  });

  test.each<[Behaviour['importMessages'], string]>([
    ['none', '1'],
    ['written', '2'],
  ])('importMessages=%s: the next message has the id %s', async (importMessages, id) => {
    const { post, add } = await open({ importMessages });
    await post('members', member('group-1', 'user-1'));
    const { json } = await add('group-1', { participants: ['user-2'] });
    expect(json.data.participants['user-2'].data.id).toBe(id);
  });

  test('importReply=twice: the results are in data of data', async () => {
    const { post } = await open({ importReply: 'twice' });
    const { data } = await post('members', member('group-1', 'user-1'));
    expect(data.data['group-1_member_user-1'].success).toBe(true);
  });
});

test('users and groups are made with their time, and say who is there already', async () => {
  const { post, ask } = await open();
  const users = await post('users', {
    anna: { uid: 'anna', name: 'Anna', createdAt: 1_700_000_000, tags: ['staff'] },
    'user-1': { uid: 'user-1', name: 'Other' },
    broken: { uid: 'broken' },
  });
  expect([users.data.anna.success, users.data['user-1'].error.code, users.data.broken.error.code]).toEqual([
    true,
    'ERR_UID_ALREADY_EXISTS',
    'ERR_IMPORT_INVALID_USER_FORMAT',
  ]);
  expect((await ask('GET', '/v3/users/anna')).json.data).toMatchObject({ createdAt: 1_700_000_000, tags: ['staff'] });
  const groups = await post('groups', {
    club: { guid: 'club', name: 'Club', type: 'public', createdAt: 1_700_000_000, owner: 'anna' },
    'group-1': { guid: 'group-1', name: 'Other', type: 'public' },
    shut: { guid: 'shut', name: 'Shut', type: 'password' },
  });
  expect([groups.data.club.success, groups.data['group-1'].error.code, groups.data.shut.error.code]).toEqual([
    true,
    'ERR_GUID_ALREADY_EXISTS',
    'ERR_EMPTY_GROUP_PASS',
  ]);
  expect((await ask('GET', '/v3/groups/club')).json.data).toMatchObject({ createdAt: 1_700_000_000, owner: 'anna' });
});

test('a call has 50 entities at most', async () => {
  const { post } = await open();
  const many = Object.assign({}, ...Array.from({ length: 51 }, (_, at) => member('group-1', `user-${at + 1}`)));
  expect(await post('members', many)).toMatchObject({ status: 400, code: 'ERR_BAD_REQUEST' });
});

test('calls have a budget of their own', async () => {
  const { post, ask } = await open({ importsPerMinute: 2 });
  const statuses = [];
  for (let call = 0; call < 3; call += 1) statuses.push((await post('members', member('group-1', 'user-1'))).status);
  expect([statuses, (await ask('DELETE', '/v3/groups/group-2')).status]).toEqual([[200, 200, 429], 200]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asFlag, asParameter, type WriteOption, written } from '../../src/errors/named-options.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import type { ImportOptions } from '../../src/imports/import-options.ts';
import { adviceFor } from '../../src/imports/report/verdict.ts';
import { type CreateOptions, createOptions } from '../../src/options/create-options.ts';
import type { Behaviour } from '../../src/sandbox/behaviour.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { csv, EMBEDDED, openPipeline, type Pipeline, QUEUE_PLACES, reached } from './pipeline-harness.ts';

const creating = (options: Partial<CreateOptions>): { create: CreateOptions } => ({
  create: createOptions.parse(options),
});
const USERS = { users: true, userNameFrom: 'uid' } as const;
const GROUPS = { groups: true, groupNameFrom: 'guid' } as const;

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`);
const rowsFor = (uids: readonly string[], guid: string) => uids.map((uid) => ({ guid, uid }));

/** Users and groups that there are. */
const known = (users: readonly string[], groups: readonly string[], more: SandboxOptions = {}): SandboxOptions => ({
  users: 0,
  groups: 0,
  seed: { users: [...users], groups: [...groups] },
  ...more,
});

/** Each row's outcome and code, and the sum. */
function outcomes({ rows, counts, summary }: Pipeline, id: string): string[] {
  const { read, ...others } = counts(id);
  expect(Object.values(others).reduce((sum, n) => sum + n, 0)).toBe(read);
  expect(summary(id).rows).toEqual(counts(id));
  return rows(id).map(({ status, code }) => (code === '' ? status : `${status} ${code}`));
}

/** The lines of created.csv, without messages and times. */
function created({ dir }: Pipeline, id: string): string[] {
  const [, ...lines] = readFileSync(join(dir.folder(id), 'created.csv'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => line.split(',').slice(0, 5).join()).toSorted();
}

describe.each(QUEUE_PLACES)('on the $name queue', (place) => {
  test('users whom the service does not know are created, just those, and then added', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(names(30, 'old'), ['team', 'club']) });
    const { run, sandbox, summary } = pipeline;
    const file = csv([
      ...rowsFor([...names(30, 'old'), 'new1', 'New2'], 'team'),
      ...rowsFor(['NEW1', 'new3', 'old1'], 'club'),
    ]);
    const { id, state } = await run(file, creating(USERS));
    expect(state).toBe('completed');
    expect(outcomes(pipeline, id)).toEqual(new Array(35).fill('added'));
    expect(sandbox.user('us', 'new2')).toMatchObject({ name: 'New2' });
    // Three calls for the rows, one for each new user, one for each group that they are in.
    expect(summary(id).calls).toBe(3 + 3 + 2);
  });

  test('groups that are not there are created first, with their first members in the same call', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(names(60, 'u'), ['there']) });
    const { run, sandbox, summary } = pipeline;
    const file = csv([...rowsFor(names(60, 'u'), 'Fresh'), ...rowsFor(['u1'], 'there')]);
    const { id, state } = await run(file, creating({ ...GROUPS, groupType: 'private' }));
    expect(state).toBe('completed');
    expect(outcomes(pipeline, id)).toEqual(new Array(61).fill('added'));
    expect(sandbox.group('us', 'fresh')).toMatchObject({ name: 'Fresh', type: 'private' });
    // Two looks, the group with 25 members, and 35 others in two calls; one call for the other group.
    expect(summary(id).calls).toBe(2 + 1 + 2 + 1);
  });

  test('the report says per row what was created, and the summary counts it beside the outcomes', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['ann'], []) });
    const file = csv([...rowsFor(['ann', 'bob'], 'team'), ...rowsFor(['bob'], 'club')]);
    const { id } = await pipeline.run(file, creating({ ...USERS, ...GROUPS }));
    expect(outcomes(pipeline, id)).toEqual(['added', 'added', 'added']);
    expect(pipeline.rows(id).map(({ created }) => created)).toEqual(['group', 'user+group', 'user+group']);
    expect(pipeline.summary(id).created).toEqual({ users: 1, groups: 2, reactivated: 0 });
    expect(created(pipeline, id)).toEqual(['group,us,club,created,', 'group,us,team,created,', 'user,us,bob,created,']);
  });

  test('a reply that was lost makes it uncertain who created something, and the file that names it says so', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['ann'], ['team'], { faults: 'reset-created=1' }) });
    const { id } = await pipeline.run(csv(rowsFor(['ann', 'bob'], 'team')), creating(USERS));
    expect(created(pipeline, id)).toEqual(['user,us,bob,created,ERR_UID_ALREADY_EXISTS']);
  });

  test.each([
    ['replies that are lost after something was created', 'reset-created=2'],
    ['connections that break', 'reset-before=1,reset-after=2'],
    ['a rate limit of the service', 'too-many=1'],
    ['a server that is out of order', 'error=1,unavailable=1'],
  ])('%s: everyone is created once and added, and the sum holds', async (_, faults) => {
    const pipeline = await openPipeline({ place, sandbox: known(names(10, 'old'), ['there'], { faults }) });
    const file = csv([...rowsFor([...names(10, 'old'), ...names(10, 'new')], 'fresh'), ...rowsFor(['new1'], 'there')]);
    const { id, state } = await pipeline.run(file, creating({ ...USERS, ...GROUPS }));
    expect(state).toBe('completed');
    for (const outcome of outcomes(pipeline, id)) expect(outcome).toMatch(/^(added|already_member .*)$/);
    expect(pipeline.sandbox.members('us', 'fresh').size).toBe(20);
    expect(pipeline.summary(id).created).toEqual({ users: 10, groups: 1, reactivated: 0 });
  });
});

const place = EMBEDDED;

describe('the guard', () => {
  test('creates no one when more users are missing than may be created; the rest is sent, and resume goes on', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(names(5, 'old'), ['team']) });
    const { run, sandbox, coordinator } = pipeline;
    const file = csv(rowsFor([...names(5, 'old'), ...names(4, 'ghost')], 'team'));
    const { id, state, code, reason, remedy } = await run(file, creating({ ...USERS, max: { users: { count: 3 } } }));
    expect([state, code]).toEqual(['blocked', 'CREATE_LIMIT']);
    expect(reason).toContain('4 users');
    expect(written(JSON.parse(remedy ?? ''), asFlag)).toMatch(/--max-create users=4$/);
    expect(sandbox.members('us', 'team').size).toBe(5);
    expect(sandbox.user('us', 'ghost1')).toBeUndefined();

    // However often it is asked for, nothing changes.
    await coordinator.resume(id);
    expect((await coordinator.settled(id)).state).toBe('blocked');
    expect(sandbox.user('us', 'ghost1')).toBeUndefined();

    await coordinator.resume(id, { maxCreate: { users: { count: 4 } } });
    expect((await coordinator.settled(id)).state).toBe('completed');
    expect(outcomes(pipeline, id)).toEqual(new Array(9).fill('added'));
  });

  test('sends nothing when more groups are missing than may be created', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['ann'], ['there']) });
    const file = csv(['there', ...names(3, 'ghost')].flatMap((guid) => rowsFor(['ann'], guid)));
    const { id, state, reason } = await pipeline.run(file, creating({ ...GROUPS, max: { groups: { count: 2 } } }));
    expect(state).toBe('blocked');
    expect(reason).toContain('3 groups');
    expect(pipeline.sandbox.group('us', 'ghost1')).toBeUndefined();
    expect(pipeline.sandbox.members('us', 'there').size).toBe(0);
    await pipeline.coordinator.resume(id, { maxCreate: { groups: { percent: 75 } } });
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(outcomes(pipeline, id)).toEqual(new Array(4).fill('added'));
  });

  test('at exactly its limit lets everything through, and a share counts the users of the file', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(names(8, 'old'), ['team']) });
    const file = csv(rowsFor([...names(8, 'old'), 'new1', 'new2'], 'team'));
    const held = await pipeline.run(file, creating({ ...USERS, max: { users: { percent: 19 } } }));
    expect(held.state).toBe('blocked');
    await pipeline.coordinator.cancel(held.id);
    await pipeline.coordinator.settled(held.id);
    const { id, state } = await pipeline.run(file, creating({ ...USERS, max: { users: { percent: 20 } } }));
    expect(state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ added: 2, already_member: 8 });
  });

  test('that is answered with cancel leaves rows as the service refused them, and creates nothing', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['ann'], ['team']) });
    const { id } = await pipeline.run(
      csv(rowsFor(['ann', 'ghost'], 'team')),
      creating({ ...USERS, max: { users: { count: 0 } } }),
    );
    await pipeline.coordinator.cancel(id);
    expect((await pipeline.coordinator.settled(id)).state).toBe('cancelled');
    expect(outcomes(pipeline, id)).toEqual(['added', 'failed ERR_UID_NOT_FOUND']);
    expect(pipeline.sandbox.user('us', 'ghost')).toBeUndefined();
  });

  test('holds its limit after a restart', async () => {
    const pipeline = await openPipeline({ place, sandbox: known([], ['team']) });
    const file = csv(rowsFor(names(3, 'ghost'), 'team'));
    const { id } = await pipeline.run(file, creating({ ...USERS, max: { users: { count: 2 } } }));
    await pipeline.stop();
    await pipeline.restart();
    await pipeline.coordinator.resume(id);
    expect((await pipeline.coordinator.settled(id)).state).toBe('blocked');
    expect(pipeline.sandbox.user('us', 'ghost1')).toBeUndefined();
  });
});

describe('a user who is deactivated', () => {
  const deactivated: SandboxOptions = {
    users: 0,
    groups: 0,
    seed: { users: ['ann', { uid: 'bob', name: 'Bob', deactivated: true }], groups: ['team'] },
  };
  const file = csv(rowsFor(['ann', 'bob'], 'team'));

  test('is not created, and the row says so', async () => {
    const pipeline = await openPipeline({ place, sandbox: deactivated });
    const { id } = await pipeline.run(file, creating(USERS));
    expect(outcomes(pipeline, id)).toEqual(['added', 'failed USER_DEACTIVATED']);
    const { message = '' } = pipeline.rows(id)[1] ?? {};
    expect(message).toMatch(/deactivated$/);
    // The advice is worded where it is shown, for the surface.
    const advice = (write: WriteOption) => adviceFor('failed', 'USER_DEACTIVATED', write);
    expect([advice(asFlag), advice(asParameter)]).toEqual([
      expect.stringContaining('with --reactivate'),
      expect.not.stringContaining('--'),
    ]);
    expect(pipeline.sandbox.user('us', 'bob')?.deactivatedAt).toBeDefined();
  });

  test.each([
    ['with', { ...USERS, reactivate: true }],
    ['without', { reactivate: true }],
  ])('becomes active with --reactivate, %s --create-users', async (_, options) => {
    const pipeline = await openPipeline({ place, sandbox: deactivated });
    const { id } = await pipeline.run(file, creating(options));
    expect(outcomes(pipeline, id)).toEqual(['added', 'added']);
    expect(pipeline.rows(id)[1]?.created).toBe('reactivated');
    expect(pipeline.sandbox.user('us', 'bob')).toMatchObject({ name: 'Bob' });
    expect(pipeline.summary(id).created).toEqual({ users: 0, groups: 0, reactivated: 1 });
  });

  test('becomes active without a name in its row, and one who does not exist and has no name says NO_NAME', async () => {
    const pipeline = await openPipeline({ place, sandbox: deactivated });
    const content = 'guid,uid,name\nteam,bob,\nteam,ghost,\nteam,new,New\n';
    const { id } = await pipeline.run(content, creating({ users: true, reactivate: true }));
    expect(outcomes(pipeline, id)).toEqual(['added', 'failed NO_NAME', 'added']);
    expect(pipeline.summary(id).created).toEqual({ users: 1, groups: 0, reactivated: 1 });
  });

  test.each([
    ['was carried out', 2, [['bob', 'cat']]],
    ['was carried out for one', 1, [['bob', 'cat'], ['cat']]],
  ])('is asked for when a call to reactivate that %s got no answer, and is named once', async (_, done, calls) => {
    const asked: (readonly string[])[] = [];
    const users = ['ann', ...['bob', 'cat'].map((uid) => ({ uid, name: uid, deactivated: true }))];
    const pipeline = await openPipeline({
      place,
      sandbox: { users: 0, groups: 0, seed: { users, groups: ['team'] } },
      chat: (service) => ({
        ...service,
        reactivateUsers: async (uids, options) => {
          asked.push(uids);
          if (asked.length > 1) return service.reactivateUsers(uids, options);
          await service.reactivateUsers(uids.slice(0, done), options);
          throw new RollcallError('CONNECTION_LOST', { what: 'the reply was lost', maybeCarriedOut: true });
        },
      }),
    });
    const { id } = await pipeline.run(csv(rowsFor(['ann', 'bob', 'cat'], 'team')), creating({ reactivate: true }));
    expect(asked).toEqual(calls);
    expect(outcomes(pipeline, id)).toEqual(['added', 'added', 'added']);
    expect(pipeline.rows(id).map(({ created }) => created)).toEqual(['', 'reactivated', 'reactivated']);
    expect(pipeline.summary(id).created).toEqual({ users: 0, groups: 0, reactivated: 2 });
  });

  test('differs from one who does not exist at all, where only reactivating is allowed', async () => {
    const pipeline = await openPipeline({ place, sandbox: deactivated });
    const { id } = await pipeline.run(csv(rowsFor(['ghost', 'bob'], 'team')), creating({ reactivate: true }));
    expect(outcomes(pipeline, id)).toEqual(['failed ERR_UID_NOT_FOUND', 'added']);
  });
});

describe('someone else', () => {
  test('who creates the same user and group at that moment is not a problem: they exist', async () => {
    const pipeline = await openPipeline({
      place,
      sandbox: known([], []),
      chat: (service) => ({
        ...service,
        createUser: async (user, options) => {
          pipeline.sandbox.addUser('us', user.uid);
          return service.createUser(user, options);
        },
        createGroup: async (group, members, options) => {
          pipeline.sandbox.addGroup('us', group.guid);
          return service.createGroup(group, members, options);
        },
      }),
    });
    const { id } = await pipeline.run(csv(rowsFor(['ann', 'bob'], 'team')), creating({ ...USERS, ...GROUPS }));
    expect(outcomes(pipeline, id)).toEqual(['added', 'added']);
    expect(pipeline.rows(id).map(({ created }) => created)).toEqual(['', '']);
    expect(pipeline.summary(id).created).toBeUndefined();
  });
});

describe('what is sent', () => {
  const file = (lines: readonly string[]) =>
    `${['guid,uid,First Name,Last Name,Avatar,Tags,metadata,Group Name,Group Type,Group Owner', ...lines].join('\n')}\n`;

  test('comes from the columns of the rows, the first that says something', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['boss'], []) });
    const content = file([
      'team,ann,,,,,,,,',
      'team,bob,Bob,Brown,https://example.org/b.png,a;b,"{""x"":1}",The Team,Private,boss',
    ]);
    const { id } = await pipeline.run(content, creating({ ...USERS, groups: true }));
    expect(outcomes(pipeline, id)).toEqual(['added', 'added']);
    expect(pipeline.sandbox.group('us', 'team')).toMatchObject({ name: 'The Team', type: 'private', owner: 'boss' });
    expect(pipeline.sandbox.user('us', 'ann')).toMatchObject({ name: 'ann' });
    expect(pipeline.sandbox.user('us', 'bob')).toMatchObject({
      name: 'Bob Brown',
      avatar: 'https://example.org/b.png',
      tags: ['a', 'b'],
      metadata: { x: 1 },
    });
  });

  test('has the sizes that the service takes: of others the file says so when it is read, and nothing is sent', async () => {
    const pipeline = await openPipeline({ place, sandbox: known([], ['team']) });
    const long = (length: number) => 'x'.repeat(length);
    const metadata = `"{""note"":""${long(5_200)}""}"`;
    const content = file([
      `team,a,${long(101)},,,,,,,`,
      `team,b,B,,https://example.org/${long(3_000)},,,,,`,
      `team,c,C,,,,${metadata},,,`,
      `team,d,D,,,${Array.from({ length: 26 }, (_, n) => n).join(';')},,,,`,
      `team,e,E,,,ok;${long(101)},,,,`,
      `team,f,${'😀'.repeat(100)},,,,,,,`,
    ]);
    const { id } = await pipeline.run(content, creating({ users: true }));
    expect(outcomes(pipeline, id)).toEqual([...Array(5).fill('failed FIELD_LIMIT'), 'added']);
    expect(pipeline.rows(id).map(({ message = '' }) => /its (.+)/.exec(message)?.[1])).toEqual([
      'name has 101 characters, and the service takes 100',
      'avatar has 3,020 characters, and the service takes 3,000',
      'metadata has 5,211 bytes, and the service takes 5,120',
      'list of tags has 26 tags, and the service takes 25',
      'longest tag has 101 characters, and the service takes 100',
      undefined,
    ]);
    expect(pipeline.sandbox.user('us', 'a')).toBeUndefined();
    const text = expect.stringContaining('5 rows');
    expect(pipeline.summary(id).notes).toEqual([{ code: 'FIELD_LIMIT', text }]);
  });

  test('a user without a name is not created unless the UID may be one, and its row says so', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['boss'], ['team']) });
    const content = file(['team,ann,,,,,,,,', 'team,bob,Bob,,,,,,,']);
    const { id } = await pipeline.run(content, creating({ users: true }));
    expect(outcomes(pipeline, id)).toEqual(['failed NO_NAME', 'added']);
  });

  test('without any column for names nothing is sent at all', async () => {
    const pipeline = await openPipeline({ place, sandbox: known([], []) });
    const { state, code, remedy, id } = await pipeline.run(csv(rowsFor(['ann'], 'team')), creating({ users: true }));
    expect([state, code]).toEqual(['staged', 'CREATE_WITHOUT_NAME']);
    expect(remedy).toContain('{"option":"userNameFrom","value":"uid"}');
    await expect(pipeline.coordinator.resume(id)).rejects.toMatchObject({ code: 'CREATE_WITHOUT_NAME' });
    expect(pipeline.sandbox.calls.us.requests).toBe(0);
  });

  test('an owner whom the service does not know is created before the group', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['ann'], []) });
    const content = file(['team,ann,,,,,,The Team,,boss', 'team,boss,The,Boss,,,,,,']);
    const { id } = await pipeline.run(content, creating({ users: true, groups: true }));
    expect(outcomes(pipeline, id)).toEqual(['added', 'already_member ERR_ALREADY_JOINED']);
    expect(pipeline.sandbox.group('us', 'team')).toMatchObject({ owner: 'boss' });
    expect(pipeline.sandbox.user('us', 'boss')).toMatchObject({ name: 'The Boss' });
  });

  test('a group that the service refuses to create fails with its rows, and the others go on', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['ann'], ['there']) });
    const content = file(['secret,ann,,,,,,Secret,password,', 'there,ann,,,,,,There,,', 'fine,ann,,,,,,Fine,,']);
    const { id, state } = await pipeline.run(content, creating({ groups: true }));
    expect(state).toBe('completed');
    expect(outcomes(pipeline, id)).toEqual(['failed ERR_EMPTY_GROUP_PASS', 'added', 'added']);
    expect(pipeline.rows(id)[0]?.message).toContain('be created');
  });

  test('a role that does not exist refuses the user, and its rows say why', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['ann'], ['team']) });
    const { id } = await pipeline.run(csv(rowsFor(['ann', 'bob'], 'team')), creating({ ...USERS, userRole: 'wizard' }));
    expect(outcomes(pipeline, id)).toEqual(['added', 'failed ERR_ROLE_NOT_FOUND']);
  });
});

describe('members of a new group', () => {
  const file = csv([...rowsFor(names(30, 'u'), 'team'), { guid: 'team', uid: 'bad', scope: 'ban' as const }]);

  test.each<[Behaviour['membersOfNewGroup'], boolean]>([
    ['add', true],
    ['add-silently', true],
    ['ignore', true],
    ['refuse', true],
    ['add', false],
  ])(
    'end up in it once, where the service does this with them: %s (sent with the group: %s)',
    async (behaviour, members) => {
      const pipeline = await openPipeline({
        place,
        sandbox: known([...names(30, 'u'), 'bad'], [], { behaviour: { membersOfNewGroup: behaviour } }),
      });
      const { id } = await pipeline.run(file, creating({ ...GROUPS, membersWithGroup: members }));
      for (const outcome of outcomes(pipeline, id)) expect(outcome).toMatch(/^(added|banned|already_member .*)$/);
      expect(pipeline.sandbox.members('us', 'team').size).toBe(31);
      if (behaviour === 'add') expect(pipeline.counts(id)).toMatchObject({ added: 30, banned: 1 });
    },
  );

  test('who act for someone wait until the group is there', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['boss', 'ann'], []) });
    const rows = [{ guid: 'team', uid: 'ann', onBehalfOf: 'boss' }];
    const { id } = await pipeline.run(csv(rows), creating({ ...GROUPS, groupOwner: 'boss' }));
    expect(outcomes(pipeline, id)).toEqual(['added']);
  });
});

describe('a new group without an owner', () => {
  const actFor = (onBehalfOf: string, uids: readonly string[]) =>
    uids.map((uid) => ({ guid: 'team', uid, scope: 'moderator', onBehalfOf }) as const);

  test('is created by the one user who acts in it, who then owns it, and with the first rows of this user', async () => {
    const pipeline = await openPipeline({ place, sandbox: known([...names(30, 'u'), 'boss'], []) });
    const { id } = await pipeline.run(
      csv([...rowsFor(['u30'], 'team'), ...actFor('Boss', names(29, 'u'))]),
      creating(GROUPS),
    );
    expect(outcomes(pipeline, id)).toEqual(new Array(30).fill('added'));
    expect(pipeline.sandbox.group('us', 'team')).toMatchObject({ owner: 'boss' });
    expect(pipeline.sandbox.members('us', 'team').get('boss')).toBe('admin');
    // The look, the group with 25 members, 4 others, and the row without an acting user.
    expect(pipeline.summary(id).calls).toBe(1 + 1 + 1 + 1);
  });

  test('is created by a user who does not exist yet, where users may be created', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['ann'], []) });
    const { id } = await pipeline.run(csv(actFor('boss', ['ann'])), creating({ ...USERS, ...GROUPS }));
    expect(outcomes(pipeline, id)).toEqual(['added']);
    expect(created(pipeline, id)).toEqual(['group,us,team,created,', 'user,us,boss,created,']);
  });

  test('belongs to the service where several users act in it', async () => {
    const pipeline = await openPipeline({ place, sandbox: known(['ann', 'bob', 'boss', 'chief'], []) });
    const file = csv([...actFor('boss', ['ann']), ...actFor('chief', ['bob'])]);
    const { id } = await pipeline.run(file, creating(GROUPS));
    expect(outcomes(pipeline, id)).toEqual(new Array(2).fill('failed ERR_GROUP_NOT_JOINED'));
    expect(pipeline.sandbox.group('us', 'team')).toMatchObject({ owner: 'app_system' });
  });
});

test('nobody is created to be banned, and no group for bans alone', async () => {
  const pipeline = await openPipeline({ place, sandbox: known([], ['there']) });
  const rows = ['there', 'nowhere'].map((guid) => ({ guid, uid: 'ghost', scope: 'ban' as const }));
  const { id } = await pipeline.run(csv(rows), creating({ ...USERS, ...GROUPS }));
  expect(outcomes(pipeline, id)).toEqual(['failed ERR_UID_NOT_FOUND', 'failed ERR_GUID_NOT_FOUND']);
  expect(pipeline.sandbox.user('us', 'ghost')).toBeUndefined();
});

test('nobody is created to be changed, removed or unbanned', async () => {
  const pipeline = await openPipeline({ place, sandbox: known([], ['there']) });
  const { id } = await pipeline.run('uid,guid,scope,action\na,there,,unban\nb,there,,remove\nc,there,admin,change\n', {
    ...creating(USERS),
    shape: { actions: { column: 'action' } },
  } as Partial<ImportOptions>);
  expect(outcomes(pipeline, id)).toEqual(new Array(3).fill('failed ERR_UID_NOT_FOUND'));
  expect(pipeline.sandbox.user('us', 'a')).toBeUndefined();
});

test('an ordinary import creates nothing and reports what it always reported', async () => {
  const pipeline = await openPipeline({ place, sandbox: known(['ann'], ['team']) });
  const { id } = await pipeline.run(csv([...rowsFor(['ann', 'ghost'], 'team'), ...rowsFor(['ann'], 'nowhere')]));
  expect(outcomes(pipeline, id)).toEqual(['added', 'failed ERR_UID_NOT_FOUND', 'failed ERR_GUID_NOT_FOUND']);
});

test('an import that is paused in the middle of creating goes on and creates no one twice', async () => {
  let created = 0;
  const pipeline = await openPipeline({
    place,
    sandbox: known([], ['team']),
    concurrency: 1,
    chat: (service) => ({
      ...service,
      createUser: async (user, options) => {
        created += 1;
        if (created === 3) void pipeline.coordinator.pause(id);
        return service.createUser(user, options);
      },
    }),
  });
  const id: string = await pipeline.send(csv(rowsFor(names(10, 'new'), 'team')), creating(USERS));
  await reached(pipeline.coordinator, id, 'paused');
  await pipeline.coordinator.resume(id);
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(outcomes(pipeline, id)).toEqual(new Array(10).fill('added'));
  expect(created).toBe(10);
});

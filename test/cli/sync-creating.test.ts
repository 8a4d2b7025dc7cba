import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { openSandboxPlace } from './workplace.ts';

const FILE = [
  'guid,uid,name,group_name',
  'team,ann,Ann,',
  'choir,ann,Ann,The Choir',
  'choir,bob,Bob,The Choir',
  'choir,eve,Eve,The Choir',
].join('\n');

const idIn = (text: string) => /sync-\d{8}-\d{6}-\w{3}/.exec(text)?.[0] ?? '';
const openPlace = async () => {
  const place = await openSandboxPlace({
    users: 0,
    groups: 0,
    seed: { users: ['ann', 'cid'], regions: { us: { members: { team: { participants: ['cid'] } } } } },
  });
  place.file('m.csv', FILE);
  return place;
};

test('the plan names the groups and users that it would create and what that costs; what it created is in its report, and stays after an undo', async () => {
  const place = await openPlace();
  const { sandbox } = place;
  const without = await place.run(['sync', 'm.csv']);
  expect(without.stdout).toContain('choir (us): ');
  expect(without.stderr).toContain('--create-groups');

  const planned = await place.run(['sync', 'm.csv', '--create-users', '--create-groups']);
  expect(planned.code).toBe(EXIT.ok);
  expect(planned.stdout).toContain('6 calls');
  expect(planned.stdout).toContain('The Choir');
  expect(sandbox.group('us', 'choir')).toBeUndefined();
  const id = idIn(planned.stderr);
  const applied = await place.run(['sync', 'apply', id, '--json']);
  expect([applied.code, JSON.parse(applied.stdout)]).toMatchObject([
    EXIT.ok,
    {
      state: 'applied',
      totals: { create: { groups: 1, users: 2, calls: 6 } },
      import: { created: { users: 2, groups: 1 } },
    },
  ]);
  expect((await place.run(['report', id])).stdout).toMatch(/bob,.*user\+group/);
  expect((await place.run(['sync', 'm.csv', '--create-users', '--create-groups'])).stdout).toContain('to do');

  const kept = await place.run(['undo', id, '--apply']);
  expect([kept.code, kept.stderr]).toEqual([EXIT.ok, expect.stringContaining('created.csv')]);
  expect([sandbox.group('us', 'choir'), sandbox.user('us', 'bob')]).not.toContain(undefined);
});

test('above --max-create a plan is held with the numbers; users who are missing only later make its import wait, and resume ends the sync', async () => {
  const place = await openPlace();
  const { sandbox } = place;
  const create = ['--create-users', '--create-groups', '--apply'];
  const held = await place.run(['sync', 'm.csv', ...create, '--max-create', 'users=1,groups=0']);
  expect(held.code).toBe(EXIT.stopped);
  expect(held.stdout).toContain('choir (us)');
  expect(held.stdout).toContain('bob, eve');
  expect(sandbox.group('us', 'choir')).toBeUndefined();
  expect((await place.run(['sync', 'approve', idIn(held.stderr), '--reason', 'a new choir'])).code).toBe(EXIT.ok);
  expect([...sandbox.members('us', 'choir').keys()]).toEqual(['ann', 'bob', 'eve']);

  place.file('more.csv', 'guid,uid\nchoir,cid\n');
  const planned = await place.run(['sync', 'more.csv', '--reactivate', '--max-create', '0']);
  const id = idIn(planned.stderr);
  sandbox.setActive('us', 'cid', false);
  const waits = await place.run(['sync', 'apply', id]);
  expect([waits.code, waits.stderr]).toEqual([EXIT.stopped, expect.stringContaining('[CREATE_LIMIT]')]);
  const shown = await place.run(['sync', 'show', id]);
  expect(shown.stderr).toMatch(/--max-create users=1/);
  const [, resume = ''] = /^ {2}rollcall (resume .*)$/m.exec(waits.stderr) ?? [];
  expect(resume).toMatch(/--max-create users=1$/);
  expect((await place.run(resume.split(' '))).code).toBe(EXIT.ok);
  const after = await place.run(['sync', 'show', id]);
  expect([after.stdout, after.stderr]).toEqual([expect.stringContaining('  applied  '), '']);
  expect(sandbox.members('us', 'choir').has('cid')).toBe(true);
});

test('a schedule keeps what its runs may create, and shows it; a night that would create too much waits', async () => {
  const place = await openPlace();
  const add = ['schedule', 'add', 'nightly', '--cron', '30 2 * * *', '--tz', 'UTC', '--file', 'm.csv', '--apply'];
  const added = await place.run([...add, '--create-groups', '--create-users', '--max-create', 'groups=0', '--json']);
  expect([added.code, JSON.parse(added.stdout)]).toMatchObject([
    EXIT.ok,
    { create: { users: true, groups: true, reactivate: false, maxCreate: 'users=100,groups=0' } },
  ]);
  const list = await place.run(['schedule', 'list']);
  expect(list.stdout).toContain('100 users');
  expect((await place.run(['schedule', 'run', 'nightly'])).code).toBe(EXIT.stopped);
  const history = await place.run(['schedule', 'history', 'nightly']);
  expect(history.stdout).toContain('choir (us)');
  const id = idIn(history.stdout);
  expect((await place.run(['sync', 'approve', id, '--reason', 'a new choir'])).code).toBe(EXIT.ok);
  expect([...place.sandbox.members('us', 'choir').keys()]).toEqual(['ann', 'bob', 'eve']);
});

import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openImportReader } from '../../src/imports/report/import-reader.ts';
import { totalsOf } from '../../src/imports/report/summarize.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { openSandboxPlace } from '../cli/workplace.ts';
import { eventually } from '../imports/pipeline-harness.ts';

const NEW_USERS = 30;
const NEW_GROUPS = 12;
test('kill -9 in the middle of a sync that creates, again and again: nothing is created twice, and nothing is lost', async () => {
  const place = await openSandboxPlace({ users: 0, groups: 0, seed: { users: ['ann'] }, latencyMs: [20, 60] });
  const users = Array.from({ length: NEW_USERS }, (_, n) => `new${n}`);
  const groups = Array.from({ length: NEW_GROUPS }, (_, n) => `team${n}`);
  const membersOf = (at: number) => ['ann', ...users.filter((_, n) => n % NEW_GROUPS === at)];
  const rows = groups.flatMap((guid, at) => membersOf(at).map((uid) => `${guid},${uid}`));
  place.file('m.csv', ['guid,uid', ...rows].join('\n'));
  const create = ['--create-users', '--create-groups', '--user-name-from', 'uid', '--group-name-from', 'guid'];
  const sync = ['sync', 'm.csv', '--mode', 'mirror', '--missing', 'remove', ...create];
  const planned = await place.run([...sync, '--max-create', `users=${NEW_USERS},groups=${NEW_GROUPS}`]);
  const id = /sync-\d{8}-\d{6}-\w{3}/.exec(planned.stderr)?.[0] ?? '';
  expect(planned.stdout).toContain(`Created first: ${NEW_GROUPS} groups, ${NEW_USERS} users`);

  const { sandbox } = place;
  const calls = () => sandbox.calls.us.requests;
  const groupsThere = () => groups.filter((guid) => sandbox.group('us', guid) !== undefined).length;
  const usersThere = () => users.filter((uid) => sandbox.user('us', uid) !== undefined).length;
  // While it plans again, looks for groups, creates them, and creates users.
  const moments: readonly (readonly [() => number, number])[] = [
    [calls, calls() + 6],
    [groupsThere, 1],
    [groupsThere, 6],
    [usersThere, 1],
    [usersThere, 18],
  ];
  for (const [count, goal] of moments) {
    const { child, ended } = place.start(['sync', 'apply', id]);
    await Promise.race([eventually(count).toBeGreaterThanOrEqual(goal), ended]);
    expect(child.exitCode, 'it was killed before its end').toBe(null);
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }
  expect((await place.run(['sync', 'apply', id])).code).toBe(0);

  const reader = openImportReader(dataDir(place.dataDir).ledger(id));
  const reported = reader.rows().toArray();
  const { created } = totalsOf(reader.counters(), true);
  reader.close();
  expect(reported).toHaveLength(rows.length);
  for (const { status, message } of reported) {
    if (status === 'added') continue;
    expect([status, message]).toEqual(['already_member', expect.stringContaining('earlier call')]);
  }
  expect(created).toEqual({ users: NEW_USERS, groups: NEW_GROUPS, reactivated: 0 });
  for (const [at, guid] of groups.entries()) {
    expect([...place.sandbox.members('us', guid).keys()].toSorted(), guid).toEqual(membersOf(at).toSorted());
  }
  expect((await place.run(sync)).stdout).toContain('Nothing to do');
});

import { expect, test } from 'vitest';
import { importSummary } from '../../src/api/import-summary.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { openSandboxPlace, until } from './workplace.ts';

const USERS = Array.from({ length: 24 }, (_, n) => `new${n}`);
const GROUPS = Array.from({ length: 8 }, (_, n) => `team${n}`);

test('kill -9 while what an import created is deleted: the next run deletes the rest, and no one else', async () => {
  const place = await openSandboxPlace({ users: 0, seed: { users: ['ann'], groups: ['old'] }, latencyMs: 20 });
  const rows = [
    ...GROUPS.map((guid) => `${guid},ann`),
    ...USERS.map((uid, at) => `${GROUPS[at % GROUPS.length]},${uid}`),
    'old,ann',
  ];
  const file = place.file('m.csv', `guid,uid\n${rows.join('\n')}\n`);
  const names = ['--create-users', '--create-groups', '--user-name-from', 'uid', '--group-name-from', 'guid'];
  const sent = await place.run(['import', file, ...names, '--json']);
  const { id, created } = importSummary.parse(JSON.parse(sent.stdout));
  expect(created).toEqual({ users: USERS.length, groups: GROUPS.length, reactivated: 0 });
  const undo = ['undo', id, '--created', '--apply', '--yes'];
  const left = () => ({
    groups: GROUPS.filter((guid) => place.sandbox.group('us', guid) !== undefined).length,
    users: USERS.filter((uid) => place.sandbox.user('us', uid) !== undefined).length,
  });
  // Once among the groups, once among the users.
  for (const kind of ['groups', 'users'] as const) {
    const before = left()[kind];
    const run = place.start(undo);
    const reached = until(() => left()[kind] < before - 2);
    await Promise.race([reached, run.ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    run.child.kill('SIGKILL');
    await run.ended;
    expect(left().users).toBeGreaterThan(0);
  }
  const done = await place.run(undo);
  expect([done.code, done.stderr]).toEqual([EXIT.ok, expect.stringContaining('deleted.')]);
  expect(left()).toEqual({ groups: 0, users: 0 });
  expect(place.sandbox.user('us', 'ann')).toBeDefined();
  expect(place.sandbox.group('us', 'old')).toBeDefined();
  const report = await place.run(['report', id, '--format', 'ndjson']);
  const said = report.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const { _uid, _guid, _created } of said) {
    const parts = [...(_uid === 'ann' ? [] : ['user (deleted)']), ...(_guid === 'old' ? [] : ['group (deleted)'])];
    expect(_created, `${_uid} in ${_guid}`).toBe(parts.join('+'));
  }
});

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { importSummary } from '../../src/api/import-summary.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { openSandboxPlace, openWorkplace } from './workplace.ts';

const FILE = ['guid,uid,name,group_name', 'team,ann,Ann,The Team', 'team,bob,Bob,The Team', 'team,eve,Eve,'].join('\n');

test('--create-users and --create-groups create what the file needs; above --max-create the import waits for resume', async () => {
  const place = await openSandboxPlace({ users: 0, seed: { users: ['ann'] } });
  place.file('m.csv', FILE);
  const held = await place.run(['import', 'm.csv', '--create-users', '--create-groups', '--max-create', 'users=1']);
  expect(held.code).toBe(EXIT.stopped);
  expect(held.stderr).toContain('[CREATE_LIMIT]');
  const [, resume = ''] = /^ {2}rollcall (resume .*)$/m.exec(held.stderr) ?? [];
  expect(resume).toMatch(/--max-create users=2$/);
  expect(place.sandbox.user('us', 'bob')).toBeUndefined();

  const done = await place.run([...resume.split(' '), '--json']);
  expect(done.code).toBe(EXIT.ok);
  expect(importSummary.parse(JSON.parse(done.stdout))).toMatchObject({
    rows: { read: 3, added: 3 },
    created: { users: 2, groups: 1, reactivated: 0 },
  });
  expect((await place.run(['status'])).stdout).toContain('2 users');
  expect(place.sandbox.user('us', 'eve')).toMatchObject({ name: 'Eve' });
  expect(place.sandbox.group('us', 'team')).toMatchObject({ name: 'The Team' });
  const report = await place.run(['report']);
  expect(report.stdout.split('\n')[0]).toContain('_created');

  const id = importSummary.parse(JSON.parse(done.stdout)).id;
  const undone = await place.run(['undo', id, '--apply']);
  const [, named = ''] = /^ {2}(\S+created\.csv)$/m.exec(undone.stderr) ?? [];
  const [head, ...things] = readFileSync(resolve(place.root, named), 'utf8').trimEnd().split('\n');
  expect(head).toBe('kind,region,id,outcome,code,message,at');
  expect(things.map((line) => line.split(',').slice(0, -1).join())).toEqual([
    'group,us,team,created,,',
    'user,us,bob,created,,',
    'user,us,eve,created,,',
  ]);
  expect(['ann', 'bob', 'eve'].map((uid) => place.sandbox.user('us', uid)?.uid)).toEqual(['ann', 'bob', 'eve']);
  expect([...place.sandbox.members('us', 'team')]).toEqual([]);
});

test('a banned user is left banned, and --allow-unban lifts the ban', async () => {
  const place = await openSandboxPlace({ seed: { regions: { us: { members: { team: { usersToBan: ['bad'] } } } } } });
  place.file('m.csv', 'guid,uid\nteam,bad\n');
  const kept = await place.run(['import', 'm.csv']);
  expect([kept.code, kept.stdout]).toEqual([EXIT.rowsFailed, expect.stringContaining('--allow-unban')]);
  expect(place.sandbox.members('us', 'team').get('bad')).toBe('ban');
  expect((await place.run(['import', 'm.csv', '--allow-unban'])).code).toBe(EXIT.ok);
  expect((await place.run(['report'])).stdout).toContain('BAN_LIFTED');
  expect(place.sandbox.members('us', 'team').get('bad')).toBe('participant');
});

test('a wrong flag says what is allowed, and a file without names which flag is missing', async () => {
  const place = await openSandboxPlace({ users: 'any', groups: 'any' });
  place.file('m.csv', 'guid,uid\nteam,ann\n');
  const wrong = await place.run(['import', 'm.csv', '--create-users', '--max-create', 'many']);
  expect([wrong.code, wrong.stderr]).toEqual([EXIT.usage, expect.stringContaining('users=500,groups=20')]);
  const unnamed = await place.run(['import', 'm.csv', '--create-users']);
  expect([unnamed.code, unnamed.stderr]).toEqual([EXIT.usage, expect.stringContaining('--user-name-from uid')]);
  expect(place.sandbox.calls.us.requests).toBe(0);
});

test('the commands that docs/creating.md begins with work as they are printed, with the file that it shows', async () => {
  const place = await openSandboxPlace({ users: 0 });
  const text = readFileSync(new URL('../../docs/creating.md', import.meta.url), 'utf8');
  place.file('members.csv', /```csv\n(.*?)```/s.exec(text)?.[1] ?? '');
  const commands = [...text.matchAll(/^rollcall ((?:import|sync) members.csv.*?)(?: *#.*)?$/gm)].map(
    ([, it = '']) => it,
  );
  expect(commands.length).toBeGreaterThan(2);
  for (const command of commands) {
    const { code, stderr } = await place.run(command.split(/ +/));
    expect([command, code, stderr]).toEqual([command, EXIT.ok, stderr]);
  }
  expect(place.sandbox.user('us', 'bob')).toMatchObject({ name: 'Bob' });
  expect(place.sandbox.group('us', 'team')).toMatchObject({ name: 'The Team' });
});

test.each([
  ['import', '--create-map', 'name=Full Name'],
  ['sync', '--max-create', '5'],
  ['schedule add nightly --cron @daily --file', '--no-group-members'],
])('%s: how something is created is refused where nothing may be created', async (command, ...flags) => {
  const place = await openWorkplace();
  const { code, stderr } = await place.run([...command.split(' '), place.file('m.csv', FILE), ...flags]);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringMatching(`^rollcall: ${flags[0]} .*\\[FLAG_NEEDS\\]\n$`)]);
});

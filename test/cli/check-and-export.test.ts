import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { exportFile } from '../../src/features/export/export-store.ts';
import { manyMembers, members, openSandboxPlace, openWorkplace, readingHalf, until } from './workplace.ts';

const GROUPS = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`g${n}`, { participants: [`u${n}`] }]));
const SEED = { users: ['anna'], regions: { us: { members: GROUPS } } };
const TWO_REGIONS = {
  users: ['anna'],
  regions: {
    us: { members: { ...GROUPS, team: { owner: 'boss', moderators: ['mod'], usersToBan: ['mallory'] } } },
    eu: { members: { team: { owner: 'chef', participants: ['anna'], usersToBan: ['eve', 'mod'] } } },
  },
};

const open = () => openSandboxPlace({ users: 0, groups: 0, seed: SEED });

test('import --check says which rows would fail, exits with 1 and sends nothing; resume then sends what was checked', async () => {
  const place = await open();
  place.file(
    'm.csv',
    members([
      ['g0', 'anna'],
      ['g0', 'u0'],
      ['g1', 'ghost'],
      ['none', 'anna'],
    ]),
  );
  const { code, stdout, stderr } = await place.run(['import', 'm.csv', '--check']);
  expect(code).toBe(1);
  expect(stdout).toContain('ERR_UID_NOT_FOUND');
  expect(stdout).toContain('ERR_GUID_NOT_FOUND');
  expect([...place.sandbox.members('us', 'g0').keys()]).toEqual(['u0']);
  const [id = ''] = readdirSync(join(place.dataDir, 'imports'));
  for (const name of ['check.csv', 'check-groups.csv', 'check.json']) {
    expect(existsSync(join(place.dataDir, 'imports', id, name))).toBe(true);
  }
  const later = await place.run(['status']);
  expect(later.code).toBe(0);
  expect(later.stdout).toMatch(new RegExp(`^import ${id}, staged: m.csv\\n\\n  Service: localhost:.*\\n`));
  expect(later.stdout).toContain(stdout);
  expect(later.stderr).toBe(stderr.slice(stderr.indexOf('\nEvery row and every group:')));
  const again = await place.run(['check', id, '--json']);
  expect(JSON.parse((await place.run(['status', '--json'])).stdout)).toMatchObject({
    state: 'staged',
    check: { state: 'done', underWay: false, summary: JSON.parse(again.stdout) },
  });
  expect(JSON.parse(again.stdout)).toMatchObject({ id, wouldFail: true, rows: { add: 1, already_member: 1, fail: 2 } });
  // Nobody has looked at its rows.
  const [listed] = JSON.parse((await place.run(['list', '--json'])).stdout);
  expect(listed.next.map(({ operation }: { operation: string }) => operation)).toEqual(['resume', 'correct']);
  const { summary } = await place.summary(['resume', id]);
  expect(summary.rows).toMatchObject({ added: 1, already_member: 1, failed: 2 });
  expect((await place.run(['status'])).stdout).not.toContain('check of m.csv');
});

test('a check of many rows does its long work in a thread', async () => {
  const place = await open();
  place.file('m.csv', members(Array.from({ length: 20_001 }, () => ['g0', 'anna'] as const)));
  const { code, stdout, stderr } = await place.run(['import', 'm.csv', '--check', '--json']);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('UNEXPECTED')]);
  expect(JSON.parse(stdout)).toMatchObject({ rows: { read: 20_001, duplicate: 20_000 } });
});

test('a check of what would be created without names is refused with what to do, and none is begun', async () => {
  const place = await open();
  place.file('m.csv', members([['g0', 'ghost']]));
  for (const command of [['import', 'm.csv', '--check', '--create-users'], ['check']]) {
    const { code, stderr } = await place.run(command);
    expect([code, stderr]).toEqual([2, expect.stringContaining('[CREATE_WITHOUT_NAME]')]);
    expect(stderr).toContain('--user-name-from uid');
  }
  expect(JSON.parse((await place.run(['status', '--json'])).stdout)).not.toHaveProperty('check');
});

test('the check prints the command that sends all rows but those that would fail, and it does that', async () => {
  const place = await open();
  const rows = members([
    ['g0', 'anna'],
    ['g1', 'ghost'],
  ]);
  await place.run(['import', place.file('m.csv', rows), '--dry-run']);
  const early = await place.run(['resume', '--leave-out-failing']);
  expect([early.code, early.stderr]).toEqual([2, expect.stringMatching(/ check <id>/)]);
  const { stderr } = await place.run(['check']);
  expect(stderr).toMatch(/ resume \S+ --leave-out-failing\n/);
  const { code, summary } = await place.summary(['resume', '--leave-out-failing']);
  expect([code, summary.rows]).toMatchObject([0, { read: 2, added: 1, skipped: 1, failed: 0 }]);
  const left = await place.run(['report', '--status', 'skipped', '--format', 'ndjson']);
  expect(JSON.parse(left.stdout)).toMatchObject({ _code: 'LEFT_OUT', _uid: 'ghost' });
  // Corrected, they are a file to import.
  const report = await place.run(['report', '--status', 'skipped', '--code', 'LEFT_OUT']);
  place.file('left.csv', report.stdout.replaceAll('ghost', 'anna'));
  expect((await place.summary(['import', 'left.csv'])).summary.rows).toMatchObject({ read: 1, added: 1 });
});

test('the check prints the commands that correct what would fail and send it', async () => {
  const place = await open();
  const rows = members([
    ['g0', 'anna'],
    ['g1', 'ghost'],
    ['g1', 'nobody'],
  ]);
  const { stderr } = await place.run(['import', place.file('m.csv', rows), '--check']);
  expect(stderr).toMatch(/ --code LEFT_OUT .*\n.*--edits/);
  const { summary } = await place.summary(['resume', '--leave-out-failing']);
  const report = await place.run(['report', summary.id, '--code', 'LEFT_OUT']);
  place.file('rows.csv', report.stdout.replaceAll('ghost', 'anna'));
  const sent = await place.summary(['retry', summary.id, '--edits', 'rows.csv']);
  expect(sent.summary.rows).toMatchObject({ read: 1, added: 1 });
});

test('in the sandbox that knows every group and user, check and import agree on acting users who are in no group', async () => {
  const place = await openWorkplace();
  place.file('m.csv', 'uid,guid,on_behalf_of\nann,g,boss\nbob,h,ann\n');
  const checked = await place.run(['import', 'm.csv', '--sandbox', '--check', '--json']);
  expect([checked.code, JSON.parse(checked.stdout)]).toMatchObject([
    0,
    { wouldFail: false, rows: { read: 2, add: 2 } },
  ]);
  const { summary } = await place.summary(['resume', '--sandbox']);
  expect(summary.rows).toMatchObject({ read: 2, added: 2 });
});

test('a finished import is not checked, and no command is named that there is not', async () => {
  const place = await openWorkplace();
  await place.run(['import', place.file('m.csv', members([['g', 'ann']])), '--sandbox']);
  const { code, stderr } = await place.run(['check', '--sandbox']);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/\[WRONG_STATE\]\n$/)]);
});

test('a check that costs more than it may stops with exit code 3, and says how to go on', async () => {
  const place = await open();
  place.file(
    'm.csv',
    members([
      ['g0', 'u0'],
      ['g1', 'u1'],
    ]),
  );
  const { code, stderr } = await place.run(['import', 'm.csv', '--check', '--max-calls', '1']);
  expect(code).toBe(3);
  expect(place.calls()).toBe(0);
  expect(stderr).toContain('2 more');
  expect(stderr).toMatch(/ check \S+ --yes/);
  expect((await place.run(['status'])).stderr).toBe(stderr.slice(stderr.indexOf('\nNot checked')));
  expect((await place.run(['check', '--yes'])).code).toBe(0);
});

test('export takes its groups from a CSV file with a column guid, such as the groups of an earlier export', async () => {
  const place = await open();
  place.file('groups.csv', 'name;"GUID"\r\n"a; b";g3\r\n;g1\r\n;g3\r\n;\r\n');
  const { code, stdout } = await place.run(['export', '--region', 'us', '--groups-file', 'groups.csv']);
  expect(code).toBe(0);
  expect(
    stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[1]),
  ).toEqual(['g1', 'g3']);
});

test('export writes files that a mirror sync reads back without a change', async () => {
  const place = await open();
  const { code, stdout } = await place.run(['export', '--region', 'us', '--output', 'out.csv', '--users', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ state: 'completed', totals: { groups: 12, members: 12, users: 13 } });
  expect(readFileSync(join(place.root, 'out.csv'), 'utf8').trim().split('\n')).toHaveLength(13);
  expect(readFileSync(join(place.root, 'out-users.csv'), 'utf8')).toContain('\nanna,us,');
  // The export is in the files; the data directory keeps no second copy of people's names.
  expect(readdirSync(join(place.dataDir, 'exports'))).toEqual([]);
  const synced = await place.run(['sync', 'out.csv', '--mode', 'mirror', '--missing', 'remove', '--json']);
  expect(JSON.parse(synced.stdout)).toMatchObject({ state: 'unchanged' });
});

test('an export of several regions, with owners and banned users, is read back by a mirror sync without a change', async () => {
  const place = await openSandboxPlace({ users: 0, groups: 0, seed: TWO_REGIONS });
  const { stdout } = await place.run(['export', '--region', 'us,eu', '--output', 'out.csv', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ state: 'completed', totals: { groups: 14, members: 16, banned: 3 } });
  const lines = readFileSync(join(place.root, 'out.csv'), 'utf8').trim().split('\n');
  const banned = lines.filter((line) => line.includes(',ban,')).map((line) => line.split(',').slice(0, 4).join(' '));
  expect(banned.toSorted()).toEqual(['eve team ban eu', 'mallory team ban us', 'mod team ban eu']);
  const before = (['us', 'eu'] as const).map((region) => Object.fromEntries(place.sandbox.members(region, 'team')));
  const flags = ['--mode', 'mirror', '--missing', 'remove', '--allow-unban', '--allow-demotion', '--apply', '--json'];
  const synced = await place.run(['sync', 'out.csv', ...flags]);
  expect(JSON.parse(synced.stdout)).toMatchObject({ state: 'unchanged' });
  const after = (['us', 'eu'] as const).map((region) => Object.fromEntries(place.sandbox.members(region, 'team')));
  expect(after).toEqual(before);
});

test.each([
  [['--output', 'members.xlsx'], 'an export is CSV or NDJSON'],
  [['--users'], '--users needs --output'],
  [['--json'], '--json needs --output'],
  [['--region', 'mars'], 'Expected regions, with commas: us, eu, in.'],
  [['--groups', 'a,,b'], 'Expected GUIDs, separated by commas'],
  [['--groups-file', 'none.txt'], 'none.txt cannot be read'],
  [['--groups-file', 'two.csv'], 'two.csv has more than one column for the GUID'],
  [['--resume'], 'there is no export to continue'],
  [['--resume', 'export-x'], 'no export has the id "export-x"'],
  [['--output', 'no/such/folder/out.csv'], 'the export cannot be written'],
])('export %j is refused with what is wrong', async (flags, says) => {
  const place = await open();
  place.file('two.csv', 'guid,group_id\ng1,g2\n');
  const { code, stderr } = await place.run(['export', ...flags]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});

test.each(['out.csv', 'out-groups.csv', 'out-users.csv'])(
  'an export asks nothing where it would take the place of %s, and replaces it when it may',
  async (name) => {
    const place = await open();
    place.file(name, 'the only copy\n');
    const args = ['export', '--region', 'us', '--users', '--output', 'out.csv'];
    const { code, stderr } = await place.run(args);
    expect([code, place.calls()]).toEqual([2, 0]);
    expect(stderr).toContain('[OUTPUT_EXISTS]');
    expect(readFileSync(join(place.root, name), 'utf8')).toBe('the only copy\n');
    expect((await place.run([...args, '--overwrite'])).code).toBe(0);
    expect(readFileSync(join(place.root, name), 'utf8')).not.toContain('the only copy');
  },
);

test('an export ends after Ctrl-C with exit code 5, and --resume goes on to the same rows', async () => {
  const place = await openSandboxPlace({ users: 0, groups: 0, seed: SEED, faults: 'slow=150ms' });
  const run = place.begin([
    'export',
    '--region',
    'us',
    '--output',
    'all members.csv',
    '--format',
    'ndjson',
    '--concurrency',
    '1',
  ]);
  await until(() => place.calls() > 5);
  run.interrupt();
  const { code, stderr } = await run.ended;
  expect([code, existsSync(join(place.root, 'all members.csv'))]).toEqual([5, false]);
  const [, id = ''] =
    /^ {2}rollcall export --resume (export-\S+) --output 'all members.csv' --format ndjson$/m.exec(stderr) ?? [];
  place.sandbox.faults.clear();
  const before = place.calls();
  expect((await place.run(['export', '--resume', id, '--output', 'out.csv'])).code).toBe(0);
  // Without the list of groups, and without the groups that were read.
  expect(place.calls() - before).toBeLessThan(1 + 12 * 2);
  expect(readFileSync(join(place.root, 'out.csv'), 'utf8').trim().split('\n')).toHaveLength(13);
});

test('an export whose file cannot be read is not continued, and stays as it is', async () => {
  const place = await open();
  expect((await place.run(['export', '--output', 'no/such/folder/out.csv'])).code).toBe(2);
  const [id = ''] = readdirSync(join(place.dataDir, 'exports'));
  const [file = ''] = readdirSync(join(place.dataDir, 'exports', id));
  writeFileSync(join(place.dataDir, 'exports', id, file), 'x'.repeat(8_192));
  const { code, stderr } = await place.run(['export', '--resume', id, '--output', 'out.csv']);
  expect([code, stderr]).toEqual([4, expect.stringContaining('[DAMAGED_LEDGER]')]);
  expect(readdirSync(join(place.dataDir, 'exports', id))).toContain(file);
});

test('a command removes no export, however old: only a server does', async () => {
  const place = await open();
  const { code } = await place.run(['export', '--max-calls', '1', '--output', 'cut.csv']);
  expect(code).toBe(3);
  const folder = join(place.dataDir, 'exports');
  const [id = ''] = readdirSync(folder);
  using database = new DatabaseSync(exportFile(join(folder, id)));
  expect(database.prepare('update run set finished_at = 1').run().changes).toBe(1);
  const env = { ROLLCALL_KEEP: '1h' };
  expect((await place.run(['export', '--output', 'all.csv'], { env })).code).toBe(0);
  expect(readdirSync(folder)).toEqual([id]);
});

test('a check ends after Ctrl-C with exit code 5, and `check` goes on', async () => {
  const place = await openSandboxPlace({ users: 0, groups: 0, seed: SEED, faults: 'slow=150ms' });
  place.file('m.csv', members(Object.keys(GROUPS).map((guid) => [guid, 'anna'])));
  const run = place.begin(['import', 'm.csv', '--check', '--concurrency', '1']);
  await until(() => place.calls() > 5);
  run.interrupt();
  const { code, stderr } = await run.ended;
  expect([code, stderr]).toEqual([5, expect.stringMatching(/ check \S+/)]);
  place.sandbox.faults.clear();
  const { stdout } = await place.run(['check', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ wouldFail: false, rows: { read: 12, add: 12 } });
});

test('a check that was killed while the file was read reads it again', async () => {
  const place = await openSandboxPlace({ users: 'any', groups: 'any' });
  const { run, end } = await readingHalf(place, 'm.csv', ['import', 'm.csv', '--check', '--yes']);
  run.child.kill('SIGKILL');
  await run.ended;
  await end(manyMembers(1_500, 1_500));
  expect(JSON.parse((await place.run(['status', '--json'])).stdout)).toMatchObject({ state: 'staging' });
  // It has read the file when it knows what asking about it costs, which is more than it may spend.
  const { code, stderr } = await place.run(['check']);
  expect([code, stderr]).toEqual([3, expect.stringContaining('1000')]);
});

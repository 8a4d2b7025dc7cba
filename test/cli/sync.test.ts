import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planDocument } from '../../src/features/sync/api.ts';
import { eventually } from '../eventually.ts';
import { members, openSandboxPlace, type SandboxPlace, until } from './workplace.ts';

const PEOPLE = Array.from({ length: 10 }, (_, at) => `u${at + 1}`);
const rows = (uids: readonly string[]) => members(uids.map((uid) => ['team', uid] as const));

/** A sandbox with one group of ten; no one but they and `new` exists. */
function openPlace(): Promise<SandboxPlace> {
  const team = { participants: PEOPLE };
  return openSandboxPlace({ seed: { users: ['new'], regions: { us: { members: { team } } } } });
}

const inTeam = ({ sandbox }: SandboxPlace) => [...sandbox.members('us', 'team').keys()];
const idIn = (text: string) => /(?:sync|undo)-\d{8}-\d{6}-\w{3}/.exec(text)?.[0] ?? '';

test('a plan is shown, kept, and carried out when someone says so; what failed shows in the exit code', async () => {
  const at = await openPlace();
  const file = at.file('members.csv', rows([...PEOPLE, 'new', 'nobody']));
  const planned = await at.run(['sync', file, '--plan-csv', 'plan.csv']);
  const id = idIn(planned.stderr);
  expect(planned.code).toBe(0);
  expect(planned.stdout).toContain('2 to');
  expect(planned.stderr).toContain(`apply ${id}`);
  expect(readFileSync(join(at.root, 'plan.csv'), 'utf8')).toContain('us,team,new,add,,participant,');
  expect(inTeam(at)).toEqual(PEOPLE);

  const applied = await at.run(['sync', 'apply', id, '--json']);
  expect(applied.code).toBe(1);
  expect(JSON.parse(applied.stdout)).toMatchObject({
    id,
    state: 'applied',
    totals: { changes: 2 },
    import: { state: 'completed', rows: { read: 2, added: 1, failed: 1 } },
  });
  expect(inTeam(at)).toEqual([...PEOPLE, 'new']);

  const again = await at.run(['sync', file, '--apply']);
  // Unknown users are tried again every night.
  expect([again.code, again.stdout]).toEqual([1, expect.stringContaining('1 to')]);
  const undone = await at.run(['undo', id, '--apply']);
  expect([undone.code, inTeam(at)]).toEqual([0, PEOPLE]);
  const list = await at.run(['sync', 'list', '--json']);
  expect(JSON.parse(list.stdout)).toMatchObject([{ undoOf: id, state: 'applied' }, { state: 'applied' }, { id }]);
});

test('a plan and its result are printed as Markdown alone, where the format of the input needs no word', async () => {
  const at = await openPlace();
  const file = at.file('members.csv', rows([...PEOPLE, 'new', 'nobody']));
  const planned = await at.run(['sync', file, '--format', 'markdown']);
  expect([planned.code, planned.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^### Sync of `members\.csv`\n\n\*\*2 to add; 10 right\.\*\*\n(?:.*\n)*Sync `sync-\S+` is \*\*planned\*\*: .*\n$/,
    ),
  ]);
  const applied = await at.run(['sync', file, '--format', 'markdown', '--apply']);
  expect([applied.code, applied.stdout]).toEqual([
    1,
    expect.stringMatching(/\nSync `sync-\S+` is \*\*applied\*\*: .* 2 rows read = 1 added \+ 1 failed\.\n$/),
  ]);
  const wrong = await at.run(['sync', file, '--format', 'pdf']);
  expect(wrong.stderr).toContain('ldif, markdown.');
});

test('a sync whose file cannot be read says the code of the error', async () => {
  const at = await openPlace();
  const { code, stderr } = await at.run(['sync', at.file('columns.csv', 'team,uid2\nteam,u1\n')]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('[MISSING_COLUMN]')]);
});

test('a plan says what of the file it leaves out, and that it could not be compared with an earlier run', async () => {
  const at = await openPlace();
  const file = at.file('members.csv', 'group,uid\nT1,u1\nT2,u2\nT3,u3\nt3,u4\nT1,x9\n');
  at.file('groups.csv', 'code,guid\nT1,team\n');
  at.file('people.csv', 'key,uid\nu1,u1\nu2,u2\nu3,u3\nu4,u4\n');
  const shape = ['--map', 'guid=group', '--groups', 'groups.csv', '--identities', 'people.csv', '--min-rows', '90%'];
  const { stdout } = await at.run(['sync', file, ...shape]);
  const markdown = await at.run(['sync', file, ...shape, '--format', 'markdown']);
  const flat = (text: string) => text.replaceAll(/[\\\s]+/g, ' ');
  expect(flat(stdout)).toContain('5 rows');
  for (const text of [flat(stdout), flat(markdown.stdout)]) {
    expect(text).toContain('1 user');
    expect(text).toContain('2 groups');
  }
  const [folder = ''] = readdirSync(join(at.dataDir, 'syncs'));
  const unknown = readFileSync(join(at.dataDir, 'syncs', folder, 'unknown-groups.csv'), 'utf8');
  expect(unknown.trim().split('\n')).toHaveLength(3);
});

test('an undo whose import lost a reply names at its end and in its exit code whom it leaves', async () => {
  const at = await openSandboxPlace({ seed: { users: PEOPLE, groups: ['team'] }, faults: 'reset-after=1' });
  const imported = await at.run(['import', at.file('members.csv', rows(PEOPLE)), '--no-ban-check', '--yes', '--json']);
  const { id } = JSON.parse(imported.stdout);
  const { code, stdout, stderr } = await at.run(['undo', id, '--apply']);
  expect(stdout).toContain('10 reported');
  expect(stderr).toContain('10 users');
  expect(stderr).toContain(`${id} --include-uncertain --apply`);
  expect([code, inTeam(at)]).toEqual([1, PEOPLE]);
  const plan = await at.run(['sync', 'show', idIn(stderr), '--format', 'csv']);
  expect(plan.stdout).toContain('us,team,u1,report,participant,,');

  // Taken back where the user says so, except whom another import names too: the report has them.
  expect((await at.run(['import', at.file('other.csv', rows(['u1']))])).code).toBe(0);
  const held = await at.run(['undo', id, '--include-uncertain', '--apply']);
  expect([held.code, inTeam(at)]).toEqual([3, PEOPLE]);
  const all = await at.run(['sync', 'approve', idIn(held.stderr), '--reason', 'none was there before']);
  expect([all.code, inTeam(at)]).toEqual([1, ['u1']]);
  const report = await at.run(['report', idIn(all.stderr)]);
  expect(report.stdout.split('\n').filter((line) => line.includes('skipped'))).toEqual([
    expect.stringMatching(/^us,team,u1,.*,skipped,LEFT_IN_PLACE,/),
  ]);
});

test('an undo leaves whom a later import names, until that import is undone as well', async () => {
  const at = await openPlace();
  const file = at.file('members.csv', rows(['new']));
  const [first, second] = [(await at.summary(['import', file])).summary, (await at.summary(['import', file])).summary];
  expect([first.rows.added, second.rows.already_member]).toEqual([1, 1]);
  const left = await at.run(['undo', first.id, '--apply']);
  expect([left.code, left.stderr]).toEqual([1, expect.stringContaining('later import')]);
  expect(inTeam(at)).toEqual([...PEOPLE, 'new']);
  expect((await at.run(['undo', second.id, '--apply'])).code).toBe(0);
  expect((await at.run(['undo', first.id, '--apply'])).code).toBe(0);
  expect(inTeam(at)).toEqual(PEOPLE);
  const listed = await at.run(['list']);
  expect(listed.stdout).toMatch(/undo-.* /);
});

test('after Ctrl-C while it is planned nothing was sent, and the command that plans again is shown', async () => {
  const at = await openSandboxPlace({ seed: { users: PEOPLE, groups: ['team'] }, faults: 'slow=2000ms' });
  const run = at.begin(['sync', at.file('members.csv', rows(PEOPLE)), '--apply']);
  await until(() => at.calls() > 0);
  run.interrupt();
  const { code, stderr } = await run.ended;
  expect(code).toBe(5);
  expect(stderr).toContain('sync members.csv');
  expect(at.sandbox.members('us', 'team').size).toBe(0);
});

test('what to do about objections that have the same remedy is said once', async () => {
  const at = await openSandboxPlace();
  const rows = ['g1', 'g2'].flatMap((group) => Array.from({ length: 20 }, (_, uid) => [group, `u${uid}`] as const));
  const { summary } = await at.summary(['import', at.file('many.csv', members(rows))]);
  // An undo that only takes back its own is not held.
  expect(await at.run(['undo', summary.id])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('40 to'),
  });
  const raised = at.file('raised.csv', 'guid,uid,scope\ng1,u1,admin\ng2,u1,admin\n');
  expect((await at.run(['sync', raised, '--apply'])).code).toBe(0);
  const held = await at.run(['undo', summary.id]);
  expect(held.code).toBe(3);
  expect(held.stdout).toContain('g1 (us)');
  expect(held.stdout).toContain('g2 (us)');
  expect(held.stdout.match(/Look at the plan/g)).toHaveLength(1);
  expect(held.stdout.replace(/\s+/g, ' ')).toMatch(
    /Others have acted here since the import, .* reject it if it is not\. - /,
  );
  expect(held.stderr).toMatch(/--reason "…"\n$/);
});

test('a held plan ends with exit code 3, and says what a guard objects to and how it is let through', async () => {
  const at = await openPlace();
  const file = at.file('members.csv', rows(PEOPLE.slice(0, 4)));
  const held = await at.run(['sync', file, '--mode', 'mirror', '--missing', 'remove', '--apply']);
  const id = idIn(held.stderr);
  expect(held.code).toBe(3);
  expect(held.stdout).toContain('60 %');
  expect(held.stderr).toContain(`approve ${id}`);
  expect(await at.run(['sync', 'apply', id])).toMatchObject({ code: 3, stderr: expect.stringContaining('approve') });
  expect(await at.run(['sync', 'approve', id])).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') });
  expect(inTeam(at)).toEqual(PEOPLE);
  expect((await at.run(['sync', 'approve', id, '--reason', 'the course is over'])).code).toBe(0);
  expect(inTeam(at)).toEqual(PEOPLE.slice(0, 4));
  const shown = await at.run(['sync', 'show', id]);
  expect(shown.stdout).toMatch(/applying +.+ \(.+\)/);
  const json = await at.run(['sync', 'show', id, '--format', 'json']);
  expect(planDocument.parse(JSON.parse(json.stdout))).toMatchObject({ held: true, totals: { changes: 6 } });
  expect(await at.run(['sync', 'reject', id, '--reason', 'too late'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[WRONG_STATE]'),
  });
});

test('beside a server a plan is approved, applied or rejected through it, under the name of who asked', async () => {
  const at = await openPlace();
  const less = (count: number) => at.file(`${count}.csv`, rows(PEOPLE.slice(0, count)));
  const plan = async (...args: string[]) => idIn((await at.run(['sync', ...args])).stderr);
  const mirror = ['--mode', 'mirror', '--missing', 'remove'];
  const approved = await plan(less(4), ...mirror);
  const rejected = await plan(less(1), ...mirror);
  const applied = await plan(at.file('new.csv', rows(['new'])));
  const server = at.begin(['serve', '--port', '0']);
  await server.says('Listening on');

  const refused = await at.run(['sync', 'apply', approved]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('approve')]);
  const reason = ['--reason', 'the course is over'];
  const said = await at.run(['sync', 'approve', approved, ...reason]);
  expect([said.code, said.stderr]).toEqual([0, expect.stringContaining(`${approved}`)]);
  await eventually(() => inTeam(at)).toEqual(PEOPLE.slice(0, 4));
  expect((await at.run(['sync', 'apply', applied])).code).toBe(0);
  await eventually(() => inTeam(at)).toEqual([...PEOPLE.slice(0, 4), 'new']);
  expect((await at.run(['sync', 'reject', rejected, ...reason])).code).toBe(0);
  expect(await at.run(['sync', 'reject', rejected, ...reason])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[WRONG_STATE]'),
  });
  server.interrupt('SIGTERM');
  expect((await server.ended).code).toBe(0);
  const shown = await at.run(['sync', 'show', approved]);
  expect(shown.stdout).toMatch(/applying +.+ \(.+\)/);
});

describe('a sync that was killed', () => {
  test('in the middle of applying goes on where it was', async () => {
    const at = await openSandboxPlace({ users: 'any', seed: { groups: ['team'] }, latencyMs: 100 });
    const wanted = Array.from({ length: 300 }, (_, nth) => `m${nth}`);
    const file = at.file('members.csv', rows(wanted));
    const run = at.start(['sync', file, '--apply', '--concurrency', '1']);
    await until(() => inTeam(at).length > 0);
    run.child.kill('SIGKILL');
    await run.ended;
    expect(inTeam(at).length).toBeLessThan(300);
    const id = idIn((await at.run(['sync', 'list'])).stdout);
    const { code, stdout } = await at.run(['sync', 'apply', id, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'applied', import: { rows: { read: 300, failed: 0 } } });
    expect(inTeam(at).toSorted()).toEqual(wanted.toSorted());
    // Two lists, who is banned twice, and twelve calls. The batches that were in the queue may have been sent: each asks the
    // group once before it is sent again.
    expect(at.calls()).toBeLessThanOrEqual(2 + 2 + 12 + 12);
  });
});

describe('what a sync refuses before it opens anything', () => {
  test.each<[what: string, args: string[], says: string]>([
    ['a file that is not there', ['sync', 'none.csv'], 'there is no file "none.csv"'],
    ['missing members in mode add', ['sync', 'm.csv', '--missing', 'remove'], 'add --mode mirror'],
    ['a limit that no guard has', ['sync', 'm.csv', '--limit', 'foo=1'], '"foo" is not a limit of a guard'],
    ['a protect file that protects nobody', ['sync', 'm.csv', '--protect', 'p.txt'], 'names no UID'],
    ['an unknown sync', ['sync', 'show', 'sync-1'], 'no sync has the id "sync-1"'],
    ['an unknown import', ['undo', 'nothing'], 'there are no imports'],
  ])('%s', async (_, args, says) => {
    const at = await openSandboxPlace();
    at.file('m.csv', rows(['u1']));
    at.file('p.txt', '# nobody\n');
    const { code, stderr } = await at.run(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(existsSync(at.dataDir)).toBe(false);
  });
});

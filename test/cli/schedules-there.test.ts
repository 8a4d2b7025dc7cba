import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { schedule } from '../../src/features/schedule/operations.ts';
import { eventually } from '../eventually.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { members, openWorkplace, type Workplace } from './workplace.ts';

/** The folder that schedules of the server may read. */
const sources = mkdtempSync(join(tmpdir(), 'rollcall-sources-'));
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ settings: { sources: [sources] } });
});
afterAll(async () => {
  await server.close();
  rmSync(sources, { recursive: true, force: true });
});

function remotePlace(): Promise<Workplace> {
  return openWorkplace({ env: { ROLLCALL_SERVER: server.url } });
}

const FILE = join(sources, 'members.csv');
const NIGHTLY = ['--cron', '30 5 * * *', '--tz', 'Europe/Rome', '--file', FILE];

async function historyOf(place: Workplace, name: string) {
  return JSON.parse((await place.run(['schedule', 'history', name, '--json'])).stdout) as {
    runs: { state: string; reason: string; sync: { id: string } | null }[];
  };
}

test('a schedule is added at a server, run, paused, edited and removed, as on its machine', async () => {
  const place = await remotePlace();
  writeFileSync(FILE, members([['team', 'ann']]));
  place.file('protected.txt', 'boss\n');
  const flags = ['--apply', '--limit', 'groupRemovalsPercent=30', '--protect', 'protected.txt', '--map', 'uid=uid'];
  const create = ['--create-users', '--user-name-from', 'uid', '--max-create', '5'];
  const added = await place.run(['schedule', 'add', 'nightly', ...NIGHTLY, ...flags, ...create, '--json']);
  expect([added.code, added.stderr]).toEqual([
    EXIT.ok,
    expect.stringMatching(/added.*\n( {2}\d{4}-\d\d-\d\d 05:30\n){3}/),
  ]);
  expect(added.stderr).toContain('schedule run');
  expect(JSON.parse(added.stdout)).toMatchObject({
    name: 'nightly',
    file: FILE,
    apply: true,
    'limit.groupRemovalsPercent': '30',
    create: { users: true, maxCreate: 'users=5' },
    lastRun: null,
  });

  const run = await place.run(['schedule', 'run', 'nightly']);
  expect([run.code, run.stderr]).toEqual([EXIT.ok, expect.stringContaining('applied')]);
  const history = await place.run(['schedule', 'history', 'nightly']);
  expect(history.stdout).toMatch(/due +state +sync +result\n\S+ \S+ +ran +sync-/);
  const listed = await place.run(['schedule', 'list']);
  expect(listed.stdout).toMatch(
    /^nightly {2}30 5 \* \* \* {2}Europe\/Rome {2}\S+members\.csv\n {2}sync {2}add; plans are carried out\n {2}next {2}.* 05:30\n {2}may create {2}users; at most 5 users\n {2}last .* ran: /,
  );

  expect((await place.run(['schedule', 'pause', 'nightly'])).stderr).toContain('is paused');
  const paused = await place.run(['schedule', 'edit', 'nightly', '--no-apply', '--cron', '0 4 * * *', '--json']);
  expect(paused.stderr).toContain('is paused.');
  expect(JSON.parse(paused.stdout)).toMatchObject({
    cron: '0 4 * * *',
    apply: false,
    'limit.groupRemovalsPercent': '30',
    create: { users: true, maxCreate: 'users=5' },
  });
  expect((await place.run(['schedule', 'resume', 'nightly'])).stderr).toMatch(/04:00 \(Europe\/Rome\)/);
  const removed = await place.run(['schedule', 'remove', 'nightly']);
  expect([removed.code, removed.stderr]).toEqual([EXIT.ok, 'Schedule nightly is removed.\n']);
  expect((await place.run(['schedule', 'list'])).stderr).toContain(`${server.url}`);
});

test("a schedule at a server keeps what the server's recipe says, and waits for a file that is being written", async () => {
  const place = await remotePlace();
  const file = join(sources, 'enrollments.csv');
  writeFileSync(file, 'course_id,user_id,role,section_id,status\nbio,ann,teacher,,active\nbio,bob,student,,deleted\n');
  const add = ['schedule', 'add', 'courses', '--cron', '@daily', '--file', file];
  const unknown = await place.run([...add, '--recipe', 'nobodys']);
  expect([unknown.code, unknown.stderr]).toEqual([EXIT.usage, expect.stringContaining('"nobodys"')]);
  const flags = [
    '--recipe',
    'canvas-sis',
    '--wait-for-quiet',
    '1s',
    '--give-up-after',
    '2h',
    '--scope-words',
    'teacher=moderator',
  ];
  expect(await place.run([...add, ...flags])).toMatchObject({ code: EXIT.ok });
  const made = schedule.parse(await (await fetch(`${server.url}/v1/schedules/courses`)).json());
  expect(made).toMatchObject({
    giveUpAfter: '2h',
    waitForQuiet: '1s',
    map: expect.stringContaining('uid=user_id'),
    shape: expect.stringContaining('"scopeWords":{"teacher":"moderator"}'),
  });
  await place.run(['schedule', 'run', 'courses']);
  await eventually(async () => (await historyOf(place, 'courses')).runs).toMatchObject([{ state: 'ran' }]);
  const [run] = (await historyOf(place, 'courses')).runs;
  const { stdout } = await place.run(['sync', 'show', run?.sync?.id ?? '']);
  expect(stdout).toMatch(/bio \(us\) +1 /);
  expect((await place.run(['schedule', 'remove', 'courses'])).code).toBe(EXIT.ok);
});

test('how long the runs of a schedule wait for the service, and how many rows its file must have, are edited', async () => {
  const place = await remotePlace();
  const add = ['schedule', 'add', 'whole', '--cron', '@daily', '--file', FILE, '--expect-rows', '77'];
  expect((await place.run(add)).code).toBe(EXIT.ok);
  await place.run(['schedule', 'run', 'whole']);
  await eventually(async () => (await historyOf(place, 'whole')).runs).toMatchObject([
    { state: 'failed', reason: expect.stringContaining('77') },
  ]);
  const known = async () => schedule.parse(await (await fetch(`${server.url}/v1/schedules/whole`)).json());
  expect((await place.run(['schedule', 'edit', 'whole', '--give-up-after', '30m'])).code).toBe(EXIT.ok);
  expect(await known()).toMatchObject({ giveUpAfter: '30m', expectRows: '77' });
  expect((await place.run(['schedule', 'edit', 'whole', '--expect-rows', '5'])).code).toBe(EXIT.ok);
  expect(await known()).toMatchObject({ giveUpAfter: '30m', expectRows: '5' });
  const clear = ['schedule', 'edit', 'whole', '--no-give-up-after', '--no-expect-rows', '--no-min-rows'];
  expect((await place.run(clear)).code).toBe(EXIT.ok);
  expect(await known()).not.toHaveProperty('giveUpAfter');
  expect(await known()).not.toHaveProperty('expectRows');
  expect((await place.run(['schedule', 'remove', 'whole'])).code).toBe(EXIT.ok);
});

test('what the server refuses, or cannot be given there, comes with what to do', async () => {
  const place = await remotePlace();
  mkdirSync(join(place.root, 'elsewhere'));
  place.file('people.csv', 'email,uid\n');
  const add = ['schedule', 'add', 'nightly', '--cron', '@daily'];
  expect((await place.run(['schedule', 'add', 'taken', '--cron', '@daily', '--file', FILE])).code).toBe(EXIT.ok);
  for (const [args, says] of [
    [[...add, '--file', join(place.root, 'elsewhere', 'm.csv')], 'ROLLCALL_SOURCES'],
    [[...add, '--file', 'members.csv'], 'whole path'],
    [[...add, '--file', FILE, '--identities', 'people.csv'], "on the server's machine, without --server"],
    [[...add, '--file', FILE, '--sandbox'], '--sandbox has no meaning'],
    [['schedule', 'add', 'taken', '--cron', '@daily', '--file', FILE], 'already. Take another name'],
    [['schedule', 'run', 'none'], '`rollcall schedule list`'],
    [['schedule', 'history', 'none'], '`rollcall schedule list`'],
    [['schedule', 'edit', 'none', '--apply'], '`rollcall schedule list`'],
  ] as const) {
    const { code, stderr } = await place.run(args);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(says)]);
  }
});

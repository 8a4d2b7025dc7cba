import { createServer } from 'node:https';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { listen } from '../chat/chat-server.ts';
import { createAuthority } from '../chat/tls-authority.ts';
import { eventually } from '../eventually.ts';
import {
  filesBelow,
  manyMembers,
  members,
  openSandboxPlace,
  openWorkplace,
  type SandboxPlace,
  type Workplace,
} from './workplace.ts';

const PEOPLE = Array.from({ length: 10 }, (_, at) => `u${at + 1}`);
const rows = (uids: readonly string[]) => members(uids.map((uid) => ['team', uid] as const));

/** A sandbox with one group of ten; no one but they, `new` and `other` exists. */
function openPlace(): Promise<SandboxPlace> {
  const team = { participants: PEOPLE };
  return openSandboxPlace({ seed: { users: ['new', 'other'], regions: { us: { members: { team } } } } });
}

const inTeam = ({ sandbox }: SandboxPlace) => [...sandbox.members('us', 'team').keys()];
const NIGHTLY = ['schedule', 'add', 'nightly', '--cron', '30 5 * * *', '--tz', 'Europe/Rome'];

async function historyOf(place: Workplace) {
  const { code, stdout, stderr } = await place.run(['schedule', 'history', 'nightly', '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as {
    runs: { state: string; reason: string; who: string }[];
  };
}

test('a schedule is added, listed, paused, resumed and removed without a server, with its next three times', async () => {
  const at = await openWorkplace();
  const added = await at.run([...NIGHTLY, '--file', 'members.csv']);
  expect(added.code).toBe(0);
  expect(added.stderr.match(/^ {2}\d{4}-\d\d-\d\d 05:30$/gm)).toHaveLength(3);
  expect(added.stderr).toContain('members.csv');
  expect(added.stderr).toContain('rollcall serve');
  const listed = await at.run(['schedule', 'list']);
  expect(listed.stdout).toMatch(
    /^nightly {2}30 5 \* \* \* {2}Europe\/Rome {2}\S+\/members\.csv\n {2}sync {2}add; plans only\n {2}next {2}.* 05:30, .* 05:30, .* 05:30\n {2}last {2}none yet\n$/,
  );
  const paused = await at.run(['schedule', 'pause', 'nightly', '--json']);
  expect(JSON.parse(paused.stdout)).toMatchObject({ name: 'nightly', paused: true, next: [] });
  expect((await at.run(['schedule', 'resume', 'nightly'])).stderr).toMatch(/05:30 \(Europe\/Rome\)/);
  expect((await at.run(['schedule', 'remove', 'nightly'])).code).toBe(0);
  expect((await at.run(['schedule', 'list', '--json'])).stdout).toBe('[]\n');
  expect(await at.run(['schedule', 'run', 'nightly'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[UNKNOWN_SCHEDULE]'),
  });
});

test('a schedule is edited: what is not given stays', async () => {
  const at = await openWorkplace();
  at.file('members.csv', rows(PEOPLE));
  await at.run([...NIGHTLY, '--file', 'members.csv', '--apply', '--limit', 'groupRemovalsPercent=30']);
  const edited = await at.run(['schedule', 'edit', 'nightly', '--cron', '0 4 * * *', '--no-apply', '--json']);
  expect(edited.stderr).toMatch(/04:00 \(Europe\/Rome\)/);
  expect(JSON.parse(edited.stdout)).toMatchObject({
    cron: '0 4 * * *',
    apply: false,
    'limit.groupRemovalsPercent': '30',
  });
  const listed = JSON.parse((await at.run(['schedule', 'list', '--json'])).stdout);
  expect(listed).toMatchObject([{ name: 'nightly', cron: '0 4 * * *', file: join(at.root, 'members.csv') }]);
  expect((await at.run(['schedule', 'edit', 'none', '--apply'])).code).toBe(2);
  expect(await at.run(['schedule', 'edit', 'nightly', '--tz', 'Europe/Roma'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Europe/Roma'),
  });
});

test('the path in an edit is that from the folder of the user, who hears when no file is there', async () => {
  const at = await openWorkplace();
  at.file('members.csv', rows(PEOPLE));
  await at.run([...NIGHTLY, '--file', join(at.root, 'members.csv')]);
  const absent = await at.run(['schedule', 'edit', 'nightly', '--file', 'later.csv', '--json']);
  expect([absent.code, absent.stderr]).toEqual([
    0,
    expect.stringContaining(`no file ${join(at.root, 'later.csv')} yet`),
  ]);
  expect(JSON.parse(absent.stdout)).toMatchObject({ file: join(at.root, 'later.csv') });
  const there = await at.run(['schedule', 'edit', 'nightly', '--file', 'members.csv', '--json']);
  expect(there.stderr).not.toContain('no file');
  expect(JSON.parse(there.stdout)).toMatchObject({ file: join(at.root, 'members.csv') });
});

test('what cannot be a schedule ends with exit code 2, the value and what is allowed; no secret is repeated', async () => {
  const at = await openWorkplace();
  at.file('members.csv', rows(PEOPLE));
  const CRON = ['--cron', '@daily'];
  const FILE = ['--file', 'members.csv'];
  for (const [args, says] of [
    [[...FILE, '--cron', '30 2'], '"30 2" is not a valid cron expression'],
    [[...FILE, ...CRON, '--tz', 'Europe/Roma'], '"Europe/Roma" is not a valid time zone'],
    [[...CRON, '--file', 'gone/members.csv'], 'there is no directory'],
    [[...CRON, '--file', 'http://exports.example/m.csv'], 'allowed are https'],
    [[...FILE, ...CRON, '--file', 'https://ann:s3cret@exports.example/m.csv'], 'was given two values; give it once'],
    [[...FILE, ...CRON, '--header', 'Authorization=Bearer s3cret'], 'names no environment variable'],
    [[...FILE, ...CRON, '--missing', 'remove'], 'add --mode mirror'],
  ] as const) {
    const { code, stderr } = await at.run(['schedule', 'add', 'nightly', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(stderr).not.toContain('s3cret');
  }
});

test('a run in this process syncs, says how many rows are not in place, and skips the same file once everyone is in place', async () => {
  const at = await openPlace();
  at.file('exports/1.csv', rows([...PEOPLE, 'new', 'nobody']));
  await at.run([...NIGHTLY, '--file', 'exports/*.csv', '--apply']);
  const first = await at.run(['schedule', 'run', 'nightly']);
  expect(first.code).toBe(1);
  expect(first.stderr).toContain('1 row');
  expect(inTeam(at)).toEqual([...PEOPLE, 'new']);

  // The file is the same, and someone is pending.
  expect((await at.run(['schedule', 'run', 'nightly'])).code).toBe(1);
  expect((await historyOf(at)).runs.map(({ state }) => state)).toEqual(['ran', 'ran']);

  at.file('exports/2.csv', rows([...PEOPLE, 'new', 'other']));
  expect((await at.run(['schedule', 'run', 'nightly'])).code).toBe(0);
  expect(inTeam(at)).toEqual([...PEOPLE, 'new', 'other']);
  const unchanged = await at.run(['schedule', 'run', 'nightly', '--json']);
  expect(unchanged.code).toBe(0);
  expect(JSON.parse(unchanged.stdout)).toMatchObject({ state: 'skipped-unchanged', sync: null });
});

describe('with a server', () => {
  const authority = createAuthority();

  test('commands go to it, it runs what it missed, and an address is asked with the secret that is written nowhere', async () => {
    const at = await openPlace();
    const { ca, issue } = await authority;
    const asked: (string | undefined)[] = [];
    const exports = createServer(await issue(['localhost']), (request, reply) => {
      asked.push(request.headers.authorization);
      reply.writeHead(200, { etag: '"1"' }).end(rows([...PEOPLE, 'new']));
    });
    const url = `https://${await listen(exports)}/members.csv`;
    at.env['ROLLCALL_CA_FILE'] = join(at.root, at.file('authorities.pem', `${at.sandbox.caPem}\n${ca}`));
    at.env['NIGHTLY_TOKEN'] = 's3cret-of-the-night';
    const added = await at.run([
      ...NIGHTLY,
      '--file',
      url,
      '--header',
      'Authorization=env:NIGHTLY_TOKEN',
      '--apply',
      '--catch-up',
    ]);
    expect(added.code).toBe(0);
    const catalog = new DatabaseSync(join(at.dataDir, 'catalog.sqlite'));
    catalog.exec(
      "update schedules set schedule = json_set(schedule, '$.nextDue', (schedule ->> 'nextDue') - 2 * 86400000)",
    );
    catalog.close();

    const server = at.begin(['serve', '--port', '0']);
    await server.says('Listening on');
    await eventually(async () => (await historyOf(at)).runs).toMatchObject([{ state: 'ran', who: '' }]);
    expect(inTeam(at)).toEqual([...PEOPLE, 'new']);
    expect(asked).toEqual(['s3cret-of-the-night']);

    const run = await at.run(['schedule', 'run', 'nightly']);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('not changed')]);
    await eventually(async () => (await historyOf(at)).runs.map(({ state }) => state)).toEqual([
      'skipped-unchanged',
      'ran',
    ]);
    const taken = await at.run([...NIGHTLY, '--file', url]);
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('nightly')]);
    expect((await at.run(['schedule', 'pause', 'nightly'])).stderr).toContain('is paused');
    expect((await at.run(['schedule', 'list'])).stdout).toContain('is paused');
    expect((await at.run(['schedule', 'remove', 'nightly'])).code).toBe(0);

    const telling = filesBelow(at.dataDir).filter(({ content }) => content.includes('s3cret-of-the-night'));
    expect(telling.map(({ path }) => path)).toEqual([]);
    server.interrupt('SIGTERM');
    expect((await server.ended).code).toBe(0);
  });
});

test('schedules are listed while another command runs an import, and are not changed behind its back', async () => {
  const at = await openSandboxPlace({ users: 'any', groups: 'any', latencyMs: 200 });
  const file = at.file('members.csv', manyMembers(2_000, 100));
  await at.run(['schedule', 'add', 'nightly', '--file', file, '--cron', '0 3 * * *', '--tz', 'UTC']);
  const running = at.begin(['import', file, '--concurrency', '1']);
  await eventually(() => at.calls()).toBeGreaterThan(0);
  const listed = await at.run(['schedule', 'list', '--json']);
  expect([listed.code, JSON.parse(listed.stdout)]).toMatchObject([0, [{ name: 'nightly' }]]);
  const refused = await at.run(['schedule', 'pause', 'nightly']);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('[OWNER_REFUSED]')]);
  running.interrupt();
  await running.ended;
});

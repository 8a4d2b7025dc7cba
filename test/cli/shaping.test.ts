import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { eventually } from '../eventually.ts';
import { startTestServer } from '../server/test-server.ts';
import { openSandboxPlace, openWorkplace } from './workplace.ts';

const PEOPLE = 'email,uid\nAnna@x.it,anna\nben@x.it,ben\n';

test('a list keyed by e-mail, with several groups in a cell: every row and membership is accounted for', async () => {
  const place = await openSandboxPlace();
  const people = place.file('people.csv', PEOPLE);
  const file = place.file(
    'm.csv',
    'E-mail,Teams,role,status\nanna@x.it,g1;g2,OWNER,active\nben@x.it,g1,MEMBER,active\nnew@x.it,g1;g2,MEMBER,active\nold@x.it,g1,MEMBER,gone\n',
  );
  const flags = ['--map', 'uid=E-mail,guid=Teams', '--split', 'guid=;', '--where', 'status=active'];
  const words = ['--scope-words', 'OWNER=admin,*=participant'];
  const { code, summary } = await place.summary(['import', file, ...flags, ...words, '--identities', people]);
  expect(code).toBe(EXIT.rowsFailed);
  expect(summary).toMatchObject({ inputRows: 4, rows: { read: 6, added: 3, invalid: 2, skipped: 1 } });
  expect(place.sandbox.members('us', 'g1')).toEqual(
    new Map([
      ['anna', 'admin'],
      ['ben', 'participant'],
    ]),
  );
  expect(place.sandbox.members('us', 'g2')).toEqual(new Map([['anna', 'admin']]));

  const folder = dirname(summary.reports.all ?? '');
  expect(readFileSync(join(folder, 'unknown-identities.csv'), 'utf8')).toBe('email,uid,rows\nnew@x.it,,2\n');
  const report = readFileSync(join(folder, 'report.csv'), 'utf8').split('\n');
  expect(report[0]).toContain('E-mail,Teams,role,status,_row,_value,_status');
  expect(report[1]).toContain('anna@x.it,"g1;g2",OWNER,active,2,Teams=g1,added');
  expect(report[6]).toContain('old@x.it,g1,MEMBER,gone,5,,skipped,FILTERED,');
  const shown = await place.run(['status', summary.id]);
  expect(shown.stdout).toMatch(/3 of 5 /);
  expect(shown.stdout.replace(/\s+/g, ' ')).toContain('= 3 added');
});

test('a group file: one code gives several groups, each with an outcome; unknown ones are to be filled in', async () => {
  const place = await openSandboxPlace();
  const groups = place.file('groups.csv', 'code,guid,scope\nHR,hr-all,\nHR,hr-leads,moderator\nIT,it,\n');
  const file = place.file('m.csv', 'uid,group\nanna,HR\nben,hr\nben,it\ncy,Sales\n');
  const { code, summary } = await place.summary(['import', file, '--groups', groups]);
  expect(code).toBe(EXIT.rowsFailed);
  expect(summary).toMatchObject({ inputRows: 4, rows: { read: 6, added: 5, invalid: 1 } });
  expect(place.sandbox.members('us', 'hr-leads')).toEqual(
    new Map([
      ['anna', 'moderator'],
      ['ben', 'moderator'],
    ]),
  );
  const folder = dirname(summary.reports.all ?? '');
  expect(readFileSync(join(folder, 'unknown-groups.csv'), 'utf8')).toBe('code,guid,rows\nSales,,1\n');
  expect((await place.run(['status', summary.id])).stderr).toContain('GUIDs');
  const before = place.calls();
  const again = await place.run(['import', file, '--groups', groups, '--dry-run']);
  expect(again.stderr).toMatch(/unknown-groups\.csv/);
  expect(place.calls()).toBe(before);
  const alone = await place.run(['import', file, '--group-key', 'code']);
  expect([alone.code, alone.stderr]).toEqual([EXIT.usage, expect.stringContaining('[FLAG_NEEDS]')]);
});

test('an identity file that contradicts itself is refused, and nothing is sent', async () => {
  const place = await openSandboxPlace();
  const people = place.file('people.csv', `${PEOPLE}ANNA@x.it,anna-2\n`);
  const file = place.file('m.csv', 'uid,guid\nanna@x.it,g1\n');
  const { code, stderr } = await place.run(['import', file, '--identities', people]);
  expect(code).toBe(EXIT.usage);
  expect(stderr).toContain('anna-2');
  expect(place.calls()).toBe(0);
});

test('a file whose keys are not clear is refused, with what to write', async () => {
  const place = await openWorkplace();
  const people = place.file('people.csv', 'nick,town,uid\na,b,c\n');
  const file = place.file('m.csv', 'uid,guid\na,g1\n');
  const { code, stderr } = await place.run(['import', file, '--identities', people, '--dry-run']);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('--identity-key email')]);
  const named = await place.run(['import', file, '--identities', people, '--identity-key', 'nick', '--dry-run']);
  expect(named.code).toBe(EXIT.ok);
});

test('interrupted in the middle, it goes on with the identities it began with, also when their file is gone', async () => {
  const place = await openSandboxPlace({ users: 'any', groups: 'any', latencyMs: [20, 40] });
  const count = 400;
  const rows = Array.from({ length: count }, (_, n) => `p${n}@x.it,a${n % 20};b${n % 7}\n`);
  const people = place.file('people.csv', `email,uid\n${rows.map((_, n) => `P${n}@X.it,user-${n}\n`).join('')}`);
  const file = place.file('m.csv', `uid,guid\n${rows.join('')}`);
  const running = place.begin(['import', file, '--split', 'guid=;', '--identities', people, '--concurrency', '1']);
  await eventually(() => place.calls()).toBeGreaterThan(3);
  running.interrupt();
  expect((await running.ended).code).toBe(EXIT.interrupted);
  rmSync(join(place.root, people));
  const { code, summary } = await place.summary(['resume']);
  expect(code).toBe(EXIT.ok);
  expect(summary).toMatchObject({ inputRows: count, rows: { read: 2 * count, invalid: 0, unprocessed: 0 } });
  const members = (group: string) => [...place.sandbox.members('us', group).keys()].sort();
  expect(members('a3')).toEqual(Array.from({ length: 20 }, (_, n) => `user-${3 + 20 * n}`).sort());
  expect(members('b6')).toHaveLength(Math.floor((count - 7) / 7) + 1 - Number(count % 7 === 0));
});

test('the retry of a row that succeeded in part has what is left of it, and needs no shape', async () => {
  const place = await openSandboxPlace({ seed: { regions: { us: { users: ['anna'], groups: ['g1'] } } } });
  const file = place.file('m.csv', 'who,guid\nanna,g1|g2\nben,g1\n');
  const { summary } = await place.summary(['import', file, '--uid', '{who|lower}', '--split', 'guid=|']);
  expect(summary.rows).toMatchObject({ added: 1, failed: 2 });
  const retry = readFileSync(summary.reports.retry ?? '', 'utf8');
  expect(retry).toBe('region,guid,uid,scope,on_behalf_of,_row\nus,g2,anna,participant,,2\nus,g1,ben,participant,,3\n');
  const again = await place.summary(['retry', summary.id]);
  expect(again.summary).toMatchObject({ rows: { read: 2, failed: 2 } });
  const byHand = place.file('retry.csv', retry);
  expect((await place.summary(['import', byHand])).summary.rows).toMatchObject({ read: 2, failed: 2 });
});

test('lists in JSON are opened without a flag, and inspect says how: its command, the retry and the correction read them alike', async () => {
  const place = await openSandboxPlace({ seed: { regions: { us: { users: ['anna', 'ben'], groups: ['g1', 'g2'] } } } });
  const file = place.file(
    'm.json',
    '[{"username":"anna","groups":["g1","g 2"]},{"username":"ben","groups":"g3"},{"username":"ben","groups":["g1","g2"]}]',
  );
  expect((await place.run(['inspect', file])).stderr).toContain("--map 'uid=username,guid={groups|slug}'");
  const options = ['--map', 'uid=username,guid=groups'];
  const { summary } = await place.summary(['import', file, ...options]);
  expect(summary).toMatchObject({ inputRows: 3, rows: { read: 5, added: 3, invalid: 1, failed: 1 } });
  expect((await place.summary(['retry', summary.id])).summary.rows).toMatchObject({ read: 1, failed: 1 });
  const failed = readFileSync(summary.reports.failed ?? '', 'utf8');
  const edits = place.file('edits.csv', failed.replaceAll('g 2', 'g2'));
  const corrected = await place.summary(['retry', summary.id, '--edits', edits]);
  expect(corrected.summary.rows).toMatchObject({ read: 1, added: 1 });
  expect([...place.sandbox.members('us', 'g2').keys()].sort()).toEqual(['anna', 'ben']);
});

test('--first sends some rows, resume the others, as one import; cancel gives the others up', async () => {
  const place = await openSandboxPlace();
  const file = place.file('m.csv', `uid,guid\n${Array.from({ length: 60 }, (_, n) => `u${n},g${n % 2}\n`).join('')}`);
  const first = await place.run(['import', file, '--first', '7']);
  expect(first.code).toBe(EXIT.ok);
  expect(first.stdout).toContain('53 pending');
  expect(place.sandbox.members('us', 'g0').size + place.sandbox.members('us', 'g1').size).toBe(7);
  const rest = await place.summary(['resume']);
  expect([rest.code, rest.summary.rows]).toEqual([EXIT.ok, expect.objectContaining({ read: 60, added: 60 })]);

  const only = await place.summary(['import', file, '--only', 'guid=g1', '--first', '5']);
  expect(only.summary).toMatchObject({ state: 'paused', code: 'FIRST_ROWS', rows: { already_member: 5 } });
  expect((await place.run(['cancel', only.summary.id])).code).toBe(EXIT.ok);
  const { stdout } = await place.run(['status', only.summary.id, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ state: 'cancelled', rows: { already_member: 5, unprocessed: 55 } });
  const retried = await place.summary(['retry', only.summary.id]);
  expect(retried.summary.rows).toMatchObject({ read: 55, already_member: 55 });
});

test('--only that no row has is refused, and nothing is sent, on this machine and at a server', async () => {
  const place = await openSandboxPlace();
  const file = place.file('m.csv', 'uid,guid\nann,g\nben,h\n');
  const server = await startTestServer();
  onTestFinished(() => server.close());
  const flags = ['--only', 'guid=zzz|yyy', '--only', 'uid=ann'];
  for (const at of [[], ['--server', server.url]]) {
    const { code, stdout, stderr } = await place.run(['import', file, ...flags, ...at]);
    expect(code).toBe(EXIT.usage);
    const said = (stdout + stderr).replace(/\s+/g, ' ');
    expect(said).toContain('zzz');
    expect(said).not.toContain('rows to try first');
    const { summary } = await place.summary(['status', ...at]);
    expect(summary).toMatchObject({ state: 'rejected', code: 'NO_ROWS' });
  }
  expect(place.calls()).toBe(0);
  // Ids are compared in any case, and one of several is enough.
  const { code } = await place.run(['import', file, '--only', 'guid=zzz|G']);
  expect(code).toBe(EXIT.ok);
});

test('a file of changes that removes more than it may is held until someone says how many', async () => {
  const place = await openSandboxPlace({
    seed: { regions: { us: { members: { team: { participants: ['a', 'b', 'c'], usersToBan: ['d'] } } } } },
  });
  const file = place.file(
    'delta.csv',
    'uid,guid,status\na,team,deleted\nb,team,blocked\nd,team,unban\nc,team,none of it\n',
  );
  const flags = ['--actions', 'status', '--action-words', 'deleted=remove,blocked=ban,none of it=none'];
  const held = await place.run(['import', file, ...flags, '--max-removals', '1']);
  expect(held.code).toBe(EXIT.stopped);
  expect(held.stderr).toContain('[TOO_MANY_REMOVALS]');
  const [, command = ''] = /rollcall (resume .+)/.exec(held.stderr) ?? [];
  expect(command).toMatch(/^resume \S+ --max-removals 2$/);
  expect(place.calls()).toBe(0);
  // Someone who resumes whatever waits has not looked at it.
  const plain = await place.run(['resume']);
  expect([plain.code, plain.stderr]).toEqual([EXIT.stopped, expect.stringContaining('[TOO_MANY_REMOVALS]')]);
  expect(place.calls()).toBe(0);
  const { code, summary } = await place.summary(command.split(' '));
  expect([code, summary.rows]).toEqual([
    EXIT.ok,
    expect.objectContaining({ removed: 1, banned: 1, unbanned: 1, skipped: 1 }),
  ]);
  // Each of these writes a message too.
  expect(summary.writes).toEqual({ messages: 3, groups: 1 });
  expect(place.sandbox.members('us', 'team')).toEqual(
    new Map([
      ['b', 'ban'],
      ['c', 'participant'],
    ]),
  );
});

test.each([
  [['--uid', '{mail|locapart}'], /"locapart".*is not a function.*Allowed are lower/s],
  [['--split', 'name=;'], /Expected field=separator/],
  [['--scope-words', 'OWNER=boss'], /allowed are admin, moderator, participant, ban, none/],
  [['--where', 'status'], /Expected conditions such as status=active/],
  [['--wide-guid', '{column}'], /--wide-guid needs --wide/],
  [['--header-row', '2', '--skip-lines', '1'], /give one of them/],
  [['--where', 'Stauts=x'], /needs the column "Stauts".*the columns are "uid", "guid", "status".*Write "status"/s],
  [['--map', 'uid=uidd'], /uid is mapped to "uidd", a column that the input does not have.*"status".*Write "uid"/s],
])('%j is refused with what is allowed', async (flags, message) => {
  const place = await openWorkplace();
  const file = place.file('m.csv', 'uid,guid,status\na,g,x\n');
  const { code, stderr } = await place.run(['import', file, '--dry-run', ...flags]);
  expect(code).toBe(EXIT.usage);
  expect(stderr).toMatch(message);
});

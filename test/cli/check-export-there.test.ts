import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { members, openWorkplace } from './workplace.ts';

let server: TestServer;
beforeAll(async () => {
  const seed = {
    users: ['anna', 'bob'],
    regions: { us: { members: { team: { participants: ['bob'], usersToBan: ['mallory'] } } } },
  };
  server = await startTestServer({ sandbox: { users: 0, groups: 0, seed } });
});
afterAll(() => server.close());

async function remotePlace() {
  const place = await openWorkplace({ env: { ROLLCALL_SERVER: server.url } });
  place.file(
    'm.csv',
    members([
      ['team', 'anna'],
      ['team', 'ghost'],
      ['none', 'bob'],
    ]),
  );
  return place;
}

test('import --check has a server read and check the file, shows the same, and resume sends it there', async () => {
  const place = await remotePlace();
  const { code, stdout, stderr } = await place.run(['import', 'm.csv', '--check']);
  expect(code).toBe(1);
  expect(stdout).toContain('ERR_UID_NOT_FOUND');
  const [, id = ''] = /rollcall resume (\S+)/.exec(stderr) ?? [];
  expect(stderr).toContain(`${server.url}/v1/imports/${id}/check/rows`);
  const later = await place.run(['status']);
  expect(later.stdout).toContain(stdout);
  expect(later.stderr).toContain(`${server.url}/v1/imports/${id}/check/rows`);
  const again = await place.run(['check', id, '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({ id, wouldFail: true, rows: { read: 3, add: 1, fail: 2 } });
});

test('resume --leave-out-failing has a server send all rows but those that would fail', async () => {
  const place = await remotePlace();
  await place.run(['import', 'm.csv', '--check']);
  const { code, summary } = await place.summary(['resume', '--leave-out-failing']);
  expect(code).toBe(0);
  expect(summary.rows).toMatchObject({ read: 3, skipped: 2, failed: 0 });
});

test('a check on a server that costs more than it may stops with exit code 3, and goes on with --yes', async () => {
  const place = await remotePlace();
  const { code, stderr } = await place.run(['import', 'm.csv', '--check', '--max-calls', '1']);
  expect([code, stderr]).toEqual([3, expect.stringMatching(/\d+ (is|are)/)]);
  expect(stderr).toMatch(/ check \S+ --yes/);
  expect((await place.run(['check', '--yes'])).code).toBe(1);
});

test('a file that a server cannot read is refused, and nothing is checked', async () => {
  const place = await remotePlace();
  place.file('bad.csv', 'colour,size\nred,1\n');
  const { code, stderr } = await place.run(['import', 'bad.csv', '--check']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('[MISSING_COLUMN]')]);
});

test('check of an import that was sent is refused in the words of the server', async () => {
  const place = await remotePlace();
  await place.run(['import', 'm.csv']);
  const { code, stderr } = await place.run(['check']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('[WRONG_STATE]')]);
});

test('export has a server read the groups, writes the same files, and leaves nothing there', async () => {
  const place = await remotePlace();
  const { code, stdout } = await place.run(['export', '--region', 'us', '--output', 'out.csv', '--users', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ state: 'completed', totals: { groups: 1, banned: 1 } });
  expect(readFileSync(join(place.root, 'out.csv'), 'utf8')).toMatch(/^mallory,team,ban,us,/m);
  for (const name of ['out-groups.csv', 'out-users.csv']) expect(existsSync(join(place.root, name))).toBe(true);
  expect(await server.json('/v1/exports')).toEqual({ exports: [] });
  const piped = await place.run(['export', '--groups', 'team', '--format', 'ndjson']);
  expect([piped.code, piped.stdout]).toEqual([0, expect.stringContaining('"uid":"bob"')]);
});

test('after an export with --server, the sync that it suggests names the server too', async () => {
  const place = await openWorkplace();
  const { code, stderr } = await place.run(['export', '--output', 'out.csv', '--server', server.url]);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/ sync \S+out\.csv --mode .* --server http:/)]);
});

test('an export that a server has read is downloaded later with --resume', async () => {
  const place = await remotePlace();
  const failed = await place.run(['export', '--output', 'no/such/folder/out.csv']);
  const [, id = ''] = /--resume (export-\S+)/.exec(failed.stderr) ?? [];
  expect([failed.code, id]).toEqual([2, expect.stringContaining('export-')]);
  expect((await place.run(['export', '--resume', '--output', 'out.csv'])).code).toBe(0);
  expect(readFileSync(join(place.root, 'out.csv'), 'utf8')).toContain('\nbob,team,participant,us,');
  expect((await place.run(['export', '--resume', id])).stderr).toContain('[UNKNOWN_EXPORT]');
  expect((await place.run(['export', '--resume'])).stderr).toContain('[BAD_USAGE]');
});

test.each([['--groups', '--resume'], ['--users'], ['--json']])(
  'export with %s is refused before a server is asked',
  async (...flags) => {
    const place = await openWorkplace({ env: { ROLLCALL_SERVER: 'http://127.0.0.1:9' } });
    const words = flags.flatMap((flag) => (flag === '--groups' ? [flag, 'a'] : [flag]));
    expect(await place.run(['export', ...words])).toMatchObject({ code: 2 });
  },
);

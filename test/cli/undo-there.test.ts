import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import type { SyncsPage } from '../../src/features/sync/api.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { openWorkplace } from './workplace.ts';

let server: TestServer;
beforeAll(async () => {
  const seed = { users: ['ann', 'guest'], groups: ['old'] };
  server = await startTestServer({ sandbox: { users: 0, groups: 0, seed } });
});
afterAll(() => server.close());

test('undo --created has a server delete what an import created, and says what it keeps', async () => {
  const place = await openWorkplace({ env: { ROLLCALL_SERVER: server.url } });
  place.file('m.csv', 'guid,uid\nchoir,ann\nchoir,bob\nband,eve\n');
  const create = ['--create-users', '--create-groups', '--user-name-from', 'uid', '--group-name-from', 'guid'];
  const { summary } = await place.summary(['import', 'm.csv', ...create]);
  expect(summary.created).toEqual({ users: 2, groups: 2, reactivated: 0 });
  const { id } = summary;

  const planned = await place.run(['undo', id, '--created']);
  expect([planned.code, planned.stdout]).toEqual([EXIT.ok, expect.stringContaining('3 to remove')]);
  expect(planned.stderr).toContain('Can be deleted, with --apply, unless others use them:\n  group');
  expect(server.sandbox.group('us', 'choir')).toBeDefined();

  const undone = await place.run(['undo', id, '--apply', '--include-uncertain']);
  const [latest] = (await server.json<SyncsPage>('/v1/syncs')).syncs;
  expect(await server.json(`/v1/syncs/${latest?.id}`)).toMatchObject({ flags: { includeUncertain: true }, left: null });
  expect([undone.code, undone.stderr]).toEqual([
    EXIT.ok,
    expect.stringMatching(/They stay; --created deletes them:\n {2}group \w+ \(us\), created/),
  ]);
  const asked = await place.run(['undo', id, '--created', '--apply']);
  expect([asked.code, asked.stderr]).toEqual([EXIT.stopped, expect.stringContaining('--yes deletes them')]);

  // Someone else has begun to use one of the groups.
  await server.run('guid,uid\nband,guest\n');
  const deleted = await place.run(['undo', id, '--created', '--apply', '--yes']);
  expect(deleted.stderr).toContain('1 group and 2 users deleted.\n  group band (us), kept: 1 user in it');
  expect(deleted.code).toBe(EXIT.rowsFailed);
  const { stdout } = await place.run(['status', id]);
  expect(stdout).toContain('\n2 groups and 2 users created; deleted since: 1 group and 2 users.\n');
  const { sandbox } = server;
  expect([sandbox.group('us', 'choir'), sandbox.user('us', 'bob'), sandbox.user('us', 'eve')]).toEqual(
    Array(3).fill(undefined),
  );
  expect([sandbox.group('us', 'band'), sandbox.user('us', 'guest')]).not.toContain(undefined);
});

test('after an import of a file of changes, undo says what is not restored', async () => {
  const place = await openWorkplace({ env: { ROLLCALL_SERVER: server.url } });
  place.file('m.csv', 'guid,uid,action\nold,ann,add\nold,ann,remove\n');
  const { summary } = await place.summary(['import', 'm.csv', '--actions']);
  const { stderr } = await place.run(['undo', summary.id]);
  expect(stderr).toContain('The import read a file of changes.');
});

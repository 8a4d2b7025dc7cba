import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SyncEntry } from '../../src/api/sync-entry.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { openWorkplace } from './workplace.ts';

let server: TestServer;
beforeAll(async () => {
  const seed = { users: ['ann'], groups: ['old'] };
  server = await startTestServer({ sandbox: { users: 0, groups: 0, seed } });
});
afterAll(() => server.close());

test('undo at a server says where it has what the import created, which stays', async () => {
  const place = await openWorkplace({ env: { ROLLCALL_SERVER: server.url } });
  place.file('m.csv', 'guid,uid\nchoir,ann\nchoir,bob\n');
  const create = ['--create-users', '--create-groups', '--user-name-from', 'uid', '--group-name-from', 'guid'];
  const { summary } = await place.summary(['import', 'm.csv', ...create]);
  const created = `${server.url}/v1/imports/${summary.id}/created`;
  expect(summary.reports.created).toBe(created);

  const undone = await place.run(['undo', summary.id, '--apply', '--include-uncertain']);
  const [latest] = (await server.json<{ readonly syncs: readonly SyncEntry[] }>('/v1/syncs')).syncs;
  expect(await server.json(`/v1/syncs/${latest?.id}`)).toMatchObject({ includeUncertain: true, leftInPlace: null });
  expect([undone.code, undone.stderr]).toEqual([EXIT.ok, expect.stringContaining(`\n  ${created}\n`)]);
  expect([server.sandbox.group('us', 'choir'), server.sandbox.user('us', 'bob')]).not.toContain(undefined);
});

test('after an import of a file of changes, undo says what is not restored', async () => {
  const place = await openWorkplace({ env: { ROLLCALL_SERVER: server.url } });
  place.file('m.csv', 'guid,uid,action\nold,ann,add\nold,ann,remove\n');
  const { summary } = await place.summary(['import', 'm.csv', '--actions']);
  const { stderr } = await place.run(['undo', summary.id]);
  expect(stderr).toContain('of changes.');
});

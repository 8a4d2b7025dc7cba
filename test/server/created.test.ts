import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { SyncView } from '../../src/features/sync/api.ts';
import type { CreatedView } from '../../src/features/undo/api.ts';
import { eventually } from '../eventually.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ sandbox: { users: 0, groups: 0, seed: { users: ['ann'], groups: ['other'] } } });
});
afterAll(() => server.close());

test('what an import created is listed, and deleted for good when its memberships were taken back', async () => {
  const file = 'uid,guid,name,group_name\nann,new,Ann,New\nbob,new,Bob,New\n';
  const view = await server.run(file, 'createUsers=true&createGroups=true');
  expect(view).toMatchObject({ state: 'completed', created: { users: 1, groups: 1 } });
  const path = `/v1/imports/${view.id}/created`;
  const made = await server.json<CreatedView>(path);
  expect(made).toMatchObject({ total: 2, deletable: 2, isTakenBack: false, progress: null });
  expect(made.things).toMatchObject([
    { kind: 'group', region: 'us', name: 'new', outcome: 'created', undone: null },
    { kind: 'user', region: 'us', name: 'bob', outcome: 'created', undone: null },
  ]);
  expect(await server.problem(path, { method: 'DELETE' })).toMatchObject({
    code: 'WRONG_STATE',
    remedy: expect.stringContaining('undo?apply=true'),
  });

  const undo = `/v1/imports/${view.id}/undo?apply=true`;
  const { id } = await server.json<SyncView>(undo, { method: 'POST' });
  await eventually(() => server.json(`/v1/syncs/${id}`)).toMatchObject({ state: 'applied' });
  server.sandbox.faults.set('refuse-key');
  expect((await server.fetch(path, { method: 'DELETE' })).status).toBe(202);
  await eventually(() => server.json(path)).toMatchObject({
    progress: null,
    reason: expect.stringContaining('API key'),
  });
  server.sandbox.faults.clear();
  expect(server.sandbox.user('us', 'bob')).toBeDefined();

  // Another import has put the user into a group: the user is kept, which is said beforehand.
  const other = await server.run('uid,guid\nbob,other\n');
  const why = `import ${other.id} put it into the group other`;
  const planned = await server.json<CreatedView>(path);
  expect(planned).toMatchObject({ deletable: 1, things: [{ name: 'new' }, { name: 'bob', isUsed: true, why }] });
  await server.fetch(path, { method: 'DELETE' });
  await eventually(() => server.json(path)).toMatchObject({ deletable: 0, progress: null, reason: '' });
  expect((await server.json<CreatedView>(path)).things).toMatchObject([{ undone: 'deleted' }, { undone: 'kept', why }]);
  const back = await server.json<SyncView>(`/v1/imports/${other.id}/undo?apply=true`, { method: 'POST' });
  await eventually(() => server.json(`/v1/syncs/${back.id}`)).toMatchObject({ state: 'applied' });

  await server.fetch(path, { method: 'DELETE' });
  await eventually(() => server.json(path)).toMatchObject({ deletable: 0, progress: null, reason: '' });
  expect((await server.json<CreatedView>(path)).things.map(({ undone }) => undone)).toEqual(['deleted', 'deleted']);
  expect(server.sandbox.user('us', 'bob')).toBeUndefined();
  expect(server.sandbox.group('us', 'new')).toBeUndefined();
  expect(server.sandbox.user('us', 'ann')).toBeDefined();
});

test('an answer that was begun before a deletion ended does not say that it is over', async () => {
  const file = 'uid,guid,name,group_name\nann,late,Ann,Late\ncleo,late,Cleo,Late\n';
  const { id } = await server.run(file, 'createUsers=true&createGroups=true');
  const undo = await server.json<SyncView>(`/v1/imports/${id}/undo?apply=true`, { method: 'POST' });
  await eventually(() => server.json(`/v1/syncs/${undo.id}`)).toMatchObject({ state: 'applied' });
  await server.run('uid,guid\nann,other\n');
  const path = `/v1/imports/${id}/created`;

  const { requests } = server.sandbox.calls.us;
  server.sandbox.faults.set('slow=60000ms');
  expect((await server.fetch(path, { method: 'DELETE' })).status).toBe(202);
  await eventually(() => server.sandbox.calls.us.requests).toBeGreaterThan(requests);
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<never[]>()];
  const membershipsOf = async () => {
    asked.resolve();
    return await answer.promise;
  };
  vi.spyOn(server.coordinator.reading, 'of').mockReturnValueOnce({ membershipsOf } as never);
  const early = server.json<CreatedView>(path);
  await asked.promise;
  server.sandbox.faults.clear();
  await eventually(() => server.json(path)).toMatchObject({ progress: null, deletable: 0 });
  answer.resolve([]);
  expect((await early).things.map(({ undone }) => undone)).toContain(null);
  expect((await early).progress).not.toBeNull();
});

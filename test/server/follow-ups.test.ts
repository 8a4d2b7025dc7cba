import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { SyncView } from '../../src/features/sync/api.ts';
import { syncSettled } from '../syncs/sync-settled.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ sandbox: { users: 5 } });
});
afterAll(() => server.close());

const show = (id: string) => server.json<ImportView>(`/v1/imports/${id}`);
const post = <T>(path: string) => server.json<T>(path, { method: 'POST' });

test('an import says what retries and undoes it, and offers to retry only what no retry has taken', async () => {
  const first = await server.run('guid,uid\nfollowed,user-1\nfollowed,nobody\n');
  expect(first).toMatchObject({ followUps: [], actions: ['retry', 'delete'], attention: 1 });

  const retry = await post<ImportView>(`/v1/imports/${first.id}/retry`);
  await server.settled(retry.id);
  expect(await show(first.id)).toMatchObject({
    actions: ['delete'],
    attention: 0,
    followUps: [
      { kind: 'retry', id: retry.id, state: 'completed', isOpen: false, rows: { read: 1, failed: 1 }, isPart: false },
    ],
  });
  expect(await show(retry.id)).toMatchObject({ actions: ['retry', 'delete'], attention: 1 });

  const undo = await post<SyncView>(`/v1/imports/${first.id}/undo`);
  await syncSettled(server.syncs, undo.id);
  const planned = { kind: 'undo', id: undo.id, state: 'planned', isOpen: true, rows: null, isPart: false };
  expect((await show(first.id)).followUps.at(-1)).toEqual(planned);
  await post(`/v1/syncs/${undo.id}/apply`);
  await syncSettled(server.syncs, undo.id);
  expect((await show(first.id)).followUps.at(-1)).toMatchObject({
    kind: 'undo',
    state: 'applied',
    isOpen: false,
    rows: { read: 1, removed: 1 },
  });
  const list = await server.json<{ imports: ImportView[] }>('/v1/imports');
  expect(list.imports.find(({ id }) => id === first.id)?.followUps).toHaveLength(2);

  await server.fetch(`/v1/imports/${retry.id}`, { method: 'DELETE' });
  expect(await show(first.id)).toMatchObject({ actions: ['retry', 'delete'], followUps: [{ kind: 'undo' }] });
});

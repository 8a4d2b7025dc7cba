import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BulkAnswer, ImportView, importOperations } from '../../src/api/imports.ts';
import type { AnswerOf } from '../../src/api/operation.ts';
import type { AuditPage } from '../../src/api/service.ts';
import { reached } from '../imports/pipeline-harness.ts';
import { syncSettled } from '../syncs/sync-settled.ts';
import { startTestServer, type TestServer } from './test-server.ts';

type ImportsPage = AnswerOf<typeof importOperations.list>;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ sandbox: { latencyMs: 20, users: 5 } });
});
afterAll(() => server.close());

const found = async (query: string) =>
  (await server.json<ImportsPage>(`/v1/imports?${query}`)).imports.map(({ file }) => file).sort();
const bulk = (body: object) =>
  server.json<BulkAnswer>('/v1/imports/actions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('an import is found by its name, tags, who started it, its kind, its day, and whether it has problems', async () => {
  const good = await server.run('guid,uid\nteam,user-1\n', 'name=choir-autumn.csv&tags=choir,term 1');
  const bad = await server.run('guid,uid\nteam,nobody-here\n', 'name=strings.csv&tags=orchestra');
  expect(good).toMatchObject({ kind: 'file', tags: ['choir', 'term 1'], createdBy: 'local' });
  const retry = await server.json<ImportView>(`/v1/imports/${bad.id}/retry`, { method: 'POST' });
  await server.settled(retry.id);
  expect(retry).toMatchObject({ kind: 'retry', tags: ['orchestra'], createdBy: 'local' });

  expect(await found('search=AUTUMN')).toEqual(['choir-autumn.csv']);
  expect(await found(`search=${bad.id}`)).toEqual(['strings.csv']);
  expect(await found('search=orch')).toEqual(['strings-retry.csv', 'strings.csv']);
  expect(await found('tags=choir,Term 1')).toEqual(['choir-autumn.csv']);
  expect(await found('tags=choir,orchestra')).toEqual([]);
  expect(await found('kind=retry')).toEqual(['strings-retry.csv']);
  expect(await found('problems=true')).toEqual(['strings-retry.csv']);
  expect(await found('createdBy=LOCAL&search=choir')).toEqual(['choir-autumn.csv']);
  const today = good.createdAt.slice(0, 10);
  expect(await found(`search=choir&from=${today}&to=${today}`)).toEqual(['choir-autumn.csv']);
  expect(await found(`search=choir&to=${new Date(Date.parse(today) - 1).toISOString()}`)).toEqual([]);
});

test('the list opens no ledger of an import that has ended: without it, its rows are counted, and not sent again', async () => {
  const ended = await server.run('guid,uid\nended,user-1\nended,nobody-here\nended,not a uid\n', 'name=ended.csv');
  expect(ended).toMatchObject({ state: 'completed', rows: { read: 3, added: 1, failed: 1, invalid: 1 } });
  rmSync(server.dir.ledger(ended.id));
  const { imports } = await server.json<ImportsPage>(`/v1/imports?search=${ended.id}`);
  expect(imports).toEqual([{ ...ended, actions: ['delete'], retryable: 0, next: [] }]);
});

test('an undo carries the tags of what it undoes, and is of its own kind', async () => {
  const { id } = await server.run('guid,uid\nundone,user-2\n', 'tags=summer');
  const undo = await server.json<{ id: string }>(`/v1/imports/${id}/undo?apply=true`, { method: 'POST' });
  await syncSettled(server.syncs, undo.id);
  expect(await server.settled(undo.id)).toMatchObject({ kind: 'undo', tags: ['summer'], createdBy: 'local' });
  expect((await server.json<ImportsPage>('/v1/imports?kind=undo')).imports.map((one) => one.id)).toEqual([undo.id]);
});

test('one request acts on several imports, each of which answers for itself; each is in the audit log', async () => {
  const staged = await server.run('guid,uid\nteam,user-3\n', 'dryRun=true');
  const over = await server.run('guid,uid\nteam,user-4\n');
  // Last, for it must run still.
  const spread = `guid,uid\n${Array.from({ length: 4_000 }, (_, at) => `g${at},user-1`).join('\n')}\n`;
  const running = await server.upload(spread);
  await reached(server.coordinator, running.id, 'running');
  const ids = [running.id, staged.id, over.id, 'no-such-import', running.id];
  const { results } = await bulk({ action: 'cancel', ids });
  expect(results.map(({ id }) => id)).toEqual(ids.slice(0, 4));
  expect(results.map(({ problem }) => problem?.code)).toEqual([undefined, undefined, 'WRONG_STATE', 'UNKNOWN_IMPORT']);
  expect(results.slice(2).map(({ state }) => state)).toEqual(['completed', null]);
  expect(results[2]?.problem).toMatchObject({ possible: ['delete'], remedy: expect.stringMatching(/./) });
  expect((await server.settled(running.id)).state).toBe('cancelled');
  expect((await server.settled(staged.id)).state).toBe('cancelled');

  const tagged = await bulk({ action: 'tag', ids: [staged.id, over.id], tags: { add: ['spring'] } });
  expect(tagged.results).toEqual([
    { id: staged.id, state: 'cancelled' },
    { id: over.id, state: 'completed' },
  ]);
  expect((await server.json<ImportsPage>('/v1/imports?tags=spring')).imports).toHaveLength(2);
  await bulk({ action: 'tag', ids: [over.id], tags: { remove: ['SPRING'], add: ['kept'] } });
  expect(await server.json<ImportView>(`/v1/imports/${over.id}`)).toMatchObject({ tags: ['kept'] });

  const gone = await bulk({ action: 'delete', ids: [staged.id] });
  expect(gone.results).toEqual([{ id: staged.id, state: null }]);
  expect(await server.problem(`/v1/imports/${staged.id}`)).toMatchObject({ code: 'UNKNOWN_IMPORT' });
  const { entries } = await server.json<AuditPage>('/v1/audit?limit=20');
  const noted = (action: string) => entries.filter((one) => one.action === action).map(({ target }) => target);
  expect(noted('import.cancel').sort()).toEqual([running.id, staged.id].sort());
  expect(noted('import.delete')).toEqual([staged.id]);
});

test.each([
  ['from=yesterday', 'from'],
  ['to=2026-13-01', 'to'],
  ['kind=upload', 'kind'],
  ['tags=<b>', 'tags'],
  ['problems=yes', 'problems'],
])('a filter with a wrong value is refused and named: %s', async (query, field) => {
  expect(await server.problem(`/v1/imports?${query}`)).toMatchObject({ code: 'BAD_OPTION', field });
});

test('an action that needs no tags refuses them, and a tag needs some', async () => {
  const refused = (body: object) =>
    server.problem('/v1/imports/actions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect(await refused({ action: 'tag', ids: ['a'] })).toMatchObject({ code: 'BAD_OPTION' });
  expect(await refused({ action: 'pause', ids: ['a'], tags: {} })).toMatchObject({ code: 'BAD_OPTION' });
  expect(await refused({ action: 'explode', ids: ['a'] })).toMatchObject({ code: 'BAD_OPTION', field: 'action' });
});

test('an import that was cancelled has problems until a retry has sent its other rows', async () => {
  const post = { method: 'POST' };
  const { id } = await server.run('guid,uid\nteam,user-1\nteam,user-2\n', 'first=1&name=stopped.csv');
  await server.json(`/v1/imports/${id}/cancel`, post);
  expect(await server.settled(id)).toMatchObject({ state: 'cancelled', rows: { unprocessed: 1 } });
  expect(await found('problems=true&search=stopped')).toEqual(['stopped.csv']);
  const retry = await server.json<ImportView>(`/v1/imports/${id}/retry`, post);
  expect(await server.settled(retry.id)).toMatchObject({ state: 'completed', rows: { added: 1 } });
  expect(await found('problems=true&search=stopped')).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Comparison, SyncView } from '../../src/features/sync/api.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
const groups = Array.from({ length: 30 }, (_, at) => `g${String(at).padStart(2, '0')}`);
beforeAll(async () => {
  const members = Object.fromEntries(groups.map((guid) => [guid, { participants: ['user-1', 'user-2'] }]));
  server = await startTestServer({ sandbox: { groups: 0, users: 5, seed: { regions: { us: { members } } } } });
});
afterAll(() => server.close());

async function sync(rows: readonly string[], query: string): Promise<SyncView> {
  const made = await server.json<SyncView>(`/v1/syncs?name=roster.csv&${query}`, {
    method: 'POST',
    body: `guid,uid,scope\n${rows.join('\n')}\n`,
    headers: { 'content-type': 'text/csv' },
  });
  await server.syncs.settled(made.id);
  return server.json(`/v1/syncs/${made.id}`);
}
const compare = (first: SyncView, second: SyncView, rest = '') =>
  server.json<Comparison>(`/v1/syncs/${first.id}/compare?with=${second.id}${rest}`);

test('two nights are compared group by group: what each adds, changes and removes, what failed, and where they differ', async () => {
  const same = groups.flatMap((guid) => [`${guid},user-1,`, `${guid},user-2,`]);
  const first = await sync([...same, 'g00,user-3,', 'g00,nobody,', 'g01,user-1,admin'], 'apply=true');
  expect(first.state).toBe('applied');
  const second = await sync(
    [...same.filter((row) => !row.startsWith('g02,user-2') && !row.startsWith('g03')), 'new,user-4,'],
    'mode=mirror&missing=remove&limit.forgottenGroups=100&limit.shrunkPercent=100',
  );
  const found = await compare(first, second);
  expect(found.first).toMatchObject({ id: first.id, failed: 1, totals: { actions: { add: 2 } } });
  expect(found.second).toMatchObject({ id: second.id, failed: 0 });
  const none = { add: 0, raise: 0, lower: 0, remove: 0, ban: 0, failed: 0 };
  expect(found.groups).toEqual([
    { region: 'us', guid: 'g00', first: { ...none, add: 2, failed: 1 }, second: { ...none, remove: 1 } },
    { region: 'us', guid: 'g01', first: expect.anything(), second: none },
    { region: 'us', guid: 'g02', first: none, second: { ...none, remove: 1 } },
    { region: 'us', guid: 'g03', first: none, second: null },
    { region: 'us', guid: 'new', first: null, second: expect.anything() },
  ]);

  // Page by page it is the same; with all groups, those in which they do the same are there as well.
  const paged: Comparison['groups'] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Comparison = await compare(first, second, `&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect(page.groups.length).toBeLessThanOrEqual(2);
    paged.push(...page.groups);
    cursor = page.nextCursor;
  }
  expect(paged).toEqual(found.groups);
  expect((await compare(first, second, '&all=true&limit=500')).groups).toHaveLength(31);
  expect(await compare(first, first)).toMatchObject({ groups: [], nextCursor: null });
});

test('what cannot be compared says why', async () => {
  const { syncs } = await server.json<{ syncs: { id: string }[] }>('/v1/syncs');
  const id = syncs[0]?.id;
  expect(await server.problem(`/v1/syncs/${id}/compare?with=none`)).toMatchObject({ code: 'UNKNOWN_SYNC' });
  expect(await server.problem(`/v1/syncs/${id}/compare?with=${id}&cursor=x`)).toMatchObject({ code: 'BAD_CURSOR' });
  const failed = await sync(['g00,user-1,'], 'map=uid%3DNope');
  expect(failed.totals).toBeNull();
  expect(await server.problem(`/v1/syncs/${id}/compare?with=${failed.id}`)).toMatchObject({ code: 'NO_PLAN_YET' });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { RepairEdited, RepairReplaced, RepairRows, RepairView } from '../../src/api/repair.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ sandbox: { users: 5 } });
});
afterAll(() => server.close());

const show = (id: string) => server.json<ImportView>(`/v1/imports/${id}`);
const body = (method: string, given: object) => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(given),
});
const overview = (id: string) => server.json<RepairView>(`/v1/imports/${id}/repair`);
const rowsOf = (id: string, query = '') => server.json<RepairRows>(`/v1/imports/${id}/repair/rows${query}`);
const edit = (id: string, ...edits: (readonly [row: number, column: string, value: string | null])[]) =>
  server.json<RepairEdited>(
    `/v1/imports/${id}/repair/rows`,
    body('PATCH', { edits: edits.map(([row, column, value]) => ({ row, column, value })) }),
  );
const send = (id: string) => server.json<ImportView>(`/v1/imports/${id}/repair/send`, { method: 'POST' });
const report = async (id: string, query = 'format=csv') =>
  (await server.fetch(`/v1/imports/${id}/report?${query}`)).text();

/** Two rows go in; one is invalid for its UID, two for their scope, and one fails for its user. */
const MESSY = `guid,uid,role,note
team,user-1,admin,x
team,user 2,moderator,"=1+1"
team,user-3,owner,y
team,user-4,owner,z
team,nobody,,
team,user-5,,
`;

describe('rows of an import are repaired', () => {
  test('from the list of what is wrong to an import of its own, while the first one stays as it was', async () => {
    const parent = await server.run(MESSY);
    expect(parent).toMatchObject({ state: 'completed', rows: { read: 6, added: 2, invalid: 3, failed: 1 } });
    const before = await report(parent.id);
    const start = await overview(parent.id);
    expect(start).toMatchObject({
      maySend: true,
      failedTaken: false,
      rows: { total: 4, ready: 0, wrong: 0, sent: 0 },
      sends: [],
    });
    expect(start.columns).toEqual([
      { name: 'guid', fields: ['guid'] },
      { name: 'uid', fields: ['uid'] },
      { name: 'role', fields: ['scope'] },
      { name: 'note', fields: [] },
    ]);
    expect(start.problems.map(({ status, code, total }) => [status, code, total])).toEqual([
      ['invalid', 'UNKNOWN_SCOPE', 2],
      ['failed', 'ERR_UID_NOT_FOUND', 1],
      ['invalid', 'BAD_CHARACTER', 1],
    ]);

    const [bad, owner] = (await rowsOf(parent.id)).rows;
    expect(bad).toMatchObject({
      row: 2,
      line: 3,
      status: 'invalid',
      code: 'BAD_CHARACTER',
      cells: ['team', 'user 2', 'moderator', '=1+1'],
      state: 'open',
      problems: [{ column: 'uid', code: 'BAD_CHARACTER' }],
    });
    expect((await rowsOf(parent.id, '?status=failed')).rows).toMatchObject([
      { line: 6, status: 'failed', code: 'ERR_UID_NOT_FOUND', problems: [{ code: 'ERR_UID_NOT_FOUND' }] },
    ]);

    // An edit that does not help says so at once; the next one of the cell counts, and both are kept.
    const still = await edit(parent.id, [2, 'uid', 'user!2']);
    expect(still).toMatchObject({ rows: [{ state: 'wrong', left: [{ column: 'uid', code: 'BAD_CHARACTER' }] }] });
    const good = await edit(parent.id, [2, 'uid', 'user-2'], [5, 'uid', 'user-4']);
    expect(good).toMatchObject({
      rows: [
        {
          row: 2,
          state: 'ready',
          left: [],
          edits: { uid: 'user-2' },
          history: [{ value: 'user!2' }, { value: 'user-2' }],
        },
        { row: 5, state: 'ready' },
      ],
      counts: { ready: 2, wrong: 0, sent: 0 },
    });
    expect(owner?.state).toBe('open');

    const replaced = await server.json<RepairReplaced>(
      `/v1/imports/${parent.id}/repair/replace`,
      body('POST', { column: 'role', from: 'owner', to: 'admin' }),
    );
    expect(replaced).toMatchObject({ rows: 2, ready: 2, counts: { ready: 4 } });
    // One is taken back.
    const restored = await server.json<RepairEdited>(`/v1/imports/${parent.id}/repair/rows/4`, { method: 'DELETE' });
    expect(restored).toMatchObject({ rows: [{ state: 'open', edits: {} }], counts: { ready: 3 } });

    const child = await server.settled((await send(parent.id)).id);
    expect(child).toMatchObject({
      state: 'completed',
      retryOf: parent.id,
      file: 'upload-repaired.csv',
      rows: { read: 3, added: 3, invalid: 0 },
    });
    const lines = (await report(child.id)).split('\n');
    expect(lines[0]).toMatch(/^guid,uid,role,note,_from_row,_edited,_row,_status,/);
    expect(lines.slice(1, 4).map((line) => line.split(',').slice(0, 8))).toEqual([
      ['team', 'user-2', 'moderator', `"'=1+1"`, '3', 'uid', '2', 'added'],
      ['team', 'user-3', 'admin', 'y', '4', 'role', '3', 'added'],
      ['team', 'user-4', '', '', '6', 'uid', '4', 'added'],
    ]);
    expect(await report(parent.id)).toBe(before);
    const after = await show(parent.id);
    expect(after).toMatchObject({
      rows: parent.rows,
      followUps: [{ kind: 'repair', id: child.id, state: 'completed', rows: { added: 3 } }],
      // The one row that failed was sent repaired.
      actions: ['delete'],
    });
    expect(await overview(parent.id)).toMatchObject({
      rows: { total: 4, ready: 0, sent: 3 },
      sends: [{ importId: child.id, rows: 3 }],
    });
    expect((await rowsOf(parent.id)).rows.map(({ row }) => row)).toEqual([4]);
  });

  test('each once: a second click sends nothing, and what was sent is edited no more', async () => {
    const parent = await server.run('guid,uid\ntwice,a b\ntwice,c d\n');
    await edit(parent.id, [1, 'uid', 'user-1']);
    const [first, second] = await Promise.allSettled([send(parent.id), send(parent.id)]);
    expect([first.status, second.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    const url = `/v1/imports/${parent.id}/repair`;
    expect(await server.problem(`${url}/send`, { method: 'POST' })).toMatchObject({
      code: 'WRONG_STATE',
      detail: `Import ${parent.id} is completed and has no repaired rows to send.`,
    });
    const again = body('PATCH', { edits: [{ row: 1, column: 'uid', value: 'user-2' }] });
    expect(await server.problem(`${url}/rows`, again)).toMatchObject({ code: 'WRONG_STATE' });
    // What is left can follow.
    await edit(parent.id, [2, 'uid', 'user-2']);
    await server.settled((await send(parent.id)).id);
    expect((await show(parent.id)).followUps).toMatchObject([{ kind: 'repair' }, { kind: 'repair' }]);
  });

  test('a retry takes what was not sent repaired; failed rows that it took are repaired there', async () => {
    const parent = await server.run('guid,uid\nrest,ghost-1\nrest,ghost-2\nrest,ghost 3\n');
    await edit(parent.id, [1, 'uid', 'user-1']);
    await server.settled((await send(parent.id)).id);
    expect(await show(parent.id)).toMatchObject({ actions: ['retry', 'delete'], retryable: 1 });
    await edit(parent.id, [2, 'uid', 'user-2'], [3, 'uid', 'user-3']);
    const retry = await server.json<ImportView>(`/v1/imports/${parent.id}/retry`, { method: 'POST' });
    expect((await server.settled(retry.id)).rows).toMatchObject({ read: 1, failed: 1 });
    expect(await overview(parent.id)).toMatchObject({ failedTaken: true, rows: { total: 1, ready: 1, sent: 1 } });
    expect((await server.settled((await send(parent.id)).id)).rows).toMatchObject({ read: 1, added: 1 });
  });

  test('before the start rows can be edited; they are sent when the import has finished', async () => {
    const waiting = await server.run('guid,uid\nearly,user-1\nearly,user 2\n', 'dryRun=true');
    await edit(waiting.id, [2, 'uid', 'user-2']);
    expect(await server.problem(`/v1/imports/${waiting.id}/repair/send`, { method: 'POST' })).toMatchObject({
      code: 'WRONG_STATE',
      detail: `Import ${waiting.id} is staged and its repaired rows can be sent when it has finished; the edits are kept.`,
    });
    await server.fetch(`/v1/imports/${waiting.id}/resume`, { method: 'POST' });
    await server.settled(waiting.id);
    expect((await server.settled((await send(waiting.id)).id)).rows).toMatchObject({ read: 1, added: 1 });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportView, SendingPlan } from '../../src/api/imports.ts';
import type { Overview } from '../../src/api/overview.ts';
import type { RowsPage } from '../../src/api/rows.ts';
import type { CheckView } from '../../src/features/check/operations.ts';
import type { CorrectionRows, CorrectionsView, TakenEdits } from '../../src/features/correct/operations.ts';
import { eventually } from '../eventually.ts';
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
const overview = (id: string) => server.json<CorrectionsView>(`/v1/imports/${id}/corrections`);
const rowsOf = (id: string, query = '') => server.json<CorrectionRows>(`/v1/imports/${id}/corrections/rows${query}`);
/** Edits cells as a page does that shows them. */
async function edit(id: string, ...edits: (readonly [row: number, column: string, value: string | null])[]) {
  const { columns } = await overview(id);
  const { rows } = await rowsOf(id, '?state=open,wrong,ready,sent&limit=500');
  const given = edits.map(([row, column, value]) => {
    const { cells, edits: own } = rows.find((one) => one.row === row) ?? {};
    const was = own?.[column] ?? cells?.[columns.findIndex(({ name }) => name === column)] ?? null;
    return { row, column, was, value };
  });
  return server.json<TakenEdits>(`/v1/imports/${id}/corrections/rows`, body('PATCH', { edits: given }));
}
const send = (id: string) => server.json<ImportView>(`/v1/imports/${id}/corrections/send`, { method: 'POST' });
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

describe('rows of an import are corrected', () => {
  describe('rows that would fail, as the check of an import says that was not sent yet', () => {
    const checked = async (csv: string, query = 'dryRun=true') => {
      const { id } = await server.run(csv, query);
      await server.fetch(`/v1/imports/${id}/check`, { method: 'POST' });
      await eventually(async () => (await server.json<CheckView>(`/v1/imports/${id}/check`)).state).toBe('done');
      return id;
    };
    const plan = (id: string, query = '') => server.json<SendingPlan>(`/v1/imports/${id}/sending${query}`);
    const resume = (id: string, query = '') =>
      server.json<ImportView>(`/v1/imports/${id}/resume${query}`, { method: 'POST' });
    const outcomes = async (id: string) =>
      (await server.json<RowsPage>(`/v1/imports/${id}/rows`)).rows.map(({ status, code }) => [status, code]);
    /** The group of this test: one row is right, the users of two are unknown. */
    const file = (guid: string) => `guid,uid\n${guid},user-1\n${guid},nobody\n${guid},noone\n`;

    test('can be edited; edited ones are never sent as the file has them, the others are, and then the edited ones', async () => {
      const id = await checked(file('all-the-same'));
      expect(await overview(id)).toMatchObject({
        rows: { total: 2, ready: 0 },
        problems: [{ status: 'unprocessed', code: 'ERR_UID_NOT_FOUND', total: 2 }],
        maySend: false,
      });
      const [row] = (await rowsOf(id)).rows;
      expect(row).toMatchObject({
        row: 2,
        problems: [{ code: 'ERR_UID_NOT_FOUND', reason: 'the user does not exist, as the check says' }],
      });
      expect((await edit(id, [2, 'uid', 'user-2'])).counts).toMatchObject({ ready: 1 });
      expect(await show(id)).toMatchObject({ edited: 1, checkedRows: { wouldFail: 2 } });
      expect(await plan(id)).toMatchObject({ rows: 2, edited: 1, leftOut: 0, calls: 1 });
      expect(await plan(id, '?leaveOutFailing=true')).toMatchObject({ rows: 1, edited: 1, leftOut: 1 });
      await resume(id);
      expect((await server.settled(id)).rows).toMatchObject({ read: 3, added: 1, failed: 1, skipped: 1 });
      expect(await outcomes(id)).toEqual([
        ['added', ''],
        ['skipped', 'LEFT_OUT'],
        ['failed', 'ERR_UID_NOT_FOUND'],
      ]);
      const transitions = await server.json<{ transitions: { reason: string }[] }>(`/v1/imports/${id}/transitions`);
      expect(JSON.stringify(transitions)).toContain('1 row');
      expect(await show(id)).toMatchObject({ edited: 1, retryable: 1 });
      const made = await send(id);
      expect((await server.settled(made.id)).rows).toMatchObject({ read: 1, added: 1 });
      expect(await show(id)).toMatchObject({ corrected: 0, retryable: 1 });
      expect(await show(id)).not.toHaveProperty('edited');
    });

    test('leaving out the rows that would fail keeps what was edited in them', async () => {
      const id = await checked(file('all-but-failing'));
      await edit(id, [3, 'uid', 'user-3']);
      await resume(id, '?leaveOutFailing=true');
      expect((await server.settled(id)).rows).toMatchObject({ added: 1, skipped: 2 });
      const made = await send(id);
      expect((await server.settled(made.id)).rows).toMatchObject({ read: 1, added: 1 });
    });

    test('a row whose edits were taken back is sent as the file has it', async () => {
      const id = await checked(file('taken-back'));
      await edit(id, [2, 'uid', 'user-2']);
      await edit(id, [2, 'uid', null]);
      expect(await plan(id)).toMatchObject({ rows: 3, edited: 0 });
      await resume(id);
      expect((await server.settled(id)).rows).toMatchObject({ added: 1, failed: 2 });
    });

    test('rows that would not fail, and rows of an import that has begun, have nothing to correct before they fail', async () => {
      const id = await checked(file('nothing'));
      const nothing = [{ row: 1, reason: 'the row has nothing to correct' }];
      expect(await edit(id, [1, 'uid', 'user-2'])).toMatchObject({ refused: nothing });
      await resume(id);
      await server.settled(id);
      expect(await edit(id, [1, 'uid', 'user-2'])).toMatchObject({ refused: nothing });
      // This one has failed since.
      expect((await edit(id, [2, 'uid', 'user-2'])).counts).toMatchObject({ ready: 1 });
    });

    test('of a row that gives several memberships, none is sent before the row is sent corrected', async () => {
      const csv = 'guid,uid\nsplit,user-4;nobody\nsplit,user-5\n';
      const id = await checked(csv, `dryRun=true&shape=${encodeURIComponent('{"split":{"uid":";"}}')}`);
      const [row] = (await rowsOf(id)).rows;
      expect(row).toMatchObject({ row: 1, problems: [{ code: 'ERR_UID_NOT_FOUND' }] });
      await edit(id, [1, 'uid', 'user-4;user-3']);
      expect(await plan(id)).toMatchObject({ rows: 1, edited: 2 });
      await resume(id);
      expect((await server.settled(id)).rows).toMatchObject({ added: 1, skipped: 2 });
      const made = await send(id);
      expect((await server.settled(made.id)).rows).toMatchObject({ read: 2, added: 2 });
    });

    test('a cancelled import that was never sent keeps them', async () => {
      const id = await checked(file('cancelled'));
      await edit(id, [2, 'uid', 'user-2']);
      await server.json(`/v1/imports/${id}/cancel`, { method: 'POST' });
      await server.settled(id);
      const made = await send(id);
      expect((await server.settled(made.id)).rows).toMatchObject({ read: 1, added: 1 });
      expect(await show(id)).toMatchObject({ retryable: 2 });
    });
  });

  test('rows that were left out after a check are corrected and sent like those that failed', async () => {
    const { id } = await server.run('guid,uid\nleft,user-1\nleft,nobody\nleft,\n', 'dryRun=true');
    await server.fetch(`/v1/imports/${id}/check`, { method: 'POST' });
    await eventually(async () => (await server.json<CheckView>(`/v1/imports/${id}/check`)).state).toBe('done');
    await server.json(`/v1/imports/${id}/resume?leaveOutFailing=true`, { method: 'POST' });
    expect((await server.settled(id)).rows).toMatchObject({ read: 3, added: 1, skipped: 1, invalid: 1 });
    expect(await overview(id)).toMatchObject({
      rows: { total: 2, ready: 0 },
      problems: [
        { status: 'skipped', code: 'LEFT_OUT', total: 1 },
        { status: 'invalid', code: 'EMPTY', total: 1 },
      ],
    });
    const [row] = (await rowsOf(id, '?status=skipped&code=LEFT_OUT')).rows;
    expect(row).toMatchObject({ row: 2, problems: [{ code: 'LEFT_OUT' }], cells: ['left', 'nobody'] });
    expect(row?.problems[0]?.reason).toContain('not exist');
    expect((await edit(id, [2, 'uid', 'user-2'])).counts).toMatchObject({ ready: 1, wrong: 0 });
    const made = await send(id);
    expect((await server.settled(made.id)).rows).toMatchObject({ read: 1, added: 1 });
    // The row that was left out never needed a person: the one that is invalid still does.
    expect(await show(id)).toMatchObject({ corrected: 0, attention: 1 });
    const { attention } = await server.json<Overview>('/v1/overview');
    expect(attention.map((one) => one.id)).toContain(id);
  });

  test('from the list of what is wrong to an import of its own, while the first one stays as it was', async () => {
    const parent = await server.run(MESSY);
    expect(parent).toMatchObject({ state: 'completed', rows: { read: 6, added: 2, invalid: 3, failed: 1 } });
    const before = await report(parent.id);
    const start = await overview(parent.id);
    expect(start).toMatchObject({
      maySend: true,
      failedTaken: false,
      rows: { total: 4, ready: 0, wrong: 0, sent: 0 },
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
      cells: ['team', 'user 2', 'moderator', '=1+1'],
      state: 'open',
      problems: [{ column: 'uid', code: 'BAD_CHARACTER' }],
    });
    expect((await rowsOf(parent.id, '?status=failed')).rows).toMatchObject([
      { line: 6, problems: [{ code: 'ERR_UID_NOT_FOUND' }] },
    ]);

    // An edit that does not help says so at once; the next one of the cell counts.
    const still = await edit(parent.id, [2, 'uid', 'user!2']);
    expect(still).toMatchObject({
      wrong: [{ line: 3, problems: [{ column: 'uid', code: 'BAD_CHARACTER' }] }],
      counts: { ready: 0, wrong: 1, sent: 0 },
    });
    const good = await edit(parent.id, [2, 'uid', 'user-2'], [5, 'uid', 'user-4']);
    expect(good).toMatchObject({ rows: 2, cells: 2, wrong: [], counts: { ready: 2, wrong: 0, sent: 0 } });
    expect((await rowsOf(parent.id, '?state=ready')).rows).toMatchObject([
      { row: 2, problems: [], edits: { uid: 'user-2' } },
      { row: 5 },
    ]);
    expect(owner?.state).toBe('open');

    const replaced = await server.json<TakenEdits>(
      `/v1/imports/${parent.id}/corrections/replace`,
      body('POST', { column: 'role', from: 'owner', to: 'admin' }),
    );
    expect(replaced).toMatchObject({ rows: 2, ready: 2, counts: { ready: 4 } });
    // One is taken back.
    expect(await edit(parent.id, [4, 'role', null])).toMatchObject({ counts: { ready: 3 } });
    expect((await rowsOf(parent.id, '?state=open')).rows).toMatchObject([{ row: 4, edits: {} }]);

    const child = await server.settled((await send(parent.id)).id);
    expect(child).toMatchObject({
      state: 'completed',
      retryOf: parent.id,
      file: 'upload-corrected.csv',
      rows: { read: 3, added: 3, invalid: 0 },
    });
    const lines = (await report(child.id)).split('\n');
    expect(lines[0]).toMatch(/^guid,uid,role,note,_from_row,_edited,_row,_status,/);
    expect(lines.slice(1, 4).map((line) => line.split(',').slice(0, 8))).toEqual([
      ['team', 'user-2', 'moderator', '=1+1', '3', 'uid', '2', 'added'],
      ['team', 'user-3', 'admin', 'y', '4', 'role', '3', 'added'],
      ['team', 'user-4', '', '', '6', 'uid', '4', 'added'],
    ]);
    expect(await report(parent.id)).toBe(before);
    const after = await show(parent.id);
    expect(after).toMatchObject({
      rows: parent.rows,
      followUps: [{ kind: 'correction', id: child.id, state: 'completed', rows: { added: 3 } }],
      // The one row that failed was sent corrected.
      actions: ['delete'],
    });
    expect(await overview(parent.id)).toMatchObject({ rows: { total: 4, ready: 0, sent: 3 } });
    expect((await rowsOf(parent.id)).rows.map(({ row }) => row)).toEqual([4]);
  });

  test('each once: a second click sends nothing, and what was sent is edited no more', async () => {
    const parent = await server.run('guid,uid\ntwice,a b\ntwice,c d\n');
    await edit(parent.id, [1, 'uid', 'user-1']);
    const [first, second] = await Promise.allSettled([send(parent.id), send(parent.id)]);
    expect([first.status, second.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    const url = `/v1/imports/${parent.id}/corrections`;
    expect(await server.problem(`${url}/send`, { method: 'POST' })).toMatchObject({
      code: 'NOTHING_TO_SEND',
      detail: expect.stringContaining(`Import ${parent.id} is completed and has no corrected rows`),
    });
    expect((await edit(parent.id, [1, 'uid', 'user-2'])).refused).toMatchObject([
      { line: 2, now: 'user-1', sentIn: [expect.any(String)] },
    ]);
    // The rest can follow.
    await edit(parent.id, [2, 'uid', 'user-2']);
    await server.settled((await send(parent.id)).id);
    expect((await show(parent.id)).followUps).toMatchObject([{ kind: 'correction' }, { kind: 'correction' }]);
  });

  test('a retry takes what was not sent corrected; failed rows that it took are corrected there', async () => {
    const parent = await server.run('guid,uid\nrest,ghost-1\nrest,ghost-2\nrest,ghost 3\n');
    await edit(parent.id, [1, 'uid', 'user-1']);
    await server.settled((await send(parent.id)).id);
    expect(await show(parent.id)).toMatchObject({ actions: ['retry', 'delete'], retryable: 1 });
    await edit(parent.id, [2, 'uid', 'user-2'], [3, 'uid', 'user-3']);
    const retry = await server.json<ImportView>(`/v1/imports/${parent.id}/retry`, { method: 'POST' });
    expect((await server.settled(retry.id)).rows).toMatchObject({ read: 1, failed: 1 });
    expect(await overview(parent.id)).toMatchObject({ failedTaken: true, rows: { total: 2, ready: 1, sent: 1 } });
    expect((await server.settled((await send(parent.id)).id)).rows).toMatchObject({ read: 1, added: 1 });
  });

  test('before the start rows can be edited; they are sent when the import has finished', async () => {
    const waiting = await server.run('guid,uid\nearly,user-1\nearly,user 2\n', 'dryRun=true');
    await edit(waiting.id, [2, 'uid', 'user-2']);
    expect(await server.problem(`/v1/imports/${waiting.id}/corrections/send`, { method: 'POST' })).toMatchObject({
      code: 'WRONG_STATE',
      detail: `Import ${waiting.id} is staged and its corrected rows can be sent when it has finished; the edits are kept.`,
    });
    await server.fetch(`/v1/imports/${waiting.id}/resume`, { method: 'POST' });
    await server.settled(waiting.id);
    expect((await server.settled((await send(waiting.id)).id)).rows).toMatchObject({ read: 1, added: 1 });
  });

  test('a text is replaced in a column, after a look at what would change', async () => {
    const { id } = await server.run('guid,uid\nfind,user-1!\nfind,!user-2!\nfind,user-4\nfind,$ 1\nfi nd,!\n');
    const url = `/v1/imports/${id}/corrections/replace`;
    const replace = (given: object) => server.json<TakenEdits>(url, body('POST', { column: 'uid', ...given }));
    const exclamation = { as: 'text', from: '!', to: '', problemColumn: 'uid' };
    expect(await replace({ ...exclamation, preview: true })).toMatchObject({
      rows: 2,
      cells: 2,
      ready: 0,
      examples: [
        { line: 2, from: 'user-1!', to: 'user-1' },
        { line: 3, from: '!user-2!', to: 'user-2' },
      ],
      counts: { ready: 0, wrong: 0, sent: 0 },
    });
    // The filter of the list of rows counts here too.
    expect(await replace({ ...exclamation, text: 'USER-2', preview: true })).toMatchObject({ examples: [{ line: 3 }] });
    expect(await rowsOf(id, '?status=invalid,failed&line=3-6&limit=1')).toMatchObject({
      rows: [{ line: 3 }],
      total: 3,
    });
    expect(await replace(exclamation)).toMatchObject({ rows: 2, ready: 2 });
    // A replacement is text: it stands for nothing but itself.
    expect(await replace({ as: 'text', from: '$ 1', to: '$&' })).toMatchObject({ examples: [{ to: '$&' }] });
    expect(await server.problem(url, body('POST', { column: 'uid', as: 'text', from: '', to: 'x' }))).toMatchObject({
      code: 'BAD_OPTION',
      field: 'from',
    });
  });

  test('where nothing matches, a missing cell is not replaced: its row still waits for a person', async () => {
    const { id } = await server.run('guid,dept,uid\nmissing,,a b\nmissing-2,,a b\nmissing-3,x\nmissing-4,x\n');
    const replace = (given: object) =>
      server.json<TakenEdits>(`/v1/imports/${id}/corrections/replace`, body('POST', { column: 'uid', ...given }));
    for (const as of ['text', 'cell']) {
      expect(await replace({ as, from: 'NOTHING-HAS-THIS', to: '', preview: true })).toMatchObject({ rows: 0 });
    }
    expect(await replace({ from: 'a b', to: 'user-1' })).toMatchObject({ rows: 2, ready: 2, counts: { ready: 2 } });
    expect((await rowsOf(id)).rows.map(({ state }) => state)).toEqual(['ready', 'ready', 'open', 'open']);
    // A person says what belongs there.
    expect(await replace({ from: '', to: 'user-2' })).toMatchObject({ rows: 2, ready: 2, counts: { ready: 4 } });
  });

  test('a corrected report is the body of a request, and says what was taken, refused and unchanged before anything is sent', async () => {
    const { id } = await server.run(MESSY);
    const give = (content: string, type: string) => ({
      method: 'POST',
      headers: { 'content-type': type },
      body: content,
    });
    const fixed = (await report(id, 'format=csv&status=invalid,failed')).replace('user 2', 'user-2');
    const taken = await server.json<TakenEdits>(`/v1/imports/${id}/corrections/file`, give(fixed, 'text/csv'));
    expect(taken).toMatchObject({ rows: 1, cells: 1, same: 3, refusedRows: 0, counts: { ready: 1, sent: 0 } });
    for (const [content, code] of [
      ['', 'BAD_BODY'],
      ['a,b\n1,2\n', 'CANNOT_CORRECT'],
      ['PK\u0003\u0004nonsense', 'BAD_BODY'],
    ] as const) {
      const problem = await server.problem(
        `/v1/imports/${id}/corrections/file`,
        give(content, 'application/octet-stream'),
      );
      expect(problem).toMatchObject({ code });
    }
    const stale = `/v1/imports/${id}/corrections/send?revision=${taken.revision - 1}`;
    expect(await server.problem(stale, { method: 'POST' })).toMatchObject({ code: 'CANNOT_CORRECT' });
    const made = await server.json<ImportView>(`/v1/imports/${id}/corrections/send?revision=${taken.revision}`, {
      method: 'POST',
    });
    expect((await server.settled(made.id)).rows).toMatchObject({ read: 1, invalid: 0 });
  });
});

test('edits and corrected reports may be larger than other bodies', async () => {
  const { id } = await server.run(MESSY);
  const long = 'x'.repeat(100_000);
  const asked = async (path: string, init: RequestInit) =>
    (await server.fetch(`/v1/imports/${id}/corrections/${path}`, init)).status;
  expect(await asked('rows', body('PATCH', { edits: [{ row: 2, column: 'note', was: '', value: long }] }))).toBe(400);
  expect(
    await asked('file', { method: 'POST', headers: { 'content-type': 'text/csv' }, body: `note,_row\n${long},3\n` }),
  ).toBe(200);
  expect(await asked('replace', body('POST', { column: 'note', from: long, to: '' }))).toBe(413);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportView, SendingPlan } from '../../src/api/imports.ts';
import type { RowsPage } from '../../src/api/rows.ts';
import type { CheckView } from '../../src/features/check/api.ts';
import type { RepairEdited, RepairReplaced, RepairRows, RepairView } from '../../src/features/repair/api.ts';
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
const overview = (id: string) => server.json<RepairView>(`/v1/imports/${id}/repair`);
const rowsOf = (id: string, query = '') => server.json<RepairRows>(`/v1/imports/${id}/repair/rows${query}`);
const edit = (id: string, ...edits: (readonly [row: number, column: string, value: string | null])[]) =>
  server.json<RepairEdited>(
    `/v1/imports/${id}/repair/rows`,
    body('PATCH', { edits: edits.map(([row, column, value]) => ({ row, column, value })) }),
  );
const post = <Answer>(id: string, what: string, given: object) =>
  server.json<Answer>(`/v1/imports/${id}/repair/${what}`, body('POST', given));
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
      expect(row).toMatchObject({ row: 2, status: 'unprocessed', code: 'ERR_UID_NOT_FOUND' });
      expect(row?.problems[0]?.reason).toBe('the user does not exist, as the check says');
      expect((await edit(id, [2, 'uid', 'user-2'])).counts).toMatchObject({ ready: 1 });
      expect(await show(id)).toMatchObject({ edited: 1, checkedRows: { wouldFail: 2 } });
      expect(await plan(id)).toMatchObject({ rows: 2, edited: 1, leftOut: 0, messages: 2, calls: 1 });
      expect(await plan(id, '?leaveOutFailing=true')).toMatchObject({ rows: 1, edited: 1, leftOut: 1, messages: 1 });
      await resume(id);
      expect((await server.settled(id)).rows).toMatchObject({ read: 3, added: 1, failed: 1, skipped: 1 });
      expect(await outcomes(id)).toEqual([
        ['added', ''],
        ['skipped', 'LEFT_OUT'],
        ['failed', 'ERR_UID_NOT_FOUND'],
      ]);
      const transitions = await server.json<{ transitions: { reason: string }[] }>(`/v1/imports/${id}/transitions`);
      expect(JSON.stringify(transitions)).toContain('started without 1 row that was edited');
      expect(await show(id)).toMatchObject({ edited: 1, retryable: 1 });
      const made = await send(id);
      expect((await server.settled(made.id)).rows).toMatchObject({ read: 1, added: 1 });
      expect(await show(id)).toMatchObject({ repaired: 1, retryable: 1 });
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
      await server.json(`/v1/imports/${id}/repair/rows/2`, { method: 'DELETE' });
      expect(await plan(id)).toMatchObject({ rows: 3, edited: 0 });
      await resume(id);
      expect((await server.settled(id)).rows).toMatchObject({ added: 1, failed: 2 });
    });

    test('rows that would not fail, and rows of an import that has begun, have nothing to repair before they fail', async () => {
      const id = await checked(file('nothing'));
      const refused = (row: number) =>
        server.problem(
          `/v1/imports/${id}/repair/rows`,
          body('PATCH', { edits: [{ row, column: 'uid', value: 'user-2' }] }),
        );
      expect(await refused(1)).toMatchObject({
        code: 'BAD_OPTION',
        detail: expect.stringContaining('ow 1 has nothing to repair'),
      });
      await resume(id);
      await server.settled(id);
      expect(await refused(1)).toMatchObject({
        code: 'BAD_OPTION',
        detail: expect.stringContaining('ow 1 has nothing to repair'),
      });
      // This one has failed since.
      expect((await edit(id, [2, 'uid', 'user-2'])).counts).toMatchObject({ ready: 1 });
    });

    test('of a row that gives several memberships, none is sent before the row is sent repaired', async () => {
      const csv = 'guid,uid\nsplit,user-4;nobody\nsplit,user-5\n';
      const id = await checked(csv, `dryRun=true&shape=${encodeURIComponent('{"split":{"uid":";"}}')}`);
      const [row] = (await rowsOf(id)).rows;
      expect(row).toMatchObject({ row: 1, status: 'unprocessed', code: 'ERR_UID_NOT_FOUND' });
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

  test('rows that were left out after a check are repaired and sent like those that failed', async () => {
    const { id } = await server.run('guid,uid\nleft,user-1\nleft,nobody\n', 'dryRun=true');
    await server.fetch(`/v1/imports/${id}/check`, { method: 'POST' });
    await eventually(async () => (await server.json<CheckView>(`/v1/imports/${id}/check`)).state).toBe('done');
    await server.json(`/v1/imports/${id}/resume?leaveOutFailing=true`, { method: 'POST' });
    expect((await server.settled(id)).rows).toMatchObject({ read: 2, added: 1, skipped: 1 });
    expect(await overview(id)).toMatchObject({
      rows: { total: 1, ready: 0 },
      problems: [{ status: 'skipped', code: 'LEFT_OUT', total: 1 }],
    });
    const [row] = (await rowsOf(id, '?status=skipped&code=LEFT_OUT')).rows;
    expect(row).toMatchObject({ row: 2, status: 'skipped', code: 'LEFT_OUT', cells: ['left', 'nobody'] });
    expect(row?.problems[0]?.reason).toContain('the user does not exist');
    expect((await edit(id, [2, 'uid', 'user-2'])).counts).toMatchObject({ ready: 1, wrong: 0 });
    const made = await send(id);
    expect((await server.settled(made.id)).rows).toMatchObject({ read: 1, added: 1 });
    expect(await show(id)).toMatchObject({ repaired: 1 });
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
      ['team', 'user-2', 'moderator', '=1+1', '3', 'uid', '2', 'added'],
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
    expect(await server.problem(`${url}/rows`, again)).toMatchObject({
      code: 'WRONG_STATE',
      detail: expect.stringContaining('ow 2 of the file was sent in import'),
    });
    // The rest can follow.
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

  test('lines are entered in the rows of a filter, however many are shown; those without a row are said', async () => {
    const parent = await server.run(`guid,uid,note\n${'many,a b,x\n'.repeat(60)}${'ma ny,user-1,y\n'.repeat(40)}`);
    const { id } = parent;
    expect((await overview(id)).problems.map(({ code, column, total }) => [code, column, total])).toEqual([
      ['BAD_CHARACTER', 'uid', 60],
      ['BAD_CHARACTER', 'guid', 40],
    ]);
    const wrongUid = { status: 'invalid', code: 'BAD_CHARACTER', problemColumn: 'uid' };
    const { rows: shown } = await rowsOf(id, '?problemColumn=uid&limit=50');
    const rows = shown.slice(10).map(({ row }) => row);
    const lines = Array.from({ length: 55 }, (_, at) => [`user-${at % 5}`, `note ${at}`, 'over']);
    const request = { ...wrongUid, rows, columns: ['uid', 'note'], lines, show: rows };
    const preview = await post<RepairReplaced>(id, 'paste', { ...request, preview: true });
    expect(preview).toMatchObject({ rows: 50, cells: 100, leftOut: { lines: 5, cells: 50 }, shown: [] });
    expect(preview.examples.slice(0, 2)).toEqual([
      { line: 12, column: 'uid', from: 'a b', to: 'user-0' },
      { line: 12, column: 'note', from: 'x', to: 'note 0' },
    ]);
    expect(preview.examples).toHaveLength(10);
    expect((await overview(id)).rows).toMatchObject({ ready: 0, wrong: 0 });

    const pasted = await post<RepairReplaced>(id, 'paste', request);
    expect(pasted).toMatchObject({
      rows: 50,
      cells: 100,
      ready: 50,
      leftOut: { lines: 5, cells: 50 },
      counts: { ready: 50 },
    });
    expect(pasted.shown.map(({ edits }) => edits['note'])).toEqual(lines.slice(0, 40).map(([, note]) => note));
    const behind = (await rowsOf(id, '?problemColumn=uid&limit=100')).rows.slice(50);
    expect(behind.map(({ edits }) => edits['note'])).toEqual(lines.slice(40, 50).map(([, note]) => note));

    // The same value in all rows behind one; then one action after the other is taken back.
    const { rows: groups } = await rowsOf(id, '?problemColumn=guid&limit=1');
    const fill = { problemColumn: 'guid', rows: [groups[0]?.row], columns: ['guid'], lines: [['many']], fill: true };
    expect(await post(id, 'paste', fill)).toMatchObject({ rows: 40, ready: 40, counts: { ready: 90 } });
    const filled = (await overview(id)).undo;
    expect(filled).toMatchObject({ kind: 'fill', rows: 40, cells: 40 });
    expect(await post(id, 'undo', { action: filled?.action })).toMatchObject({ rows: 40, counts: { ready: 50 } });
    const again = body('POST', { action: filled?.action });
    expect(await server.problem(`/v1/imports/${id}/repair/undo`, again)).toMatchObject({
      code: 'BAD_OPTION',
      field: 'action',
    });
    const first = (await overview(id)).undo;
    expect(first).toMatchObject({ kind: 'paste', cells: 100 });
    expect(await post(id, 'undo', { action: first?.action })).toMatchObject({
      rows: 50,
      counts: { ready: 0, wrong: 0 },
    });
    expect((await overview(id)).undo).toBeNull();
    // Both again, in their order, and back once more; what is done again can be undone.
    const redo = async () => post<RepairReplaced>(id, 'undo', { action: (await overview(id)).redo?.action });
    expect(await redo()).toMatchObject({ rows: 50, cells: 100, counts: { ready: 50 } });
    expect(await redo()).toMatchObject({ rows: 40, counts: { ready: 90 } });
    expect((await overview(id)).redo).toBeNull();
    expect((await overview(id)).undo).toMatchObject({ kind: 'redo', cells: 40 });
    for (const ready of [50, 0]) {
      expect(await post(id, 'undo', { action: (await overview(id)).undo?.action })).toMatchObject({
        counts: { ready },
      });
    }
    const { entries } = await server.json<{ entries: { target: string; detail: string }[] }>('/v1/audit');
    const said = entries.filter(({ target }) => target === id).map(({ detail }) => detail);
    expect(said.slice(4, 8)).toEqual([
      expect.stringMatching(/^did=undo of=\d+ rows=50 cells=100 to=sandbox$/),
      expect.stringMatching(/^did=undo of=\d+ rows=40 cells=40 to=sandbox$/),
      expect.stringMatching(/^did=fill rows=40 cells=40 columns=guid from=\d+ lines=1 /),
      'did=paste rows=50 cells=100 columns=uid, note from=11 lines=55 linesLeftOut=5 cellsLeftOut=50 to=sandbox',
    ]);
    expect(
      (await rowsOf(id, '?limit=500')).rows.every(({ state, edits }) => state === 'open' && !('uid' in edits)),
    ).toBe(true);
  });

  test('a text or a pattern is replaced in a column, after a look at what would change', async () => {
    const { id } = await server.run('guid,uid\nfind,user-1!\nfind,!user-2!\nfind,user 3 (x)\nfind,user-4\nfind,$ 1\n');
    const replace = (given: object) => post<RepairReplaced>(id, 'replace', { column: 'uid', ...given });
    const exclamation = { as: 'text', from: '!', to: '' };
    expect(await replace({ ...exclamation, preview: true })).toMatchObject({
      rows: 2,
      ready: 0,
      examples: [
        { line: 2, from: 'user-1!', to: 'user-1' },
        { line: 3, from: '!user-2!', to: 'user-2' },
      ],
      counts: { ready: 0 },
    });
    expect(await replace(exclamation)).toMatchObject({ rows: 2, ready: 2 });
    expect(await replace({ as: 'pattern', from: '* ? (*)', to: '$1-$2' })).toMatchObject({
      rows: 1,
      ready: 1,
      examples: [{ from: 'user 3 (x)', to: 'user-3' }],
    });
    // A replacement is text: it stands for nothing but itself.
    expect(await replace({ as: 'text', from: '$ 1', to: '$&' })).toMatchObject({ examples: [{ to: '$&' }] });
    for (const [given, field] of [
      [{ as: 'text', from: '', to: 'x' }, 'from'],
      [{ as: 'pattern', from: '*', to: '$2' }, 'to'],
      [{ as: 'pattern', from: '*'.repeat(300), to: '' }, 'from'],
    ] as const) {
      const problem = await server.problem(
        `/v1/imports/${id}/repair/replace`,
        body('POST', { column: 'uid', ...given }),
      );
      expect(problem).toMatchObject({ code: 'BAD_OPTION', field });
    }
    // Sent rows stay; the last action was about a row that was not sent.
    await server.settled((await send(id)).id);
    expect((await overview(id)).undo).toMatchObject({ kind: 'replace', rows: 1 });
  });

  test('where nothing matches, a missing cell is not replaced: its row still waits for a person', async () => {
    const { id } = await server.run(
      'guid,uid,scope,dept\nmissing,user-1,chief,\nmissing,user-2,chief,\nmissing,user-3\nmissing,user-4\n',
    );
    const replace = (given: object) => post<RepairReplaced>(id, 'replace', { column: 'scope', ...given });
    const stateOf = async () => (await rowsOf(id)).rows.map(({ state }) => state);
    for (const given of [
      { as: 'text', from: 'NOTHING-HAS-THIS', to: 'x' },
      { as: 'pattern', from: 'NOTHING-*', to: '$1' },
      { from: 'NOTHING-HAS-THIS', to: '' },
    ]) {
      expect(await replace({ ...given, preview: true })).toMatchObject({ cells: 0, examples: [] });
    }
    expect(await replace({ from: 'chief', to: 'admin' })).toMatchObject({ rows: 2, ready: 2, counts: { ready: 2 } });
    expect(await stateOf()).toEqual(['ready', 'ready', 'open', 'open']);
    // A person says what belongs there.
    expect(await replace({ from: '', to: 'admin' })).toMatchObject({ rows: 2, ready: 2, counts: { ready: 4 } });
  });
});

test('edits and corrected reports may be larger than other bodies', async () => {
  const { id } = await server.run(MESSY);
  const long = 'x'.repeat(100_000);
  const asked = async (method: string, what: string, given: object) =>
    (await server.fetch(`/v1/imports/${id}/repair/${what}`, body(method, given))).status;
  expect(await asked('PATCH', 'rows', { edits: [{ row: 2, column: 'note', value: long }] })).not.toBe(413);
  expect(await asked('POST', 'paste', { rows: [2], columns: ['note'], lines: [[long]] })).not.toBe(413);
  expect(await asked('POST', 'file', { csv: `_row,note\n2,${long}\n` })).not.toBe(413);
  expect(await asked('POST', 'undo', { action: 1, more: long })).toBe(413);
});

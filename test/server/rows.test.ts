import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import { type CallRate, type ProblemView, rowDetail } from '../../src/api/rows.ts';
import { startTestServer, type TestServer } from './test-server.ts';

interface Row {
  readonly row: number;
  readonly line: number;
  readonly uid: string;
  readonly guid: string;
  readonly status: string;
  readonly original: Readonly<Record<string, string>>;
}

const FILE = `guid,uid,note
g1,user-1,"a, b"
g1,user-2,<img src=x onerror=alert(1)>
g1,nobody,
g1,not an id,
g2,USER-1,
g1,user-1,again
`;

let server: TestServer;
let first: ImportView;
let latest: ImportView;
beforeAll(async () => {
  server = await startTestServer({ sandbox: { users: 5 } });
  first = await server.run(FILE, 'name=first.csv');
  latest = await server.run('[{"group":"g1","user":"user-1","extra":{"deep":[1]}}]', 'format=json&name=latest.json');
});
afterAll(() => server.close());

const rows = async (query = '') => (await server.json<{ rows: Row[] }>(`/v1/imports/${first.id}/rows?${query}`)).rows;

test('rows come in the order of the input, as the input had them, with what came of each', async () => {
  const all = await rows();
  expect(all.map(({ line, status }) => [line, status])).toEqual([
    [2, 'added'],
    [3, 'added'],
    [4, 'failed'],
    [5, 'invalid'],
    [6, 'added'],
    [7, 'duplicate'],
  ]);
  expect(all[1]?.original).toEqual({ guid: 'g1', uid: 'user-2', note: '<img src=x onerror=alert(1)>' });
  expect(all[2]).toMatchObject({ code: 'ERR_UID_NOT_FOUND', region: 'us', attempts: 1, httpStatus: 200 });
});

test('a JSON element is given as it was', async () => {
  const page = await server.json<{ rows: Row[] }>(`/v1/imports/${latest.id}/rows`);
  expect(page.rows).toMatchObject([
    { line: 1, uid: 'user-1', original: { group: 'g1', user: 'user-1', extra: { deep: [1] } } },
  ]);
});

test.each([
  ['status=failed,invalid', [4, 5]],
  ['status=duplicate', [7]],
  ['code=ERR_UID_NOT_FOUND', [4]],
  ['uid=User-1', [2, 6, 7]],
  ['uid=user', []],
  ['guid=g2', [6]],
  ['guid=g1&uid=user-1&status=added', [2]],
  ['region=eu', []],
  ['text=OBOD', [4]],
  ['text=onerror%3Dalert', [3]],
  ['text=g2', [6]],
  ['text=not+an', [5]],
  ['text=%22', []],
  ['line=4', [4]],
  ['line=3-5', [3, 4, 5]],
  ['line=7-900', [7]],
  ['line=3-5&text=user&status=added', [3]],
  ['sort=uid', [4, 5, 2, 6, 7, 3]],
  ['sort=uid&order=desc', [3, 7, 6, 2, 5, 4]],
  ['sort=outcome', [2, 3, 6, 4, 5, 7]],
  ['sort=guid&status=added', [2, 3, 6]],
  [`uid=${encodeURIComponent("' or 1=1 --")}`, []],
])('rows can be chosen by %s', async (query, lines) => {
  expect((await rows(query)).map(({ line }) => line)).toEqual(lines);
});

test('pages hold every row once', async () => {
  const lines: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: { rows: Row[]; nextCursor: string | null } = await server.json(
      `/v1/imports/${first.id}/rows?limit=4${cursor && `&cursor=${cursor}`}`,
    );
    lines.push(...page.rows.map(({ line }) => line));
    cursor = page.nextCursor;
  }
  expect(lines).toEqual([2, 3, 4, 5, 6, 7]);
});

test('the first page says how many rows pass the filter', async () => {
  const page = (query: string) =>
    server.json<{ total: number | null; nextCursor: string }>(`/v1/imports/${first.id}/rows?limit=1&${query}`);
  expect((await page('')).total).toBe(6);
  expect((await page('status=added,failed')).total).toBe(4);
  expect((await page('text=user-1')).total).toBe(3);
  const { nextCursor } = await page('guid=g1&sort=code');
  expect((await page(`guid=g1&sort=code&cursor=${nextCursor}`)).total).toBe(null);
  expect(await server.problem(`/v1/imports/${first.id}/rows?sort=code&order=desc&cursor=${nextCursor}`)).toMatchObject({
    code: 'BAD_CURSOR',
  });
});

test('one row is shown with its calls', async () => {
  const detail = await server.json(`/v1/imports/${first.id}/rows/3`);
  expect(rowDetail.parse(detail)).toMatchObject({
    row: { row: 3, line: 4, uid: 'nobody', status: 'failed', original: { guid: 'g1', uid: 'nobody', note: '' } },
    action: 'add',
    batch: { uids: 3 },
    calls: [{ kind: 'answered', httpStatus: 200 }],
  });
  const invalid = rowDetail.parse(await server.json(`/v1/imports/${first.id}/rows/4`));
  expect(invalid).toMatchObject({ row: { status: 'invalid' }, action: null, batch: null, calls: [] });
  expect(await server.problem(`/v1/imports/${first.id}/rows/7`)).toMatchObject({ code: 'UNKNOWN_ROW', status: 404 });
});

test('a report of some rows has those that the list has', async () => {
  const lines = async (query: string) =>
    (await (await server.fetch(`/v1/imports/${first.id}/report?${query}`)).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)._row);
  expect(await lines('format=ndjson&text=user-1')).toEqual([2, 6, 7]);
  expect(await lines('format=ndjson&line=3-5&guid=g1')).toEqual([3, 4, 5]);
});

test('some of the rows that can be sent again are retried; the others still can be', async () => {
  const wrong = await server.run('guid,uid,note\ng1,gone-1,x\ng1,gone-2,y\ng1,user-4,z\n', 'name=wrong.csv');
  const path = `/v1/imports/${wrong.id}/retry`;
  const post = { method: 'POST' };
  expect(await server.problem(`${path}?uid=user-4`, post)).toMatchObject({
    code: 'NOTHING_TO_SEND',
    detail: expect.stringContaining('these rows'),
  });
  const { id } = await server.json<ImportView>(`${path}?text=GONE-2`, post);
  await server.settled(id);
  const retried = await server.json<{ rows: Row[] }>(`/v1/imports/${id}/rows`);
  expect(retried.rows).toMatchObject([{ uid: 'gone-2', original: { guid: 'g1', uid: 'gone-2', note: 'y' } }]);
  const after = await server.json<ImportView>(`/v1/imports/${wrong.id}`);
  expect(after.followUps).toMatchObject([{ id, isPart: true }]);
  expect(after.actions).toContain('retry');
  // A retry of that retry takes what is in it.
  const again = await server.json<ImportView>(`/v1/imports/${id}/retry`, post);
  await server.settled(again.id);
  expect((await server.json<ImportView>(`/v1/imports/${id}`)).actions).not.toContain('retry');
});

test.each([
  ['status=done', 'status'],
  ['line=5-3', 'line'],
  ['line=all', 'line'],
  ['text=', 'text'],
  ['sort=colour', 'sort'],
  ['region=mars', 'region'],
  ['limit=5000', 'limit'],
])('%s is refused', async (query, field) => {
  const problem = await server.problem(`/v1/imports/${first.id}/rows?${query}`);
  expect(problem).toMatchObject({ code: 'BAD_OPTION', status: 400, field });
});

test('a cursor of something else is refused', async () => {
  expect(await server.problem(`/v1/imports/${first.id}/rows?cursor=x`)).toMatchObject({ code: 'BAD_CURSOR' });
});

test('an import without rows says so', async () => {
  const rejected = await server.run('a,b\n1,2\n');
  expect(rejected.state).toBe('rejected');
  for (const path of ['rows', 'problems', 'calls', 'report']) {
    expect(await server.problem(`/v1/imports/${rejected.id}/${path}`)).toMatchObject({
      code: 'NO_ROWS_YET',
      status: 409,
    });
  }
});

test('wrong groups and wrong users are two problems, and the rows of each can be had', async () => {
  const { id } = await server.run('guid,uid\nbad group,somebody\nworse group,anybody\ng0,bad user\n');
  const { problems } = await server.json<{ problems: object[] }>(`/v1/imports/${id}/problems`);
  const bad = { status: 'invalid', code: 'BAD_CHARACTER' };
  expect(problems).toEqual([
    expect.objectContaining({ ...bad, column: 'guid', count: 2 }),
    expect.objectContaining({ ...bad, column: 'uid', count: 1 }),
  ]);
  const { rows } = await server.json<{ rows: { line: number }[] }>(
    `/v1/imports/${id}/rows?status=invalid&code=BAD_CHARACTER&problemColumn=uid`,
  );
  expect(rows.map(({ line }) => line)).toEqual([4]);
});

test('problems are counted by outcome and code, with an example and what to do', async () => {
  const { problems } = await server.json<{ problems: object[] }>(`/v1/imports/${first.id}/problems`);
  expect(problems).toHaveLength(3);
  expect(problems).toContainEqual({
    status: 'failed',
    code: 'ERR_UID_NOT_FOUND',
    count: 1,
    retryable: true,
    advice: expect.stringContaining('retry file'),
    examples: [{ line: 4, value: 'nobody', message: expect.any(String) }],
  });
  expect(problems).toContainEqual(expect.objectContaining({ status: 'invalid', retryable: false }));
});

test.each([
  [
    'three rows',
    ['a!', 'b!', 'c!'],
    [
      [2, 'a!'],
      [3, 'b!'],
      [4, 'c!'],
    ],
  ],
  [
    'many rows',
    Array.from({ length: 50 }, (_, at) => `u${at}!`),
    [
      [2, 'u0!'],
      [expect.any(Number), expect.any(String)],
      [51, 'u49!'],
    ],
  ],
  ['rows with one value', ['a!', 'a!', 'a!', 'a!'], [[2, 'a!']]],
])(
  'a problem of %s has up to three examples with different values, the first and the last among them',
  async (_, uids, shown) => {
    const { id } = await server.run(`guid,uid\n${uids.map((uid) => `g,${uid}\n`).join('')}`);
    const { problems } = await server.json<{ problems: ProblemView[] }>(`/v1/imports/${id}/problems`);
    expect(problems.map(({ examples }) => examples.map(({ line, value }) => [line, value]))).toEqual([shown]);
  },
);

test('a problem whose values have several shapes has a row of each, with the number of rows like it', async () => {
  const { id } = await server.run(
    `guid,uid\n${['li na', 'anna@x.org', 'bo@y.org'].map((uid) => `g,${uid}\n`).join('')}`,
  );
  const { problems } = await server.json<{ problems: ProblemView[] }>(`/v1/imports/${id}/problems`);
  expect(problems).toMatchObject([
    {
      code: 'BAD_CHARACTER',
      count: 3,
      examples: [
        { line: 3, value: 'anna@x.org', rows: 2 },
        { line: 2, value: 'li na', rows: 1 },
      ],
    },
  ]);
});

test('calls come over time', async () => {
  const { rates } = await server.json<{ rates: CallRate[] }>(`/v1/imports/${first.id}/calls`);
  expect(rates.reduce((sum, { calls }) => sum + (calls ?? 0), 0)).toBe(first.calls);
});

describe("a member's history", () => {
  interface History {
    readonly entries: readonly { readonly importId: string; readonly line: number; readonly status: string }[];
    readonly nextCursor: string | null;
  }

  test('has every row of every import, newest import first, in any case of the UID', async () => {
    const history = await server.json<History>('/v1/members/USER-1/history');
    expect(history.entries.map(({ importId, line, status }) => [importId, line, status])).toEqual([
      [latest.id, 1, 'already_member'],
      [first.id, 2, 'added'],
      [first.id, 6, 'added'],
      [first.id, 7, 'duplicate'],
    ]);
  });

  test('is the same over pages of any size', async () => {
    const whole = await server.json<History>('/v1/members/user-1/history');
    for (const limit of [1, 2, 3]) {
      const entries: History['entries'][number][] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: History = await server.json(
          `/v1/members/user-1/history?limit=${limit}${cursor && `&cursor=${cursor}`}`,
        );
        expect(page.entries.length).toBeLessThanOrEqual(limit);
        entries.push(...page.entries);
        cursor = page.nextCursor;
      }
      expect(entries).toEqual(whole.entries);
    }
  });

  test('of a UID that no import has is empty', async () => {
    const uid = encodeURIComponent('<img src=x onerror=alert(1)>');
    expect(await server.json(`/v1/members/${uid}/history`)).toEqual({
      uid: '<img src=x onerror=alert(1)>',
      entries: [],
      unread: [],
      nextCursor: null,
    });
  });

  test('refuses a cursor of something else', async () => {
    for (const cursor of ['x', '12', Buffer.from('["abc",0]').toString('base64url')]) {
      expect(await server.problem(`/v1/members/user-1/history?cursor=${cursor}`)).toMatchObject({ code: 'BAD_CURSOR' });
    }
  });
});

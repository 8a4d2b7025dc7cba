import { describe, expect, test } from 'vitest';
import { openImportReader } from '../../../src/imports/report/import-reader.ts';
import type { Scope } from '../../../src/membership/membership.ts';
import { ALL_DONE, BAD_UID, dispatchOnly, members, stagedImport } from './staged-import.ts';

async function finishedImport() {
  const staged = await stagedImport([
    { uid: 'anna', scope: 'admin' },
    { uid: 'a b', problems: [BAD_UID, { ...BAD_UID, column: 'scope', reason: '"x" is no scope' }] },
    { uid: 'ANNA' },
    { uid: 'berta', scope: 'ban' },
    { uid: 'carla', guid: 'Other', region: 'eu' },
  ]);
  const [batch, ...others] = staged.dispatch();
  if (batch === undefined || others.length > 0) throw new Error('one batch is expected');
  staged.record(batch, ALL_DONE);
  return staged;
}

describe('the report', () => {
  test('has every row in the order of the input, in words', async () => {
    const { reader } = await finishedImport();
    expect(
      reader
        .rows()
        .map(({ line, status, region, guid, uid, scope }) => [line, status, region, guid, uid, scope].join(' '))
        .toArray(),
    ).toEqual([
      '2 added us g anna admin',
      '3 invalid us g a b participant',
      '4 duplicate us g ANNA participant',
      '5 banned us g berta ban',
      '6 unprocessed eu Other carla participant',
    ]);
  });

  test('tells all problems of an invalid row, and which row a duplicate repeats', async () => {
    const { reader } = await finishedImport();
    const [, invalid, duplicate] = reader.rows().toArray();
    expect(invalid).toMatchObject({
      code: 'BAD_CHARACTER',
      message: 'uid: "a b" has a space; allowed are letters; scope: "x" is no scope',
      batch: null,
      attempts: 0,
    });
    expect(duplicate).toMatchObject({
      code: 'DUPLICATE',
      message: 'the same membership is in row 2, which asks for admin',
    });
  });

  test('gives the call and the time of what was sent, and the input as it was', async () => {
    const { reader } = await finishedImport();
    const [first] = reader.rows().toArray();
    expect(first).toMatchObject({
      attempts: 1,
      httpStatus: 200,
      finishedAt: '1970-01-01T00:00:01.020Z',
      original: '["row",0]',
    });
    expect(reader.input()).toMatchObject({
      format: 'csv',
      kind: 'csv',
      notes: [],
      delimiter: ',',
      columns: ['guid', 'uid', 'scope'],
      recognised: { guid: 'guid', uid: 'uid', scope: 'scope' },
    });
  });

  test.each([
    [['added'], [2]],
    [['unprocessed'], [6]],
    [
      ['invalid', 'duplicate'],
      [3, 4],
    ],
    [
      ['banned', 'invalid', 'unprocessed'],
      [3, 5, 6],
    ],
    [['failed'], []],
    [[], []],
  ] as const)('has the chosen outcomes only: %j', async (outcomes, lines) => {
    const { reader } = await finishedImport();
    expect(
      reader
        .rows({ status: [...outcomes] })
        .map(({ line }) => line)
        .toArray(),
    ).toEqual(lines);
  });
});

test('problems are counted by outcome and code, most first, each with examples', async () => {
  const { reader } = await finishedImport();
  expect(reader.problems()).toEqual([
    {
      status: 'duplicate',
      code: 'DUPLICATE',
      count: 1,
      examples: [{ line: 4, value: 'ANNA', message: expect.stringContaining('row 2') }],
    },
    {
      status: 'invalid',
      code: 'BAD_CHARACTER',
      column: 'uid',
      count: 1,
      examples: [{ line: 3, value: 'a b', message: expect.any(String) }],
    },
  ]);
  const { reader: other, dispatch, record } = await stagedImport(members(30));
  const [first, second] = dispatch();
  if (first !== undefined) record(first, { kind: 'refused', outcome: 'failed', code: 'ERR_X', message: 'no' });
  if (second !== undefined)
    record(second, { kind: 'unanswered', maybeCarriedOut: true, code: 'LOST', message: 'gone' });
  expect(other.problems().map(({ status, code, count }) => [status, code, count])).toEqual([
    ['failed', 'ERR_X', 25],
    ['unconfirmed', 'LOST', 5],
  ]);
});

describe('a note says how many rows ask for an admin or moderator who keeps another scope', () => {
  const joinedBefore = async (scopes: readonly Scope[], uncertainty: string | null = null) => {
    const staged = await stagedImport(scopes.map((scope) => ({ scope })));
    if (uncertainty !== null)
      staged.record(dispatchOnly(staged.ledger), { kind: 'stop-region', ...JOINED }, { uncertainty });
    const batch = dispatchOnly(staged.ledger);
    const others = scopes.map((_, at) => ({ row: at + 1, outcome: 'already_member' as const, ...JOINED }));
    staged.record(batch, { kind: 'answered', others, missing: [] });
    return staged.reader.scopeNote();
  };
  const JOINED = { code: 'ERR_X', message: 'a member' };

  test('of those who were members before', async () => {
    expect(await joinedBefore(['admin', 'moderator', 'participant'])).toEqual({
      code: 'SCOPE_NOT_CHANGED',
      text: expect.stringMatching(/^2 rows .*`rollcall sync`/),
    });
  });

  test('not of participants, of new members, or of whom an earlier call may have added', async () => {
    expect(await joinedBefore(['participant'])).toBeUndefined();
    expect(await joinedBefore(['admin'], 'no reply')).toBeUndefined();
    expect((await finishedImport()).reader.scopeNote()).toBeUndefined();
  });
});

describe('values of several shapes', () => {
  const rowWith = (value: string) => ({ problems: [{ ...BAD_UID, value }] });
  const shapesOf = async (values: readonly string[]) => {
    const [problem] = (await stagedImport(values.map(rowWith))).reader.problems();
    return problem?.examples.map(({ line, value, rows }) => [line, value, rows]);
  };

  test('are counted by shape, the most frequent first, each with its first row', async () => {
    expect(await shapesOf(['li na', 'anna@example.org', 'bo@example.com', 'Zoë@exämple.org', 'wu x'])).toEqual([
      [3, 'anna@example.org', 3],
      [2, 'li na', 2],
    ]);
  });

  test('differ in what is neither a letter nor a digit, also in the order of those; empty is a shape', async () => {
    expect(await shapesOf(['a1 b', '', 'mm22 c', '1a b', ''])).toEqual([
      [2, 'a1 b', 2],
      [3, '', 2],
      [5, '1a b', 1],
    ]);
  });

  test('are three at most; the others are the rows that are left', async () => {
    expect(await shapesOf(['a!', 'a?', 'a/', 'a:', 'b:'])).toEqual([
      [5, 'a:', 2],
      [2, 'a!', 1],
      [3, 'a?', 1],
    ]);
  });

  test('are those of one column and code', async () => {
    const { reader } = await stagedImport([
      rowWith('a b'),
      { problems: [{ ...BAD_UID, column: 'guid', value: 'a@b' }] },
      { problems: [{ ...BAD_UID, code: 'TOO_LONG', value: 'abc' }] },
    ]);
    expect(reader.problems().flatMap(({ examples }) => examples.map(({ rows }) => rows))).toEqual(Array(3));
  });

  test('are looked for in the first 100,000 invalid rows', async () => {
    const { reader } = await stagedImport([
      ...members(99_990, rowWith('a b')),
      ...members(20, rowWith('a@b')),
      rowWith('a b'),
    ]);
    expect(reader.problems()).toMatchObject([
      { count: 100_011, examined: 100_000, examples: [{ rows: 99_990 }, { rows: 10 }] },
    ]);
  });
});

test('a reader sees what the writer has finished, while the writer goes on', async () => {
  const { dispatch, record, path, ledger } = await stagedImport(members(100));
  const reader = openImportReader(path);
  const rows = reader.rows();
  rows.next();
  for (const batch of dispatch()) record(batch, ALL_DONE);
  // The report that was begun before keeps to what it saw then; a new one sees everything.
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['unprocessed']));
  expect(new Set(reader.rows().map(({ status }) => status))).toEqual(new Set(['added']));
  expect(reader.counters().get('us')).toMatchObject({ read: 100, added: 100 });
  reader.close();
  expect(ledger.check().holds).toBe(true);
});

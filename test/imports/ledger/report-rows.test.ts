import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/membership/outcome.ts';
import { OUTCOMES } from '../../../src/membership/outcome.ts';
import {
  ALL_DONE,
  call,
  dispatch,
  dispatchOnly,
  EMPTY_UID,
  members,
  pending,
  resultOf,
  rowAt,
  type StagedImport,
  stagedImport,
} from './staged-import.ts';

const NO_USER = { code: 'ERR_UID_NOT_FOUND', message: 'no such user' };

/** One row of every outcome: lines 2 to 13, in the order of the words. */
async function oneOfEach(): Promise<StagedImport> {
  const staged = await stagedImport([
    { uid: 'ann' },
    { uid: 'bob', scope: 'ban' },
    { uid: 'cid' },
    { uid: 'dan' },
    {
      problems: [
        EMPTY_UID,
        { ...EMPTY_UID, column: 'scope', value: 'boss', code: 'UNKNOWN_SCOPE', reason: 'no scope' },
      ],
    },
    { uid: 'ANN' },
    { uid: 'eve', guid: 'lost' },
    { uid: 'fay', guid: 'late' },
    { uid: 'gil', scope: 'admin', action: 'change' },
    { uid: 'hal', action: 'remove' },
    { uid: 'ida', action: 'unban' },
    {
      shaped: { part: 1, value: '', skipped: true },
      problems: [{ ...EMPTY_UID, column: 'status', code: 'FILTERED', reason: 'it is "gone"' }],
    },
  ]);
  const { ledger } = staged;
  const [change, removal, unban, first, lost] = dispatch(ledger, 5);
  if (
    change === undefined ||
    removal === undefined ||
    unban === undefined ||
    first === undefined ||
    lost === undefined
  ) {
    throw new Error('five batches expected');
  }
  const others = [
    { row: 3, outcome: 'already_member', code: 'ERR_ALREADY_JOINED', message: 'was there' },
    { row: 4, outcome: 'failed', ...NO_USER },
  ] as const;
  const was = { code: 'ERR_NOT_A_MEMBER', message: 'it was no member' };
  ledger.record([
    resultOf(change, {
      kind: 'answered',
      others: [{ row: 9, outcome: 'changed', code: '', message: '' }],
      missing: [],
    }),
    resultOf(removal, { kind: 'answered', others: [{ row: 10, outcome: 'removed', ...was }], missing: [] }),
    resultOf(unban, {
      kind: 'answered',
      others: [{ row: 11, outcome: 'unbanned', code: '', message: '' }],
      missing: [],
    }),
    resultOf(first, { kind: 'answered', others, missing: [] }),
    resultOf(lost, { kind: 'unanswered', maybeCarriedOut: true, code: 'TIMEOUT', message: 'no answer' }),
  ]);
  ledger.leaveRest('cancelled');
  return staged;
}

describe('the rows of a report', () => {
  test('have each the id of their own message, whatever characters are in the ids of others', async () => {
    const { ledger, reader } = await stagedImport(Array.from({ length: 12 }, (_, index) => ({ uid: `u${index + 1}` })));
    const [batch] = dispatch(ledger, 1);
    if (batch === undefined) throw new Error('a batch expected');
    const ids = ['[2,"47"', '12', '', '[11,', '\\', '"],[7,"8', ']ü – 👋', 'm'];
    const messages = [...ids.entries()].map(([index, id]): [number, string] => [index + 1, id]);
    ledger.record([
      resultOf(batch, { kind: 'answered', others: [], missing: [], messages: [...messages, [12, 'last']] }),
    ]);
    expect(
      reader
        .rows()
        .map(({ messageId }) => messageId)
        .toArray(),
    ).toEqual([...ids, '', '', '', 'last']);
  });

  test('come in the order of the input, as they were, each with its one outcome and what it asked for', async () => {
    const { reader } = await oneOfEach();
    const rows = [...reader.rows()];
    expect(rows.map(({ line, original }) => ({ line, original }))).toEqual(
      OUTCOMES.map((_, index) => ({ line: rowAt(index, {}).line, original: rowAt(index, {}).original })),
    );
    expect(rows.map(({ status, code, message }) => [status, code, message])).toEqual([
      ['added', '', ''],
      ['banned', '', ''],
      ['already_member', 'ERR_ALREADY_JOINED', 'was there'],
      ['failed', NO_USER.code, NO_USER.message],
      ['invalid', 'EMPTY', 'uid: the uid is empty; a row needs one; scope: no scope'],
      ['duplicate', 'DUPLICATE', 'the same membership is in row 2, which asks for participant'],
      ['unconfirmed', 'TIMEOUT', 'no answer'],
      ['unprocessed', 'NOT_SENT', 'cancelled'],
      ['changed', '', ''],
      ['removed', 'ERR_NOT_A_MEMBER', 'it was no member'],
      ['unbanned', '', ''],
      ['skipped', 'FILTERED', 'status: it is "gone"'],
    ]);
    expect(rows.map(({ guid, uid, scope, attempts }) => [guid, uid, scope, attempts])).toEqual([
      ['g', 'ann', 'participant', 1],
      ['g', 'bob', 'ban', 1],
      ['g', 'cid', 'participant', 1],
      ['g', 'dan', 'participant', 1],
      ['g', 'u5', 'boss', 0],
      ['g', 'ANN', 'participant', 0],
      ['lost', 'eve', 'participant', 1],
      ['late', 'fay', 'participant', 0],
      ['g', 'gil', 'admin', 1],
      ['g', 'hal', '', 1],
      ['g', 'ida', '', 1],
      ['', 'u12', '', 0],
    ]);
    expect(rows.every(({ region }) => region === 'us')).toBe(true);
  });

  test.each(OUTCOMES)('can be chosen: %s', async (outcome) => {
    const { reader } = await oneOfEach();
    expect([...reader.rows({ status: [outcome] })].map(({ status }) => status)).toEqual([outcome]);
  });

  test('can be chosen by several outcomes, still in the order of the input, and by none', async () => {
    const { reader } = await oneOfEach();
    const chosen: Outcome[] = ['unprocessed', 'invalid', 'added', 'duplicate'];
    expect([...reader.rows({ status: chosen })].map(({ status }) => status)).toEqual([
      'added',
      'invalid',
      'duplicate',
      'unprocessed',
    ]);
    expect([...reader.rows({ status: [] })]).toEqual([]);
  });

  test('that wait still are unprocessed, and are among those when they are chosen', async () => {
    const { reader, ledger } = await stagedImport(members(30));
    const [first] = dispatch(ledger);
    if (first === undefined) throw new Error('no batch');
    ledger.record([resultOf(first, ALL_DONE)]);
    expect([...reader.rows({ status: ['unprocessed'] })]).toHaveLength(30 - first.rows.length);
  });
});

test('problems are counted by outcome and code, most first, with rows as examples', async () => {
  const { reader, ledger } = await stagedImport([
    { uid: 'ann' },
    { problems: [EMPTY_UID] },
    { problems: [{ ...EMPTY_UID, code: 'BAD_CHARACTER', value: 'x y', reason: 'a space' }, EMPTY_UID] },
    { problems: [{ ...EMPTY_UID, code: 'BAD_CHARACTER', value: 'z z', reason: 'a space' }] },
    { uid: 'ANN' },
    { uid: 'bob' },
  ]);
  const others = [{ row: 6, outcome: 'failed', ...NO_USER }] as const;
  ledger.record([resultOf(dispatchOnly(ledger), { kind: 'answered', others, missing: [] })]);
  expect(reader.problems()).toEqual([
    {
      status: 'invalid',
      code: 'BAD_CHARACTER',
      column: 'uid',
      count: 2,
      examples: [
        { line: 4, value: 'x y', message: 'uid: a space; uid: the uid is empty; a row needs one' },
        { line: 5, value: 'z z', message: 'uid: a space' },
      ],
    },
    {
      status: 'duplicate',
      code: 'DUPLICATE',
      count: 1,
      examples: [
        {
          line: 6,
          value: 'ANN',
          message: 'the same membership is in row 2, which asks for participant',
        },
      ],
    },
    { status: 'failed', code: NO_USER.code, count: 1, examples: [{ line: 7, value: 'bob', message: NO_USER.message }] },
    {
      status: 'invalid',
      code: 'EMPTY',
      column: 'uid',
      count: 1,
      examples: [{ line: 3, value: '', message: 'uid: the uid is empty; a row needs one' }],
    },
  ]);
});

test('an import in which all is well has no problems', async () => {
  const { reader, ledger } = await stagedImport(members(2));
  ledger.record([resultOf(dispatchOnly(ledger), ALL_DONE)]);
  expect(reader.problems()).toEqual([]);
});

describe('calls over time', () => {
  test('are rates of all regions together', async () => {
    const { reader, ledger } = await stagedImport([...members(1), ...members(1, { region: 'eu' })]);
    const [us, eu] = dispatch(ledger);
    if (us === undefined || eu === undefined) throw new Error('two batches expected');
    const calls = [call({ at: 1_000 }), call({ at: 1_002, kind: 'slow-down' }), call({ at: 2_009 })];
    ledger.record([resultOf(us, ALL_DONE, { calls }), resultOf(eu, ALL_DONE, { calls: [call({ at: 1_999 })] })]);
    expect(reader.callRates()).toEqual([
      { at: '1970-01-01T00:00:01.500Z', calls: 3, rateLimited: 1 },
      { at: '1970-01-01T00:00:02.500Z', calls: 1, rateLimited: 0 },
    ]);
  });

  test('are none before the first call', async () => {
    const { reader } = await stagedImport(members(1));
    expect(reader.callRates()).toEqual([]);
  });

  test('are at most some hundreds, however long it takes', async () => {
    const { reader, ledger } = await stagedImport(members(1));
    const calls = Array.from({ length: 700 }, (_, at) => call({ at: at * 2_000 }));
    ledger.record([resultOf(dispatchOnly(ledger), ALL_DONE, { calls })]);
    expect(reader.callRates().length).toBeLessThanOrEqual(201);
  });
});

test('the input is described as it was read', async () => {
  const { reader } = await stagedImport(members(1));
  expect(reader.input()).toMatchObject({
    format: 'csv',
    kind: 'csv',
    notes: [],
    delimiter: ',',
    columns: ['guid', 'uid', 'scope'],
    recognised: { guid: 'guid', uid: 'uid', scope: 'scope' },
  });
});

test('a report that is being read shows one moment, while results are recorded; the next one shows them', async () => {
  const { reader, ledger } = await stagedImport(members(60));
  const rows = reader.rows();
  expect(rows.next()).toMatchObject({ done: false, value: { status: 'unprocessed' } });
  ledger.record(dispatch(ledger).map((batch) => resultOf(batch, ALL_DONE)));
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['unprocessed']));
  expect(new Set(reader.rows().map(({ status }) => status))).toEqual(new Set(['added']));
  expect(reader.counters()).toEqual(ledger.counters());
  expect(pending(ledger)).toEqual([]);
});

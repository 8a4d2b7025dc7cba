import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Sent } from '../../../src/imports/record/batch-result.ts';
import { totalRows } from '../../../src/imports/record/counters.ts';
import type { ImportLedger } from '../../../src/imports/record/import-ledger.ts';
import type { ImportReader } from '../../../src/imports/report/import-reader.ts';
import { ALL_DONE, call, dispatch, dispatchOnly, members, pending, resultOf, stagedImport } from './staged-import.ts';

const NOTHING = { refusedGroups: [], stoppedRegions: [] };
const KEY_REFUSED = { code: 'AUTH_ERR_NO_ACCESS', message: 'the key may not do this' };
const NO_GROUP = { code: 'ERR_GUID_NOT_FOUND', message: 'there is no such group' };
const CLOSED = { code: 'ERR_GROUP_CLOSED', message: 'the group takes no members' };

/** Rows as the report tells them, in short. */
const outcomesIn = (reader: ImportReader) =>
  [...reader.rows()].map(({ status, code, message }) => ({ status, code, message }));
const statuses = (reader: ImportReader) => [...reader.rows()].map(({ status }) => status);
const sizes = (ledger: ImportLedger) => pending(ledger).map(({ rows }) => rows.length);
const uids = (ledger: ImportLedger) => pending(ledger).flatMap(({ rows }) => rows.map(({ uid }) => uid));

describe('an answered call', () => {
  test('adds the rows that it does not speak against, bans those that asked for it, and keeps what was said of the rest', async () => {
    const { ledger, reader } = await stagedImport([{}, { scope: 'ban' }, { scope: 'admin' }, {}]);
    const batch = dispatchOnly(ledger);
    const others = [
      { row: 3, outcome: 'already_member', code: 'ERR_ALREADY_JOINED', message: 'was there' },
      { row: 4, outcome: 'failed', code: 'ERR_UID_NOT_FOUND', message: 'no such user' },
    ] as const;
    expect(ledger.record([resultOf(batch, { kind: 'answered', others, missing: [] })])).toEqual(NOTHING);
    expect(outcomesIn(reader)).toEqual([
      { status: 'added', code: '', message: '' },
      { status: 'banned', code: '', message: '' },
      { status: 'already_member', code: 'ERR_ALREADY_JOINED', message: 'was there' },
      { status: 'failed', code: 'ERR_UID_NOT_FOUND', message: 'no such user' },
    ]);
    expect(ledger.openRegions().size).toBe(0);
    expect(ledger.check()).toMatchObject({ holds: true, rows: { added: 1, banned: 1, already_member: 1, failed: 1 } });
  });

  test('that leaves out UIDs has them asked for once more, on their own and with a note why delivery is uncertain', async () => {
    const { ledger, reader } = await stagedImport(members(4));
    const missing = [2, 4];
    const first = resultOf(dispatchOnly(ledger), { kind: 'answered', others: [], missing });
    expect(ledger.record([first])).toEqual(NOTHING);
    expect(statuses(reader)).toEqual(['added', 'unprocessed', 'added', 'unprocessed']);

    const again = dispatchOnly(ledger);
    expect(again.rows.map(({ row }) => row)).toEqual(missing);
    expect(again.uncertainty).toBe('the reply to an earlier call did not mention this UID');
    const standing = { tries: 2, since: 1_000, unsaid: 2, ended: { code: 'NOT_IN_REPLY', message: 'sent twice' } };
    const second = resultOf(again, { kind: 'answered', others: [], missing: [4], again: { why: 'lost', standing } });
    expect(ledger.record([second])).toEqual(NOTHING);
    expect(statuses(reader)).toEqual(['added', 'added', 'added', 'unprocessed']);
    expect([...reader.rows()].map(({ attempts }) => attempts)).toEqual([1, 2, 1, 2]);
    // What it has been through is known when it is sent again, and where its job was lost.
    expect(dispatchOnly(ledger)).toMatchObject({ uncertainty: 'lost', standing });
    expect(ledger.dispatchedBatches('us', Number.POSITIVE_INFINITY, 9)).toMatchObject([{ standing }]);
  });
});

describe('a batch that is cut in half', () => {
  test('is halved down to the one row that causes it, and the other 24 are added', async () => {
    const { ledger, reader } = await stagedImport(members(25));
    const culprit = 17;
    const seen: number[] = [];
    for (let batches = dispatch(ledger); batches.length > 0; batches = dispatch(ledger)) {
      for (const batch of batches) {
        seen.push(batch.rows.length);
        const refusal = { code: 'ERR_BAD_REQUEST', message: 'one of these is bad' };
        const bad = batch.rows.some(({ row }) => row === culprit);
        const sent: Sent =
          bad && batch.rows.length > 1
            ? { kind: 'halve', ...refusal }
            : bad
              ? { kind: 'refused', outcome: 'failed', ...refusal }
              : ALL_DONE;
        ledger.record([resultOf(batch, sent)]);
      }
    }
    expect(seen.toSorted((a, b) => b - a)).toEqual([25, 13, 12, 6, 6, 3, 3, 2, 1, 1, 1]);
    expect(outcomesIn(reader)[culprit - 1]).toEqual({
      status: 'failed',
      code: 'ERR_BAD_REQUEST',
      message: 'one of these is bad',
    });
    expect(ledger.check()).toMatchObject({ holds: true, rows: { added: 24, failed: 1 } });
    expect(ledger.counters().get('us')?.['calls']).toBe(seen.length);
    // The way of the culprit: 25, 12, 6, 3, then 2 and 1 or 1.
    expect([...reader.rows()][culprit - 1]?.attempts).toBeGreaterThanOrEqual(5);
  });

  test('takes the place of its parent in the order, and halves keep why its delivery is uncertain', async () => {
    const { ledger } = await stagedImport([...members(30), ...members(3, { guid: 'other' })]);
    const [first] = dispatch(ledger, 1);
    if (first === undefined) throw new Error('no batch');
    const refusal = { kind: 'halve', code: '400', message: 'no' } as const;
    ledger.record([resultOf(first, refusal, { uncertainty: 'a lost reply' })]);
    expect(sizes(ledger)).toEqual([3, 13, 12, 5]);
    expect(pending(ledger).map(({ uncertainty }) => uncertainty)).toEqual([null, 'a lost reply', 'a lost reply', null]);
  });
});

describe('a refused group', () => {
  const refused = members(25, { guid: 'gone' });
  const file = [...refused, ...members(25, { guid: 'gone', onBehalfOf: 'boss' }), ...refused, {}];

  test('gives what is pending of it its refusal without a further call, whoever acts; other groups go on', async () => {
    const { ledger, reader } = await stagedImport(file);
    const [first] = dispatch(ledger, 1);
    if (first === undefined) throw new Error('no batch');
    const group = ledger.record([resultOf(first, { kind: 'group', ...NO_GROUP })]).refusedGroups;
    expect(group).toHaveLength(1);
    expect(outcomesIn(reader)[0]).toEqual({ status: 'failed', ...NO_GROUP });
    expect(outcomesIn(reader)[74]).toEqual({
      status: 'failed',
      code: NO_GROUP.code,
      message: `not sent, because the service refused the whole group: ${NO_GROUP.message}`,
    });
    expect(uids(ledger)).toEqual(['u76']);
    expect(ledger.counters().get('us')).toMatchObject({ calls: 1, failed: 75 });
    expect(totalRows(ledger.counters())).toMatchObject({ unprocessed: 1 });
    expect(ledger.check().holds).toBe(true);
  });

  test('what was under way ends by its own result, and what was withdrawn ends with the group', async () => {
    const { ledger, reader } = await stagedImport(file);
    const [first, second, third] = dispatch(ledger).filter(({ guid }) => guid === 'gone');
    if (first === undefined || second === undefined || third === undefined) throw new Error('three batches expected');
    const { refusedGroups } = ledger.record([resultOf(first, { kind: 'group', ...NO_GROUP })]);
    const [group = 0] = refusedGroups;
    expect(new Set(ledger.dispatchedOfGroup(group))).toEqual(new Set([second.id, third.id]));
    ledger.reclaim([{ batch: second.id, calls: [], uncertainty: null }]);
    ledger.settleRefusedGroup(group);
    ledger.record([resultOf(third, ALL_DONE)]);
    expect(ledger.check()).toMatchObject({ holds: true, rows: { failed: 50, added: 25, unprocessed: 1 } });
    expect(statuses(reader).at(-1)).toBe('unprocessed');
  });

  test('leaves rows unconfirmed that an earlier call may have added', async () => {
    const { ledger, reader } = await stagedImport(members(50));
    const [first, second] = dispatch(ledger);
    if (first === undefined || second === undefined) throw new Error('two batches expected');
    ledger.reclaim([{ batch: second.id, calls: [call({ kind: 'again' })], uncertainty: 'the reply was lost' }]);
    ledger.record([resultOf(first, { kind: 'group', ...CLOSED })]);
    const rows = new Set(second.rows.map(({ row }) => row));
    const expected = {
      status: 'unconfirmed',
      code: CLOSED.code,
      message: `not sent again, because the service refused the whole group: ${CLOSED.message}; the reply was lost`,
    };
    expect(outcomesIn(reader).filter((_, index) => rows.has(index + 1))).toEqual(Array(25).fill(expected));
    expect(ledger.check()).toMatchObject({ holds: true, rows: { failed: 25, unconfirmed: 25 } });
  });
});

describe('a region that refuses every call', () => {
  test('consumes nothing: the batch waits as it was, and the region is known to stand still until it is started', async () => {
    const { ledger, reader } = await stagedImport(members(3));
    const before = pending(ledger);
    const stopped = { region: 'us', ...KEY_REFUSED } as const;
    const refusal = resultOf(dispatchOnly(ledger), { kind: 'stop-region', ...KEY_REFUSED });
    expect(ledger.record([refusal])).toEqual({ ...NOTHING, stoppedRegions: [stopped] });
    expect(pending(ledger)).toEqual(before);
    expect(statuses(reader)).toEqual(['unprocessed', 'unprocessed', 'unprocessed']);
    expect(ledger.stoppedRegions()).toMatchObject([stopped]);
    ledger.startRegions();
    expect(ledger.stoppedRegions()).toEqual([]);
    ledger.record([resultOf(dispatchOnly(ledger), ALL_DONE)]);
    expect(statuses(reader)).toEqual(['added', 'added', 'added']);
    expect(ledger.counters().get('us')?.['calls']).toBe(2);
  });

  test('keeps why the delivery by an earlier call of the batch is uncertain', async () => {
    const { ledger } = await stagedImport(members(1));
    const refusal = { kind: 'stop-region', ...KEY_REFUSED } as const;
    ledger.record([resultOf(dispatchOnly(ledger), refusal, { uncertainty: 'the reply was lost' })]);
    expect(dispatchOnly(ledger).uncertainty).toBe('the reply was lost');
  });

  test('found out by another import keeps its first reason', async () => {
    const { ledger } = await stagedImport(members(1));
    ledger.stopRegion({ region: 'us', ...KEY_REFUSED });
    ledger.stopRegion({ region: 'us', code: 'LATER', message: 'later' });
    expect(ledger.stoppedRegions()).toEqual([{ region: 'us', ...KEY_REFUSED }]);
  });
});

describe('a call that never got an answer', () => {
  const timeout = { code: 'TIMEOUT', message: 'no answer within 30 s' };

  test('is failed where it cannot have been carried out', async () => {
    const { ledger, reader } = await stagedImport(members(1));
    ledger.record([resultOf(dispatchOnly(ledger), { kind: 'unanswered', maybeCarriedOut: false, ...timeout })]);
    expect(outcomesIn(reader)).toEqual([{ status: 'failed', ...timeout }]);
  });

  test('is unconfirmed where it may have been', async () => {
    const { ledger, reader } = await stagedImport(members(1));
    ledger.record([resultOf(dispatchOnly(ledger), { kind: 'unanswered', maybeCarriedOut: true, ...timeout })]);
    expect(outcomesIn(reader)).toEqual([{ status: 'unconfirmed', ...timeout }]);
  });

  test('is unconfirmed where an earlier process may have sent it', async () => {
    const { ledger, reader } = await stagedImport(members(1));
    dispatch(ledger);
    expect(ledger.reclaimAll('the process ended')).toBe(1);
    ledger.record([resultOf(dispatchOnly(ledger), { kind: 'unanswered', maybeCarriedOut: false, ...timeout })]);
    expect(statuses(reader)).toEqual(['unconfirmed']);
  });
});

test('a refusal of a single row can say that it is a member already', async () => {
  const { ledger, reader } = await stagedImport(members(1));
  const refusal = { code: 'ERR_ALREADY_JOINED', message: 'was there' };
  ledger.record([resultOf(dispatchOnly(ledger), { kind: 'refused', outcome: 'already_member', ...refusal })]);
  expect(outcomesIn(reader)).toEqual([{ status: 'already_member', ...refusal }]);
});

describe('calls', () => {
  test('are counted by what they came to, and the report tells how many a row took and how the last ended', async () => {
    const { ledger, reader } = await stagedImport(members(1));
    const calls = [
      call({ kind: 'again', httpStatus: null, code: 'RESET' }),
      call({ kind: 'slow-down', httpStatus: 429, code: 'ERR_TOO_MANY_REQUESTS' }),
      call({ httpStatus: 200 }),
    ];
    ledger.record([resultOf(dispatchOnly(ledger), ALL_DONE, { calls })]);
    expect(ledger.counters().get('us')).toMatchObject({ calls: 3, retries: 1, rateLimited: 1 });
    expect([...reader.rows()]).toMatchObject([
      { attempts: 3, httpStatus: 200, finishedAt: '1970-01-01T00:00:01.020Z' },
    ]);
  });

  test('of a batch that left the queue unsent are kept, and counted once', async () => {
    const { ledger, reader } = await stagedImport(members(1));
    const taken = { batch: dispatchOnly(ledger).id, calls: [call({ kind: 'slow-down' })], uncertainty: null };
    ledger.reclaim([taken]);
    ledger.reclaim([taken]);
    ledger.record([resultOf(dispatchOnly(ledger), ALL_DONE)]);
    expect(ledger.counters().get('us')).toMatchObject({ calls: 2, rateLimited: 1 });
    expect([...reader.rows()]).toMatchObject([{ attempts: 2 }]);
  });
});

describe('recording a result twice changes nothing', () => {
  const others = [{ row: 1, outcome: 'failed', code: 'ERR_UID_NOT_FOUND', message: 'no such user' }] as const;
  const refusal = { code: 'CODE', message: 'a message' };
  const kinds: Sent[] = [
    ALL_DONE,
    { kind: 'answered', others, missing: [2] },
    { kind: 'halve', ...refusal },
    { kind: 'group', ...refusal },
    { kind: 'stop-region', ...refusal },
    { kind: 'refused', outcome: 'failed', ...refusal },
    { kind: 'unanswered', maybeCarriedOut: true, ...refusal },
  ];

  test.each(kinds)('$kind', async (sent) => {
    const { path, ledger } = await stagedImport([...members(3), ...members(26, { onBehalfOf: 'boss' })]);
    const [first] = dispatch(ledger);
    if (first === undefined) throw new Error('no batch');
    const result = resultOf(first, sent);
    ledger.record([result]);
    const once = everything(path);
    ledger.record([result]);
    expect(everything(path)).toEqual(once);
    // And in one go, as two results that wait for the recorder.
    const other = await stagedImport([...members(3), ...members(26, { onBehalfOf: 'boss' })]);
    dispatch(other.ledger);
    other.ledger.record([result, result]);
    expect(sizes(other.ledger)).toEqual(sizes(ledger));
    expect(other.ledger.counters()).toEqual(ledger.counters());
    expect(other.ledger.check().holds).toBe(true);
  });
});

test('a result of a batch that this import does not have is passed over', async () => {
  const { ledger } = await stagedImport(members(1));
  const batch = { ...dispatchOnly(ledger), id: 4711 };
  expect(ledger.record([resultOf(batch, ALL_DONE)])).toEqual({ ...NOTHING, unasked: [4711] });
  expect(ledger.check()).toMatchObject({ holds: true, rows: { unprocessed: 1 } });
});

/** All that recording may change, except when a batch was dispatched. */
function everything(path: string) {
  const file = new DatabaseSync(path, { readOnly: true });
  try {
    return ['memberships', 'batches', 'calls', 'counters', 'groups', 'regions'].map((table) =>
      file.prepare(`select * from ${table} order by 1, 2`).all(),
    );
  } finally {
    file.close();
  }
}

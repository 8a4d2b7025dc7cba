import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_UIDS_PER_CALL } from '../../../src/chat/service/limits.ts';
import { hashUid } from '../../../src/imports/record/enum-ids.ts';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { openImportReader } from '../../../src/imports/report/import-reader.ts';
import { IMPORT_SCHEMA } from '../../../src/imports/schemas.ts';
import { cut, markOf, NO_SCOPE, SentRows } from '../../../src/imports/stage/cut.ts';
import { rowInserter, startStaging } from '../../../src/imports/stage/row-writer.ts';
import { inputRowsIn } from '../../../src/imports/stage/rows-before.ts';
import { ACTIONS, type Membership, REGIONS, SCOPES } from '../../../src/membership/membership.ts';
import { closeStaged, openForStaging } from '../../../src/platform/sqlite.ts';
import { runs } from '../../runs.ts';
import { tempDir } from '../../temp-dir.ts';
import { planOf } from './naive-model.ts';
import { BAD_UID, CSV, members, rowAt, stage, stagedImport, type WantedRow } from './staged-import.ts';

/** Few groups and UIDs in several spellings, so that duplicates, contradictions and full batches are frequent. */
const spelled = (...names: string[]) =>
  fc.tuple(fc.constantFrom(...names), fc.boolean()).map(([name, loud]) => (loud ? name.toUpperCase() : name));
const membership: fc.Arbitrary<Membership> = fc.record({
  region: fc.constantFrom(...REGIONS.slice(0, 2)),
  guid: spelled('team', 'board'),
  uid: fc
    .tuple(fc.constantFrom('anna', 'u'), fc.nat({ max: 60 }), fc.boolean())
    .map(([name, n, loud]) => (loud ? `${name}${n}`.toUpperCase() : `${name}${n}`)),
  scope: fc.constantFrom(...SCOPES, 'participant', 'participant'),
  onBehalfOf: spelled('', '', '', 'boss', 'chief'),
  action: fc.oneof({ weight: 12, arbitrary: fc.constant('add' as const) }, fc.constantFrom(...ACTIONS)),
});
const row = fc.oneof({ weight: 15, arbitrary: membership }, { weight: 1, arbitrary: fc.constant('invalid' as const) });

describe('staging', () => {
  test('finds the duplicates, contradictions and batches that the rules ask for, and counts them', async () => {
    const dir = tempDir();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 400, size: 'max' }), async (rows) => {
        const path = join(dir, `${++run}.sqlite`);
        const toStage = rows.map((one): WantedRow => (one === 'invalid' ? { problems: [BAD_UID] } : one));
        await stage(path, toStage, 64);
        const plan = planOf(rows);

        const reader = openImportReader(path);
        const report = reader.rows().toArray();
        reader.close();
        expect(report.map(({ line }) => line)).toEqual(rows.map((_, index) => index + 2));
        expect(report.map(({ status, message }) => (status === 'duplicate' ? message.split(',')[0] : status))).toEqual(
          plan.verdicts.map((verdict) => {
            if (verdict.is === 'duplicate') return `the same membership is in row ${verdict.of + 2}`;
            return verdict.is === 'sent' ? 'unprocessed' : verdict.is;
          }),
        );

        const ledger = openImportLedger(path);
        const batches = REGIONS.flatMap((region) => ledger.toSend(region, ledger.pendingBatches(region, 10_000)));
        expect(batches).toHaveLength(plan.calls);
        const callGroupOf = new Map(
          plan.callGroups.flatMap((callGroup, number) => callGroup.map((index) => [index + 1, number] as const)),
        );
        for (const batch of batches) {
          expect(batch.rows.length).toBeLessThanOrEqual(MAX_UIDS_PER_CALL);
          expect(new Set(batch.rows.map((one) => callGroupOf.get(one.row))).size).toBe(1);
          for (const one of batch.rows) {
            const asked = rows[one.row - 1];
            if (asked === undefined || asked === 'invalid') throw new Error('an invalid row is in a batch');
            expect([one.uid, batch.region, batch.action]).toEqual([asked.uid, asked.region, asked.action]);
            if (batch.action !== 'remove' && batch.action !== 'unban') expect(one.scope).toBe(asked.scope);
            expect(batch.guid.toLowerCase()).toBe(asked.guid.toLowerCase());
            expect(batch.onBehalfOf.toLowerCase()).toBe(asked.onBehalfOf.toLowerCase());
          }
        }
        const sent = batches.flatMap((batch) => batch.rows.map((one) => one.row));
        expect(sent.toSorted((a, b) => a - b)).toEqual([...callGroupOf.keys()].sort((a, b) => a - b));
        expect(ledger.check()).toMatchObject({ holds: true, rows: { read: rows.length, unprocessed: sent.length } });
        ledger.close();
      }),
      { numRuns: runs(100), endOnFailure: true },
    );
  });

  test('only rows whose mark another row has are compared: hardly any that ask for something else', () => {
    const sent = new SentRows();
    for (const [index, mark] of [5, 0, 7, 5, 0, 9, 5].entries()) sent.add(index + 1, 1, NO_SCOPE, mark);
    expect([...sent.repeated()]).toEqual([1, 4, 7]);

    const marks = [1, 2, 3].flatMap((group) => Array.from({ length: 300 }, (_, n) => markOf(group, hashUid(`u${n}`))));
    expect(new Set(marks).size).toBeGreaterThan(890);
    // 0 is no mark.
    expect(markOf(0, 0)).toBe(1);
  });

  test('UIDs with the same mark are kept apart, and the same UID is still found', () => {
    const path = join(tempDir(), 'ledger.sqlite');
    const database = openForStaging(path, IMPORT_SCHEMA);
    const inserter = rowInserter(database);
    const rows = ['anna', 'berta', 'ANNA', 'carla'].map((uid, index) => rowAt(index, { uid }));
    inserter.insert(rows);
    inserter.finish();
    const sent = new SentRows();
    for (const row of [1, 2, 3, 4]) sent.add(row, 1, NO_SCOPE, 7);
    cut(database, { format: 'csv', delimiter: ',', columns: [], recognised: {} }, sent);
    closeStaged(database, path);
    const reader = openImportReader(path);
    const statuses = reader.rows().map(({ uid, status }) => [uid, status]);
    expect(statuses.toArray()).toEqual([
      ['anna', 'unprocessed'],
      ['berta', 'unprocessed'],
      ['ANNA', 'duplicate'],
      ['carla', 'unprocessed'],
    ]);
    reader.close();
  });

  test('of the same UID the highest scope stays, and of equals the first', async () => {
    const { reader } = await stagedImport([
      { uid: 'anna', scope: 'participant' },
      { uid: 'Anna', scope: 'admin', onBehalfOf: 'boss' },
      { uid: 'ANNA', scope: 'admin' },
    ]);
    expect(
      reader
        .rows()
        .map(({ status, message }) => [status, message])
        .toArray(),
    ).toEqual([
      ['duplicate', 'the same membership is in row 3, which asks for admin'],
      ['unprocessed', ''],
      ['duplicate', 'the same membership is in row 3, which asks for admin'],
    ]);
  });

  test('added and banned at once: every such row is invalid, and names a row that asks for the other', async () => {
    const { reader, dispatch } = await stagedImport([
      { uid: 'anna', scope: 'ban' },
      { uid: 'ANNA', scope: 'participant' },
      { uid: 'anna', scope: 'admin' },
      { uid: 'berta', scope: 'ban' },
    ]);
    const rows = reader.rows().toArray();
    expect(rows.map(({ status, code }) => [status, code])).toEqual([
      ['invalid', 'ADDED_AND_BANNED'],
      ['invalid', 'ADDED_AND_BANNED'],
      ['invalid', 'ADDED_AND_BANNED'],
      ['unprocessed', ''],
    ]);
    expect(rows.map(({ message }) => /row (\d+)/.exec(message)?.[1])).toEqual(['3', '2', '2', undefined]);
    expect(dispatch().flatMap((batch) => batch.rows.map(({ uid }) => uid))).toEqual(['berta']);
  });

  test('two actions for one UID of a group: every such row is invalid, and names a row that asks for another', async () => {
    const { reader, dispatch } = await stagedImport([
      { uid: 'anna', action: 'remove' },
      { uid: 'ANNA' },
      { uid: 'anna', action: 'change', onBehalfOf: 'boss' },
      { uid: 'anna', action: 'remove', guid: 'board' },
    ]);
    const rows = reader.rows().toArray();
    expect(rows.map(({ status, code }) => [status, code])).toEqual([
      ['invalid', 'SEVERAL_ACTIONS'],
      ['invalid', 'SEVERAL_ACTIONS'],
      ['invalid', 'SEVERAL_ACTIONS'],
      ['unprocessed', ''],
    ]);
    expect(rows.map(({ message }) => /row (\d+)/.exec(message)?.[1])).toEqual(['3', '2', '2', undefined]);
    expect(dispatch().map(({ guid, action }) => [guid, action])).toEqual([['board', 'remove']]);
  });

  test('the same removal or change twice is a duplicate, and a call has one of them', async () => {
    const { reader, dispatch } = await stagedImport([
      { uid: 'anna', action: 'remove' },
      { uid: 'Anna', action: 'remove' },
      { uid: 'berta', action: 'change' },
      { uid: 'berta', action: 'change', scope: 'admin' },
      { uid: 'cleo', action: 'remove' },
    ]);
    expect(
      reader
        .rows()
        .map(({ status, message }) => [status, message])
        .toArray(),
    ).toEqual([
      ['unprocessed', ''],
      ['duplicate', 'the same membership is in row 2'],
      ['duplicate', 'the same membership is in row 5, which asks for admin'],
      ['unprocessed', ''],
      ['unprocessed', ''],
    ]);
    const sent = dispatch().map(({ rows }) => rows.map(({ uid }) => uid).join());
    expect(sent.sort()).toEqual(['anna', 'berta', 'cleo']);
  });

  test('changes and removals go before additions, for which removals make room', async () => {
    const { dispatch } = await stagedImport([
      ...members(30),
      { uid: 'old', action: 'remove' },
      { uid: 'risen', action: 'change', scope: 'admin' },
    ]);
    expect(dispatch().map(({ action, rows }) => [action, rows.length])).toEqual([
      ['remove', 1],
      ['change', 1],
      ['add', 25],
      ['add', 5],
    ]);
  });

  test('the first batches of all groups go before the second ones', async () => {
    const { dispatch } = await stagedImport([...members(60, { guid: 'large' }), ...members(30, { guid: 'small' })]);
    expect(dispatch().map(({ guid }) => guid)).toEqual(['large', 'small', 'large', 'small', 'large']);
  });

  test('a row whose region is not known counts for no region; another invalid row counts for its own', async () => {
    const region = { ...BAD_UID, column: 'region', code: 'UNKNOWN_REGION' as const };
    const { ledger } = await stagedImport([
      { problems: [region] },
      { region: 'eu', problems: [BAD_UID, { ...BAD_UID, column: 'scope' }] },
      { region: 'in' },
    ]);
    const counters = ledger.counters();
    expect(counters.get('')).toMatchObject({ read: 1, invalid: 1 });
    expect(counters.get('eu')).toMatchObject({ read: 1, invalid: 1 });
    expect(counters.get('in')).toEqual({
      read: 1,
      messages: 1,
      messageGroups: 1,
      addedMessages: 1,
      addedCalls: 1,
      silentCalls: 1,
    });
    expect(ledger.regionsUsed()).toEqual(['in']);
  });

  test('a file of invalid rows has nothing to send', async () => {
    const { ledger, reader } = await stagedImport([{ problems: [BAD_UID] }]);
    expect([ledger.regionsUsed(), [...ledger.openRegions()]]).toEqual([[], []]);
    expect(
      reader
        .rows()
        .map(({ status }) => status)
        .toArray(),
    ).toEqual(['invalid']);
  });

  test('a file that may not shrink is compared with the last run whose rows are known', () => {
    const [gone = '', uncounted = '', counted = ''] = ['a', 'b', 'c'].map((name) => join(tempDir(), name));
    startStaging(uncounted).finish(CSV);
    startStaging(counted).finish({ ...CSV, rowsRead: 12 });
    expect(inputRowsIn([gone, uncounted, counted])).toBe(12);
  });
});

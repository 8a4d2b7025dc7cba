import { copyFileSync, renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { ALL_DONE, dispatch, dispatchOnly, members, pending, resultOf, stagedImport } from './staged-import.ts';

describe('an import that ends before all is sent', () => {
  test('leaves rows unprocessed that were certainly not sent, and unconfirmed where a call may have been carried out', async () => {
    const { ledger, reader } = await stagedImport([...members(25), ...members(25), ...members(1, { guid: 'other' })]);
    const [sent, uncertain] = dispatch(ledger, 2);
    if (sent === undefined || uncertain === undefined) throw new Error('two batches expected');
    ledger.record([resultOf(sent, ALL_DONE)]);
    ledger.reclaim([{ batch: uncertain.id, calls: [], uncertainty: 'the reply was lost' }]);
    ledger.leaveRest('cancelled by a person');
    const messages = [...reader.rows()].map(({ status, code, message }) => `${status} ${code} ${message}`);
    expect(new Map([...Map.groupBy(messages, (message) => message)].map(([text, all]) => [text, all.length]))).toEqual(
      new Map([
        ['added  ', sent.rows.length],
        [
          'unconfirmed NO_ANSWER sent, and the import was ended before an answer came: the reply was lost',
          uncertain.rows.length,
        ],
        ['unprocessed NOT_SENT cancelled by a person', 51 - sent.rows.length - uncertain.rows.length],
      ]),
    );
    expect(pending(ledger)).toEqual([]);
    expect(ledger.openRegions().size).toBe(0);
    expect(ledger.check().holds).toBe(true);
  });

  test('ends once: leaving the rest again changes nothing, and a late result neither', async () => {
    const { ledger } = await stagedImport(members(3));
    const batch = dispatchOnly(ledger);
    ledger.leaveRest('cancelled');
    const { rows } = ledger.check();
    ledger.leaveRest('cancelled again');
    ledger.record([resultOf(batch, ALL_DONE)]);
    expect(ledger.check()).toEqual({ holds: true, rows, difference: '' });
    expect(rows).toMatchObject({ unprocessed: 3 });
  });
});

describe('after a crash', () => {
  test('whatever was dispatched waits again with a note why its delivery is uncertain; what was not, without', async () => {
    const { path, ledger } = await stagedImport(members(75));
    const [first] = dispatch(ledger, 2);
    if (first === undefined) throw new Error('no batch');
    ledger.record([resultOf(first, ALL_DONE)]);
    ledger.close();

    const reopened = openImportLedger(path);
    expect(reopened.reclaimAll('the process ended')).toBe(1);
    expect(pending(reopened).map(({ uncertainty }) => uncertainty)).toEqual(['the process ended', null]);
    expect(reopened.reclaimAll('the process ended again')).toBe(0);
    expect(reopened.check()).toMatchObject({ holds: true, rows: { added: 25, unprocessed: 50 } });
    reopened.close();
  });

  test('a copy of a ledger takes all that has no result for uncertain, once; the ledger itself under another name does not', async () => {
    const { path, ledger } = await stagedImport(members(75));
    const [first] = dispatch(ledger, 1);
    if (first === undefined) throw new Error('no batch');
    ledger.record([resultOf(first, ALL_DONE)]);
    ledger.doubtCopy(path, 'never');
    ledger.close();
    const [copy, moved] = [`${path}.copy`, `${path}.moved`];
    copyFileSync(path, copy);
    renameSync(path, moved);
    for (const [file, expected] of [
      [moved, [null, null]],
      [copy, ['a copy', 'a copy']],
    ] as const) {
      const opened = openImportLedger(file);
      for (const uncertainty of ['a copy', 'again']) opened.doubtCopy(file, uncertainty);
      expect(pending(opened).map(({ uncertainty }) => uncertainty)).toEqual(expected);
      opened.close();
    }
  });

  test('a batch keeps the first reason why its delivery is uncertain through further crashes', async () => {
    const { ledger } = await stagedImport(members(1));
    for (const uncertainty of ['the first crash', 'the second crash']) {
      dispatch(ledger);
      ledger.reclaimAll(uncertainty);
    }
    expect(pending(ledger).map(({ uncertainty }) => uncertainty)).toEqual(['the first crash']);
  });

  test('a result that was on its way counts, though its batch already waits again', async () => {
    const { ledger } = await stagedImport(members(2));
    const batch = dispatchOnly(ledger);
    ledger.reclaimAll('the process ended');
    ledger.record([resultOf(batch, ALL_DONE)]);
    expect(pending(ledger)).toEqual([]);
    expect(ledger.check()).toMatchObject({ holds: true, rows: { added: 2 } });
  });
});

describe('the check of the sum', () => {
  const tampered = async (sql: string) => {
    const { path, ledger } = await stagedImport([...members(3), { uid: 'u1' }]);
    ledger.record([resultOf(dispatchOnly(ledger), ALL_DONE)]);
    expect(ledger.check()).toMatchObject({ holds: true, difference: '' });
    const file = new DatabaseSync(path);
    file.exec(sql);
    file.close();
    return ledger.check();
  };

  test('finds a counter that was changed, and says which and by how much', async () => {
    const { holds, difference } = await tampered(`update counters set n = 2 where name = 'added'`);
    expect(holds).toBe(false);
    expect(difference).toBe('added: 2 counted, 3 in the rows; unprocessed: 1 counted, 0 in the rows');
  });

  test('finds a row that has lost its outcome', async () => {
    const { holds, difference } = await tampered('update memberships set outcome_id = null where row_id = 2');
    expect(holds).toBe(false);
    expect(difference).toContain('3 counted');
  });

  test('finds a row that has vanished from its batch', async () => {
    const { holds, difference } = await tampered('delete from memberships where row_id = 2');
    expect(holds).toBe(false);
    expect(difference).toBe('added: 3 counted, 2 in the rows; 3 outcomes for 4 rows');
  });
});

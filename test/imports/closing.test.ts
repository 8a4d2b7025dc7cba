import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { ImportTotals } from '../../src/api/import-summary.ts';
import type { ImportRecord } from '../../src/imports/catalog.ts';
import { createClosings } from '../../src/imports/life/closing.ts';
import { openImportLedger } from '../../src/imports/record/import-ledger.ts';
import { openLedgerThreads } from '../../src/imports/report/ledger-threads.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { tempDir } from '../temp-dir.ts';
import { ALL_DONE, dispatch, members, resultOf, stage } from './ledger/staged-import.ts';

const RECORD: ImportRecord = {
  id: 'imp-1',
  state: 'running',
  reason: 'started',
  file: 'members.csv',
  source: '/in/members.csv',
  options: '{"region":"us"}',
  retryOf: null,
  createdBy: '',
  tags: '[]',
  code: null,
  remedy: null,
  totals: null,
  createdAt: 1_000,
  startedAt: 2_000,
  finishedAt: null,
};

/** An import of which every row has its outcome, and what closes it. */
async function endingImport() {
  const dir = dataDir(tempDir());
  const path = dir.ledger(RECORD.id);
  mkdirSync(dir.folder(RECORD.id), { recursive: true });
  await stage(path, members(60));
  const ledger = openImportLedger(path);
  const reading = openLedgerThreads();
  onTestFinished(async () => {
    ledger.close();
    await reading.close();
  });
  ledger.record(dispatch(ledger, 2).map((batch) => resultOf(batch, ALL_DONE)));
  ledger.leaveRest('cancelled');
  const kept: ImportTotals[] = [];
  const moves: (readonly [state: string, reason: string | undefined, code?: string])[] = [];
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  const closings = createClosings({
    dir,
    catalog: {
      find: () => undefined,
      attend: () => {},
      get: () => RECORD,
      setProblems: () => {},
      unfinished: () => [],
      setTotals: (_, totals) => kept.push(totals),
    },
    reading,
    emit: async (_, what) => {
      if (what.kind === 'fault') reject(what.error);
      if (what.kind !== 'closed') return;
      const { state, reason, code } = what;
      moves.push(code === undefined ? [state, reason] : [state, reason, code]);
      resolve();
    },
  });
  return { closings, over, moves, kept, path, folder: dir.folder(RECORD.id) };
}

test('the end of an import writes its reports, as of the state that it gets, and an index for searching UIDs', async () => {
  const { closings, over, moves, kept, path, folder } = await endingImport();
  closings.begin(RECORD.id, 'cancelled', 'a user asked for it');
  await over;
  expect(moves).toEqual([['cancelled', 'a user asked for it']]);
  expect(closings.isUnderWay(RECORD.id)).toBe(false);
  expect(readdirSync(folder).filter((name) => !name.startsWith('ledger'))).toEqual([
    'failed.csv',
    'report.csv',
    'retry.csv',
    'summary.json',
  ]);
  const summary = JSON.parse(readFileSync(`${folder}/summary.json`, 'utf8'));
  expect(summary).toMatchObject({ id: 'imp-1', state: 'cancelled', rows: { read: 60, added: 50, unprocessed: 10 } });
  expect(kept).toMatchObject([{ rows: summary.rows, regions: summary.regions, calls: 2 }]);
  expect(Date.parse(summary.finishedAt)).toBeGreaterThan(2_000);
  const database = new DatabaseSync(path, { readOnly: true });
  const indexes = database.prepare('select name from pragma_index_list(?)').all('rows');
  database.close();
  expect(indexes).toEqual([{ name: 'rows_by_uid' }]);
});

test('an import is closed once, however often that is asked for', async () => {
  const { closings, over, moves } = await endingImport();
  closings.begin(RECORD.id, 'cancelled');
  closings.begin(RECORD.id, 'aborted');
  expect(closings.isUnderWay(RECORD.id)).toBe(true);
  await over;
  expect(moves).toEqual([['cancelled', undefined]]);
});

test('totals that disagree with the rows are said in words, whatever else there was to say', async () => {
  const { closings, over, moves, path } = await endingImport();
  const database = new DatabaseSync(path);
  database.exec(`update counters set n = n + 3 where name = 'added'`);
  database.close();
  closings.begin(RECORD.id, 'cancelled', 'a user asked for it');
  await over;
  expect(moves).toEqual([
    [
      'cancelled',
      'the sum of outcomes does not hold: added: 53 counted, 50 in the rows; unprocessed: 7 counted, 10 in the rows',
      'WRONG_SUM',
    ],
  ]);
});

test('a report that cannot be written is reported with the code of the system, and the import stays open', async () => {
  const { closings, over, moves, folder } = await endingImport();
  mkdirSync(`${folder}/report.csv`);
  closings.begin(RECORD.id, 'cancelled');
  await expect(over).rejects.toMatchObject({ code: 'EISDIR' });
  expect(moves).toEqual([]);
  expect(closings.isUnderWay(RECORD.id)).toBe(false);
});

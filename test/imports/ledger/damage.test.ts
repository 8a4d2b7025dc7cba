import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { openImportReader } from '../../../src/imports/report/import-reader.ts';
import { reportPieces } from '../../../src/imports/report/report-files.ts';
import { ndjsonReport, tableReport } from '../../../src/imports/report/report-table.ts';
import { isLedgerError } from '../../../src/platform/database-errors.ts';
import { runs } from '../../runs.ts';
import { tempDir } from '../../temp-dir.ts';
import { ALL_DONE, BAD_UID, dispatch, members, resultOf, stagedImport } from './staged-import.ts';

/** Does all that is done with a ledger; gives each error that is not that of a damaged one. */
function strangeErrors(path: string): unknown[] {
  const errors: unknown[] = [];
  const trying = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      if (!isLedgerError(error)) errors.push(error);
    }
  };
  trying(() => {
    using reader = Object.assign(openImportReader(path), { [Symbol.dispose]: () => reader.close() });
    trying(() => [reader.input(), reader.progress(), reader.problems(), reader.check()]);
    trying(() => [reader.retryWork(), reader.callRates(), reader.moreColumns(), reader.growthNote()]);
    trying(() => [reader.rowsPage({}, 50), reader.rowDetail(3)]);
    trying(() => [...tableReport(reader.input(), reader.rows(), 'csv')]);
    trying(() => [...ndjsonReport(reader.input(), reader.rows())]);
    trying(() => [...reportPieces(reader, { form: 'retry' })]);
  });
  trying(() => {
    const ledger = openImportLedger(path);
    try {
      ledger.reclaimAll('the process ended');
      const batches = dispatch(ledger, 3);
      ledger.record(batches.map((batch) => resultOf(batch, ALL_DONE)));
      ledger.leaveRest('cancelled');
    } finally {
      ledger.close();
    }
  });
  return errors;
}

test('whatever is overwritten or cut off in a ledger, each use of it works or says that it is damaged', async () => {
  const { path, ledger } = await stagedImport([
    ...members(200),
    ...members(60, { guid: 'other' }),
    { problems: [BAD_UID] },
  ]);
  const batches = dispatch(ledger, 4);
  ledger.record(batches.slice(0, 2).map((batch) => resultOf(batch, ALL_DONE)));
  ledger.close();
  const whole = readFileSync(path);
  const copy = join(tempDir(), 'damaged.sqlite');
  const renamed = (column: string, table: string) => {
    const bytes = Buffer.from(whole);
    bytes.write('x', whole.indexOf(` ${column} `, whole.indexOf(`CREATE TABLE ${table} `)) + 1);
    return bytes;
  };
  /** The first entry of a page of an index says that it is longer than any memory: SQLite says "out of memory". */
  const page = whole.readUInt16BE(16);
  const endless = Array.from({ length: whole.length / page }, (_, index) => index * page)
    .filter((at) => whole[at] === 10)
    .map((at) => {
      const bytes = Buffer.from(whole);
      bytes.write('f8e598d3f4dc00', at + bytes.readUInt16BE(at + 8), 'hex');
      return [bytes] as [Buffer];
    });
  const place = fc.nat(whole.length - 1);
  const overwritten = fc.record({ at: place, bytes: fc.uint8Array({ minLength: 1, maxLength: 2_000 }) });
  const cutOff = place.map((bytes) => whole.subarray(0, Math.max(1, bytes)));
  const damaged = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.array(overwritten, { minLength: 1, maxLength: 4 }).map((all) => {
        const bytes = Buffer.from(whole);
        for (const one of all) bytes.set(one.bytes.subarray(0, bytes.length - one.at), one.at);
        return bytes;
      }),
    },
    { weight: 1, arbitrary: cutOff },
  );
  fc.assert(
    fc.property(damaged, (bytes) => {
      // Files of their own: a connection that waits to be collected still has the earlier ones in memory, and must not lose them.
      for (const ending of ['', '-wal', '-shm']) rmSync(`${copy}${ending}`, { force: true });
      writeFileSync(copy, bytes);
      expect(strangeErrors(copy)).toEqual([]);
    }),
    { numRuns: runs(100), examples: [[renamed('line', 'rows')], [renamed('http_status', 'calls')], ...endless] },
  );
});

test('a batch that rows name and that is not there is said to be damage', async () => {
  const { path, ledger } = await stagedImport(members(3));
  ledger.record(dispatch(ledger, 1).map((batch) => resultOf(batch, ALL_DONE)));
  ledger.close();
  using database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec('delete from batches');
  using reader = openImportReader(path);
  expect(() => reader.rows().toArray()).toThrow(expect.objectContaining({ code: 'DAMAGED_LEDGER' }));
});

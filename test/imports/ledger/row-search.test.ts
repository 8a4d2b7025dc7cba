import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import {
  type ImportReader,
  openImportReader,
  type RowFilter,
  type RowWithOutcome,
} from '../../../src/imports/report/reading.ts';
import { tempDir } from '../../temp-dir.ts';
import { mixedImport, rowFilter, writeMixed } from './mixed-import.ts';
import { members, stagedImport } from './staged-import.ts';

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** The filter in the plainest possible way. */
function passes(row: RowWithOutcome, { statuses, code, region, guid, uid }: RowFilter): boolean {
  return (
    (statuses?.has(row.status) ?? true) &&
    (code === undefined || row.code === code) &&
    (region === undefined || row.region === region) &&
    (guid === undefined || same(row.guid, guid)) &&
    (uid === undefined || same(row.uid, uid))
  );
}

/** All pages, one after the other. */
function pagesOf(reader: ImportReader, filter: RowFilter, limit: number): RowWithOutcome[][] {
  const pages: RowWithOutcome[][] = [];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page = reader.rowsPage(filter, after, limit);
    pages.push(page.rows);
    after = page.next;
  }
  return pages;
}

describe('rows that are searched for', () => {
  test('are, page by page, those of the report that pass the filter, with the index of UIDs and without', async () => {
    const dir = tempDir();
    let run = 0;
    const searches = fc.array(fc.tuple(rowFilter, fc.integer({ min: 1, max: 9 })), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(mixedImport, searches, fc.boolean(), async (file, wanted, indexed) => {
        const path = join(dir, `${++run}.sqlite`);
        await writeMixed(path, file);
        if (indexed) {
          const ledger = openImportLedger(path);
          ledger.indexUids();
          ledger.close();
        }
        const reader = openImportReader(path);
        const report = reader.rows().toArray();
        for (const [filter, limit] of wanted) {
          const pages = pagesOf(reader, filter, limit);
          expect(pages.flat()).toEqual(report.filter((row) => passes(row, filter)));
          expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
          // A last page is empty only where nothing is found at all.
          if (pages.length > 1) expect(pages.at(-1)?.length).toBeGreaterThan(0);
        }
        reader.close();
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  test('are numbered in the order of the input, from 1', async () => {
    const { reader } = await stagedImport(members(5));
    expect(reader.rowsPage({}, 2, 2)).toMatchObject({ rows: [{ row: 3, line: 4 }, { row: 4 }], next: 4 });
    expect(reader.rowsPage({}, 4, 2)).toEqual({ rows: [expect.objectContaining({ row: 5 })] });
    expect(reader.rowsPage({}, 5, 2)).toEqual({ rows: [] });
  });

  test('are told apart where two UIDs have one hash', async () => {
    const { reader, path } = await stagedImport([{ uid: 'ann' }, { uid: 'bob' }]);
    const database = new DatabaseSync(path);
    database.exec(`update rows set uid_hash = (select uid_hash from rows where uid = 'ann')`);
    database.close();
    expect(reader.rowsPage({ uid: 'ANN' }, 0, 10).rows.map(({ uid }) => uid)).toEqual(['ann']);
  });

  test('a filter is a value, whatever is written in it', async () => {
    const { reader } = await stagedImport(members(1));
    for (const text of [`' or 1=1 --`, '/* chosen */ true', '$&', ':after', '%']) {
      expect(reader.rowsPage({ uid: text }, 0, 10).rows).toEqual([]);
      expect(reader.rowsPage({ guid: text }, 0, 10).rows).toEqual([]);
      expect(reader.rowsPage({ code: text }, 0, 10).rows).toEqual([]);
    }
  });

  test('are found by UID through the index, once it is there; making it twice does no harm', async () => {
    const { ledger, path, reader } = await stagedImport(members(30));
    const before = reader.rowsPage({ uid: 'U7' }, 0, 10);
    ledger.indexUids();
    ledger.indexUids();
    expect(reader.rowsPage({ uid: 'U7' }, 0, 10)).toEqual(before);
    const database = new DatabaseSync(path, { readOnly: true });
    const plan = database.prepare(`explain query plan select id from rows where uid_hash = 1 and uid = 'u'`).all();
    database.close();
    expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('USING INDEX rows_by_uid')]);
  });
});

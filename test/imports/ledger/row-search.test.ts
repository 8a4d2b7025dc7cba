import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ROW_SORTS, type RowSort } from '../../../src/api/rows.ts';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { type ImportReader, openImportReader } from '../../../src/imports/report/import-reader.ts';
import type { ReportRow } from '../../../src/imports/report/report-table.ts';
import { hasText, ORDER_OF_INPUT, type RowOrder, type RowPlace } from '../../../src/imports/report/row-search.ts';
import { OUTCOMES } from '../../../src/membership/outcome.ts';
import type { RowFilter } from '../../../src/options/row-filter.ts';
import { cursorContent, cursorText } from '../../../src/platform/cursors.ts';
import { placeIn } from '../../../src/server/row-routes.ts';
import { runs } from '../../runs.ts';
import { tempDir } from '../../temp-dir.ts';
import { mixedImport, rowFilter, writeMixed } from './mixed-import.ts';
import { members, stagedImport } from './staged-import.ts';

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

/** The filter in the plainest possible way. */
function passes(row: ReportRow, { status, code, region, guid, uid, text, line }: RowFilter): boolean {
  const cells: readonly string[] = JSON.parse(row.original);
  return (
    (text === undefined || [row.uid, row.guid, ...cells].some((one) => has(String(one), text))) &&
    (line === undefined || (row.line >= line.from && row.line <= line.to)) &&
    (status?.includes(row.status) ?? true) &&
    (code === undefined || row.code === code) &&
    (region === undefined || row.region === region) &&
    (guid === undefined || same(row.guid, guid)) &&
    (uid === undefined || same(row.uid, uid))
  );
}

/** The sort keys of rows, in the plainest possible way. */
const KEYS: Readonly<Record<RowSort, (row: ReportRow) => string | number>> = {
  row: ({ row }) => row,
  uid: ({ uid }) => uid.toLowerCase(),
  guid: ({ guid }) => guid.toLowerCase(),
  outcome: ({ status }) => OUTCOMES.indexOf(status),
  code: ({ code }) => code,
  finished: ({ finishedAt }) => finishedAt ?? '',
};

function sorted(rows: readonly ReportRow[], { by, descending }: RowOrder): ReportRow[] {
  const compared = rows.toSorted((one, other) => {
    const [a, b] = [KEYS[by](one), KEYS[by](other)];
    return a < b ? -1 : a > b ? 1 : one.row - other.row;
  });
  return descending ? compared.reverse() : compared;
}

/** All pages, one after the other. */
function pagesOf(reader: ImportReader, filter: RowFilter, limit: number, order = ORDER_OF_INPUT): ReportRow[][] {
  const pages: ReportRow[][] = [];
  let after: RowPlace | undefined;
  for (;;) {
    const page = reader.rowsPage(filter, limit, order, after);
    pages.push(page.rows);
    const last = page.places.at(-1);
    if (!page.more || last === undefined) return pages;
    // The cursor goes to the browser and back.
    after = cursorContent(placeIn(order), cursorText([order.by, order.descending, last.row, last.key]));
    expect(after).toEqual(last);
  }
}

describe('rows that are searched for', () => {
  test('are, page by page and sorted, those of the report that pass the filter, and are counted, with the index of UIDs and without', async () => {
    const dir = tempDir();
    let run = 0;
    const order = fc.record({ by: fc.constantFrom(...ROW_SORTS), descending: fc.boolean() });
    const searches = fc.array(
      fc.tuple(rowFilter, fc.integer({ min: 1, max: 9 }), fc.oneof(fc.constant(ORDER_OF_INPUT), order)),
      {
        minLength: 15,
        maxLength: 15,
      },
    );
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
        for (const [filter, limit, order] of wanted) {
          const passing = report.filter((row) => passes(row, filter));
          const pages = pagesOf(reader, filter, limit, order);
          expect(pages.flat()).toEqual(sorted(passing, order));
          expect(reader.countRows(filter)).toBe(passing.length);
          expect(reader.rows(filter).toArray()).toEqual(passing);
          expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
          // A last page is empty only where nothing is found at all.
          if (pages.length > 1) expect(pages.at(-1)?.length).toBeGreaterThan(0);
        }
        reader.close();
      }),
      { numRuns: runs(100), endOnFailure: true },
    );
  });

  test('are numbered in the order of the input, from 1', async () => {
    const { reader } = await stagedImport(members(5));
    const behind = (row: number) => reader.rowsPage({}, 2, ORDER_OF_INPUT, { row, key: row });
    expect(behind(2)).toMatchObject({ rows: [{ row: 3, line: 4 }, { row: 4 }], more: true });
    expect(behind(4)).toMatchObject({ rows: [{ row: 5 }], more: false });
    expect(behind(5)).toEqual({ rows: [], places: [], more: false });
  });

  test('are distinguished where two UIDs have one hash', async () => {
    const { reader, path } = await stagedImport([{ uid: 'ann' }, { uid: 'bob' }]);
    const database = new DatabaseSync(path);
    database.exec(`update rows set uid_hash = (select uid_hash from rows where uid = 'ann')`);
    database.close();
    expect(reader.rowsPage({ uid: 'ANN' }, 10).rows.map(({ uid }) => uid)).toEqual(['ann']);
  });

  test('a filter is a value, whatever is written in it', async () => {
    const { reader } = await stagedImport(members(1));
    for (const text of [`' or 1=1 --`, '/* chosen */ true', '$&', ':after', '%']) {
      expect(reader.rowsPage({ uid: text }, 10).rows).toEqual([]);
      expect(reader.rowsPage({ guid: text }, 10).rows).toEqual([]);
      expect(reader.rowsPage({ code: text }, 10).rows).toEqual([]);
      expect(reader.rowsPage({ text }, 10).rows).toEqual([]);
    }
  });

  test.each([
    ['é', 'ÉTÉ', true],
    ['"', 'say "hi"', true],
    ['","', 'a', false],
    ['[', 'a', false],
    ['\\', 'back\\slash', true],
    ['12345678901234567890', '12345678901234567890', true],
    ['a\nb', 'a\nb', true],
  ])(
    'the text %j is looked for in the values of a row and not in how they are kept: in %j %s',
    (text, value, found) => {
      expect(hasText(JSON.stringify([value, 'other']), text)).toBe(found);
      expect(hasText(JSON.stringify({ name: { deep: value } }), text)).toBe(found);
      expect(hasText(JSON.stringify({ [value]: 'x' }), text)).toBe(false);
    },
  );

  test('are found by UID through the index, once it is there; making it twice does no harm', async () => {
    const { ledger, path, reader } = await stagedImport(members(30));
    const before = reader.rowsPage({ uid: 'U7' }, 10);
    ledger.indexUids();
    ledger.indexUids();
    expect(reader.rowsPage({ uid: 'U7' }, 10)).toEqual(before);
    const database = new DatabaseSync(path, { readOnly: true });
    const plan = database.prepare(`explain query plan select id from rows where uid_hash = 1 and uid = 'u'`).all();
    database.close();
    expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('rows_by_uid')]);
  });
});

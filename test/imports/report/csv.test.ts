import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReportInput, ReportRow } from '../../../src/imports/report/report-table.ts';
import { OWN_COLUMNS, tableReport } from '../../../src/imports/report/report-table.ts';
import { CSV_INPUT, NDJSON_INPUT, reportRow, rowOf } from './fixtures.ts';

function report(input: ReportInput, rows: Iterable<ReportRow>): string {
  return [...tableReport(input, rows, 'csv')].join('');
}

function cellsIn(text: string, delimiter = ','): string[][] {
  return parse(text, { delimiter, bom: true });
}

describe('the CSV report', () => {
  test('gives the original columns, then ours, a row a line', () => {
    expect(report(CSV_INPUT, [reportRow({ status: 'failed', code: 'ERR_UID_NOT_FOUND', message: 'no, "anna"' })])).toBe(
      'guid,uid,name,_row,_status,_code,_message,_region,_guid,_uid,_scope,_attempts,_http_status,_batch,_finished_at,_created,_message_id,_member_count\n' +
        'team,anna,Anna,2,failed,ERR_UID_NOT_FOUND,"no, ""anna""",eu,team,anna,participant,1,200,7,2025-01-31T12:00:00.000Z,,,\n',
    );
  });

  test('has a header and nothing else when there are no rows', () => {
    expect(cellsIn(report(CSV_INPUT, []))).toEqual([[...CSV_INPUT.columns, ...OWN_COLUMNS]]);
  });

  test('leaves cells empty where there is no value', () => {
    const [, cells] = cellsIn(report(CSV_INPUT, [reportRow({ httpStatus: null, batch: null, finishedAt: null })]));
    expect(cells?.slice(-7)).toEqual(['1', '', '', '', '', '', '']);
  });

  test.each([',', ';', '\t', '|', '^'])('uses the delimiter of the input: %j', (delimiter) => {
    const text = report({ ...CSV_INPUT, delimiter }, [rowOf(['a,b', 'c;d|e\tf^g', ''])]);
    expect(cellsIn(text, delimiter)[1]?.slice(0, 3)).toEqual(['a,b', 'c;d|e\tf^g', '']);
  });

  test('gives back any cells, every row once and in order', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', '"', '\r', '\n', '\r\n', '=1', ' x ', '\uFEFF', "'"),
    );
    const table = fc.integer({ min: 1, max: 4 }).chain((width) =>
      fc.record({
        columns: fc.array(cell, { minLength: width, maxLength: width }),
        rows: fc.array(fc.array(cell, { maxLength: width })),
        delimiter: fc.constantFrom(',', ';', '\t', '|'),
      }),
    );
    fc.assert(
      fc.property(table, ({ columns, rows, delimiter }) => {
        const text = report(
          { columns, format: 'csv', delimiter },
          rows.map((cells, index) => rowOf(cells, { line: index + 2 })),
        );
        const [header, ...read] = cellsIn(text, delimiter);
        expect(header?.slice(0, columns.length)).toEqual(columns);
        expect(read.map((cells) => cells.slice(0, columns.length))).toEqual(
          rows.map((cells) => columns.map((_, index) => cells[index] ?? '')),
        );
        expect(read.map((cells) => cells[columns.length])).toEqual(rows.map((_, index) => String(index + 2)));
      }),
    );
  });

  test('starts without a byte order mark, also when the first column name begins with one', () => {
    expect(report({ ...CSV_INPUT, columns: ['\uFEFFguid'] }, []).charAt(0)).toBe('"');
  });

  test('gives column names, cells and the messages of the service exactly, also those that begin like formulas', () => {
    const [header, cells] = cellsIn(
      report({ ...CSV_INPUT, columns: ['=a()'] }, [rowOf(['=b()'], { message: '=c()', uid: '-5' })]),
    );
    expect(header?.[0]).toBe('=a()');
    expect([cells?.[0], cells?.[4], cells?.[7]]).toEqual(['=b()', '=c()', '-5']);
  });

  test('fills up rows with fewer cells than the header', () => {
    expect(cellsIn(report(CSV_INPUT, [rowOf(['team'])]))[1]?.slice(0, 4)).toEqual(['team', '', '', '2']);
  });

  test('refuses a row with more cells than columns instead of shifting its values, and names the row', () => {
    expect(() => report(CSV_INPUT, [rowOf(['a', 'b', 'c', 'd'], { line: 9 })])).toThrow(
      /the input of row 9 has 4 cells where the report has 3 columns/,
    );
  });

  test.each(['nonsense', '{"a":1}', '"text"'])('refuses a row whose input is damaged: %s', (original) => {
    expect(() => report(CSV_INPUT, [reportRow({ line: 9, original })])).toThrow(
      expect.objectContaining({ code: 'DAMAGED_LEDGER' }),
    );
  });

  test('numbers our columns when the input is a report itself, and leaves the old ones in place', () => {
    const columns = ['uid', '_Row', '_status'];
    const [header] = cellsIn(report({ ...CSV_INPUT, columns }, []));
    expect(header).toEqual([...columns, ...OWN_COLUMNS.map((name) => `${name}_2`)]);
    const [again] = cellsIn(report({ ...CSV_INPUT, columns: header ?? [] }, []));
    expect(again?.at(-1)).toBe('_member_count_3');
    expect(new Set(again).size).toBe(again?.length);
  });

  test('gives JSON input by key: text as it is, null and absent empty, the rest as JSON', () => {
    const columns = ['uid', 'n', 'tags', 'none', 'absent', '__proto__'];
    const original = '{"__proto__":"p","uid":"anna","n":12345678901234567890,"tags":["a",{"b":true}],"none":null}';
    expect(cellsIn(report({ ...NDJSON_INPUT, columns }, [reportRow({ original })]))[1]?.slice(0, 6)).toEqual([
      'anna',
      '12345678901234567890',
      '["a",{"b":true}]',
      '',
      '',
      'p',
    ]);
  });

  test.each([
    ['[1.0,12345678901234567890]', '[1.0,12345678901234567890]'],
    ['{"n":1e3}', '{"n":1e3}'],
    ['[-0]', '[-0]'],
  ])('gives numbers as the input wrote them, also inside of lists and objects: %s', (value, cell) => {
    const rows = [reportRow({ original: `{"uid":"anna","n":${value}}` })];
    expect(cellsIn(report({ ...NDJSON_INPUT, columns: ['uid', 'n'] }, rows))[1]?.slice(0, 2)).toEqual(['anna', cell]);
  });

  test('is comma-delimited for JSON input, whatever the delimiter says', () => {
    expect(report({ ...NDJSON_INPUT, delimiter: '' }, []).startsWith('guid,uid,name,_row')).toBe(true);
  });
});

describe('a report over many rows', () => {
  test('reads no further ahead than one chunk needs, and lets go of the rows when it is left', () => {
    let taken = 0;
    let closed = false;
    function* endless(): Generator<ReportRow> {
      try {
        for (;;) yield reportRow({ line: ++taken });
      } finally {
        closed = true;
      }
    }
    const chunks = tableReport(CSV_INPUT, endless(), 'csv');
    const first = chunks.next().value;
    expect(first?.length).toBeGreaterThanOrEqual(64 * 1024);
    expect(first?.length).toBeLessThan(66 * 1024);
    expect(taken).toBe((first ?? '').split('\n').length - 2);
    chunks.return(undefined);
    expect(closed).toBe(true);
  });
});

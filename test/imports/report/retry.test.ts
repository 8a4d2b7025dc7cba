import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { retryExtension } from '../../../src/imports/report/report-paths.ts';
import { type ReportInput, type ReportRow, retryReport } from '../../../src/imports/report/report-table.ts';
import { OUTCOMES } from '../../../src/membership/outcome.ts';
import { CSV_INPUT, NDJSON_INPUT, reportRow, rowOf } from './fixtures.ts';

function retry(input: ReportInput, rows: Iterable<ReportRow>): string {
  return [...retryReport(input, rows)].join('');
}

const failed = { status: 'failed' } as const;

describe('the retry file', () => {
  test('holds failed, unconfirmed and unprocessed rows in the original columns, and no others', () => {
    const rows = OUTCOMES.map((status) => rowOf(['team', status, ''], { status }));
    expect(retry(CSV_INPUT, rows)).toBe('guid,uid,name\nteam,failed,\nteam,unconfirmed,\nteam,unprocessed,\n');
  });

  test('asks for the same memberships in the same order when it is imported again', () => {
    const blanks = fc.constantFrom('', ' ', '\t', '\u00a0');
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
    const field = fc.tuple(blanks, id, blanks).map((parts) => parts.join(''));
    const note = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('=1+1', '\n', '"', '+39 055 123', '@x(', ';=a|b'),
    );
    const rows = fc.array(fc.tuple(field, field, note));
    fc.assert(
      fc.property(rows, fc.constantFrom(',', ';', '\t', '|'), (tables, delimiter) => {
        const input = { ...CSV_INPUT, delimiter };
        const text = retry(
          input,
          tables.map((cells) => rowOf(cells, failed)),
        );
        const [header, ...read]: string[][] = parse(text, { delimiter, bom: true });
        expect(header).toEqual(CSV_INPUT.columns);
        expect(read).toEqual(tables);
        const again = retry(
          input,
          read.map((cells) => rowOf(cells, failed)),
        );
        expect(again).toBe(text);
      }),
    );
  });

  test.each(['-anna', '--', '+39 055 123', '@anna', '\t-anna', '=1+1', '-cmd|x!A0', '@SUM(A1)', '＝a', '" =x("'])(
    'has every cell as it was, also one that begins like a formula: %j',
    (cell) => {
      expect(parse(retry(CSV_INPUT, [rowOf(['team', 'anna', cell], failed)]))[1]).toEqual(['team', 'anna', cell]);
    },
  );

  test('has every column name as it was', () => {
    const columns = ['=x()', '@handle'];
    expect(parse(retry({ ...CSV_INPUT, columns }, []))[0]).toEqual(columns);
  });

  test('does not lose a row to a blank line', () => {
    expect(retry({ ...CSV_INPUT, columns: ['uid'] }, [rowOf([''], failed)])).toBe('uid\n""\n');
  });

  test.each(['json', 'ndjson'] as const)('gives the elements of %s input exactly, one a line', (format) => {
    const originals = ['{"uid":"=1","n":12345678901234567890}', '{\n "uid": "b",\r\n "note": "x\\ny"\n}'];
    const rows = originals.map((original) => reportRow({ original, ...failed }));
    const text = retry({ ...NDJSON_INPUT, format }, rows);
    expect(text).toBe('{"uid":"=1","n":12345678901234567890}\n{  "uid": "b",  "note": "x\\ny" }\n');
  });

  test('is CSV for CSV input and NDJSON for all else', () => {
    expect(retryExtension(CSV_INPUT)).toBe('csv');
    expect(retryExtension(NDJSON_INPUT)).toBe('ndjson');
    expect(retryExtension({ ...NDJSON_INPUT, format: 'json' })).toBe('ndjson');
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonReport, ndjsonReport } from '../../../src/imports/report/report-table.ts';
import { ANY_CHARACTER } from '../../any-character.ts';
import { runs } from '../../runs.ts';
import { CSV_INPUT, importSummary, NDJSON_INPUT, reportRow, rowOf } from './fixtures.ts';

describe('the NDJSON report', () => {
  test('gives our fields beside the original ones', () => {
    const [line] = [...ndjsonReport(CSV_INPUT, [reportRow({ httpStatus: null })])];
    expect(JSON.parse(line ?? '')).toEqual({
      _row: 2,
      _status: 'added',
      _code: '',
      _message: '',
      _region: 'eu',
      _guid: 'team',
      _uid: 'anna',
      _scope: 'participant',
      _attempts: 1,
      _http_status: null,
      _batch: 7,
      _finished_at: '2025-01-31T12:00:00.000Z',
      _created: '',
      _message_id: '',
      _member_count: null,
      input: { guid: 'team', uid: 'anna', name: 'Anna' },
    });
  });

  test('gives any cells exactly, formulas included, one line a row', () => {
    const rows = fc.array(
      fc.array(fc.oneof(fc.string({ unit: ANY_CHARACTER }), fc.constant('=1+1')), { minLength: 3, maxLength: 3 }),
    );
    fc.assert(
      fc.property(rows, (tables) => {
        const text = [
          ...ndjsonReport(
            CSV_INPUT,
            tables.map((cells) => rowOf(cells)),
          ),
        ].join('');
        const lines = text.split('\n');
        expect(lines.pop()).toBe('');
        expect(lines.map((line) => Object.values(JSON.parse(line).input))).toEqual(tables);
      }),
      { numRuns: runs(100) },
    );
  });

  test('loses no cell when column names repeat or are special to JavaScript', () => {
    const columns = ['name', '2', 'name', 'name_2', '__proto__', 'name'];
    const [line] = [...ndjsonReport({ ...CSV_INPUT, columns }, [rowOf(['a', 'b', 'c', 'd', 'e', 'f'])])];
    expect(line).toContain('"input":{"name":"a","2":"b","name_3":"c","name_2":"d","__proto__":"e","name_4":"f"}');
  });

  test('passes JSON elements on as the text they were, on one line', () => {
    const original = '{"_row":"theirs",\n"n":12345678901234567890,"d":1.0}';
    const text = [...ndjsonReport(NDJSON_INPUT, [reportRow({ original })])].join('');
    expect(text).toMatch(/^\{"_row":2,.*"input":\{"_row":"theirs", "n":12345678901234567890,"d":1\.0\}\}\n$/);
  });

  test('is empty when there are no rows', () => {
    expect([...ndjsonReport(CSV_INPUT, [])]).toEqual([]);
  });
});

describe('the JSON report', () => {
  test.each([0, 1, 3])('is one document with the summary and %i rows', (count) => {
    const rows = Array.from({ length: count }, (_, index) => reportRow({ line: index + 2 }));
    const document = JSON.parse([...jsonReport(CSV_INPUT, importSummary(), rows)].join(''));
    expect(document.summary).toEqual(importSummary());
    expect(document.rows.map((row: { _row: number }) => row._row)).toEqual(rows.map((row) => row.line));
  });
});

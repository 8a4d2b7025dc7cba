import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoTime, OWN_COLUMNS, ownValues } from '../../../src/imports/report/columns.ts';
import { csvReport } from '../../../src/imports/report/csv.ts';
import { retryReport } from '../../../src/imports/report/retry.ts';
import { csvLine } from '../../../src/text/csv-line.ts';
import { isPlain, plainLineTest } from '../../../src/text/plain-line.ts';
import { harmless } from '../../../src/text/spreadsheet.ts';
import { rowOf } from './fixtures.ts';

/** Cells that need nothing, cells that nearly do, and what attacks are made of. */
const cell = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[A-Za-z0-9_ éß東:@+=()-]{0,8}$/u) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.constantFrom('=', '+', '-', '@', '＝', '"', "'", ',', ';', '|', '\t', '\r', '\n', ' ', '\\', '(', 'A1'),
        {
          maxLength: 5,
        },
      )
      .map((parts) => parts.join('')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'Anna Smith', '\uFEFF', '\ud800', '\u00a0', 'x\u2028', '","', 'a\u0085'),
  },
);
const delimiter = fc.constantFrom(',', ';', '\t', '|', '^', '0', 'a');
/** Mostly one cell for each column, sometimes fewer. */
const table = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc.record({
    width: fc.constant(width),
    rows: fc.array(
      fc.oneof(
        { weight: 5, arbitrary: fc.array(cell, { minLength: width, maxLength: width }) },
        { weight: 1, arbitrary: fc.array(cell, { maxLength: width }) },
      ),
      { maxLength: 8 },
    ),
    delimiter,
    message: cell,
    uid: cell,
  }),
);

describe('a line that is written as a whole', () => {
  test('a delimiter inside a cell does not pass for a cell that is missing', () => {
    const input = { columns: ['a', 'b'], inputFormat: 'csv', delimiter: '|' } as const;
    const [, line = ''] = [...csvReport(input, [rowOf(['x|y'], { line: 2 })])].join('').split('\n');
    expect(line).toMatch(/^"x\|y"\|\|2\|/);
  });

  test('is, byte for byte, what writing it cell by cell gives', () => {
    fc.assert(
      fc.property(table, ({ width, rows, delimiter, message, uid }) => {
        const columns = Array.from({ length: width }, (_, index) => `c${index}`);
        const input = { columns, inputFormat: 'csv', delimiter } as const;
        const given = rows.map((cells, index) => rowOf(cells, { line: index + 2, status: 'failed', message, uid }));
        const filled = (cells: readonly string[]) => columns.map((_, index) => cells[index] ?? '');
        const slow = given.map((row, index) => {
          const own = Object.values(ownValues(row)).map((value) => (value === null ? '' : String(value)));
          return csvLine([...filled(rows[index] ?? []), ...own], delimiter);
        });
        const report = [...csvReport(input, given)].join('');
        expect(report).toBe(csvLine([...columns, ...OWN_COLUMNS], delimiter) + slow.join(''));

        const retry = rows.map((cells) => csvLine(filled(cells), delimiter));
        expect([...retryReport(input, given)].join('')).toBe(csvLine(columns, delimiter) + retry.join(''));
      }),
      { numRuns: 1_000 },
    );
  });

  test('is one in which no cell needs quotes or an apostrophe', () => {
    fc.assert(
      fc.property(cell, fc.constantFrom(',', ';', '\t', '|'), (text, by) => {
        if (!isPlain(text)) return;
        expect(csvLine([text, 'x'], by)).toBe(`${text}${by}x\n`);
        // `harmless` asks the same question first: what follows an opening letter is looked at without it.
        expect(harmless(`${text} `)).toBe(`${text} `);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is the common case: names, addresses and dates', () => {
    const test = plainLineTest(',', 4);
    expect(test?.test('anna,Anna Smith,anna@example.com,2025-01-31T12:00:00Z')).toBe(true);
    expect(test?.test('anna,Anna Smith,+39 055,')).toBe(false);
    expect(test?.test('anna,Anna, Smith,x,y')).toBe(false);
  });

  test('takes no more than its length, also where it cannot be written as a whole', () => {
    const test = plainLineTest(',', 50);
    expect(test?.test(`${'a '.repeat(200_000)}`)).toBe(false);
    expect(test?.test(Array.from({ length: 50 }, () => `${'a '.repeat(10_000)}`).join(','))).toBe(false);
  });
});

test('a time is written as JavaScript writes it', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(253_402_300_799_999) }), (date) => {
      expect(isoTime(date.getTime())).toBe(date.toISOString());
    }),
  );
});

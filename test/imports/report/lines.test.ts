import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OWN_COLUMNS, ownValues, retryReport, tableReport } from '../../../src/imports/report/report-table.ts';
import { csvLine } from '../../../src/text/csv-line.ts';
import { runs } from '../../runs.ts';
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

describe('a line of a report or of a file to retry', () => {
  test('quotes a delimiter inside a cell', () => {
    const input = { columns: ['a', 'b'], format: 'csv', delimiter: '|' } as const;
    const [, line = ''] = [...tableReport(input, [rowOf(['x|y'], { line: 2 })], 'csv')].join('').split('\n');
    expect(line).toMatch(/^"x\|y"\|\|2\|/);
  });

  test('is, byte for byte, what writing its cells as CSV gives', () => {
    fc.assert(
      fc.property(table, ({ width, rows, delimiter, message, uid }) => {
        const columns = Array.from({ length: width }, (_, index) => `c${index}`);
        const input = { columns, format: 'csv', delimiter } as const;
        const given = rows.map((cells, index) => rowOf(cells, { line: index + 2, status: 'failed', message, uid }));
        const filled = (cells: readonly string[]) => columns.map((_, index) => cells[index] ?? '');
        const lines = given.map((row, index) => {
          const own = ownValues(row).map((value) => (value === null ? '' : String(value)));
          return csvLine([...filled(rows[index] ?? []), ...own], delimiter);
        });
        const report = [...tableReport(input, given, 'csv')].join('');
        expect(report).toBe(csvLine([...columns, ...OWN_COLUMNS], delimiter) + lines.join(''));

        const retry = rows.map((cells) => csvLine(filled(cells), delimiter));
        expect([...retryReport(input, given)].join('')).toBe(csvLine(columns, delimiter) + retry.join(''));
      }),
      { numRuns: runs(1_000) },
    );
  });
});

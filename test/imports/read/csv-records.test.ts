import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRecords } from '../../../src/imports/read/csv-records.ts';
import { boundsWith, IntakeError } from '../../../src/imports/read/intake-error.ts';
import { runs } from '../../runs.ts';

/** Returns what csv-parse reads, all at once. */
function parsed(text: string, delimiter: string, hasReturns: boolean): string[][] {
  return parse(text, {
    delimiter,
    record_delimiter: ['\r\n', '\n', ...(hasReturns ? ['\r'] : [])],
    relax_column_count: true,
    relax_quotes: true,
  }) as string[][];
}

function opened(row = 1_000_000, delimiter = ',', hasReturns = false) {
  return csvRecords({ delimiter, hasReturns, bounds: boundsWith({ row }), columns: { names: [] } });
}

/** The records of the text when it arrives in pieces of these sizes, repeated. */
function inPieces(text: string, delimiter: string, hasReturns: boolean, sizes: readonly number[]) {
  const records = opened(1_000_000, delimiter, hasReturns);
  const all: string[][] = [];
  const characters = [...text];
  for (let at = 0, turn = 0; at < characters.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    all.push(...records.of(Buffer.from(characters.slice(at, at + size).join(''))));
    at += size;
  }
  return [...all, ...records.rest()[0]];
}

const cell = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-zé \t€😀;\\]{0,6}$/u) },
  { weight: 2, arbitrary: fc.constantFrom('"a, b"', '"x ""y"" z"', '"two\nlines"', '"two\r\nlines"', '""', '5" disk') },
  { weight: 1, arbitrary: fc.constantFrom('a\rb', '\0', '"\n\n\n"', '","') },
);
const row = fc.array(cell, { minLength: 1, maxLength: 4 });

test('the records are those that csv-parse gives, however the text arrives', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 12 }),
      fc.constantFrom(',', ';', '\t', '€', '😀'),
      fc.boolean(),
      fc.infiniteStream(fc.constantFrom('\n', '\r\n')),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
      (rows, delimiter, hasReturns, ends, endsOpen, sizes) => {
        const lines = rows.map((cells, index) => {
          const end = endsOpen && index === rows.length - 1 ? '' : ends.next().value;
          return cells.join(delimiter) + end;
        });
        const text = lines.join('');
        const got = () => inPieces(text, delimiter, hasReturns, sizes);
        let expected: string[][];
        try {
          expected = parsed(text, delimiter, hasReturns);
        } catch {
          // A quote that never closes, or misplaced: it is refused either way.
          expect(got).toThrow(IntakeError);
          return;
        }
        try {
          expect(got()).toEqual(expected);
        } catch (error) {
          // Only the library accepts it: text after a closing quote.
          if (!(error instanceof IntakeError)) throw error;
          expect(error.code).toBe('MISPLACED_QUOTE');
        }
      },
    ),
    { numRuns: runs(1_000) },
  );
});

test('records and lines of text are counted across blocks', () => {
  const records = opened();
  const block = (text: string) => records.of(Buffer.from(text));
  expect(block('a,b\nc,d\n')).toHaveLength(2);
  expect(block('"e\nf",g\nlong,enough to end\n')).toEqual([
    ['e\nf', 'g'],
    ['long', 'enough to end'],
  ]);
  expect(block('h,i\n')).toEqual([['h', 'i']]);
  // Line 3 runs over two lines of text.
  expect(() => block('"j"k,l\nm,n\n')).toThrow(
    expect.objectContaining({ code: 'MISPLACED_QUOTE', facts: expect.objectContaining({ line: 6, textLine: 7 }) }),
  );
});

test('a row that is too long is refused where it is, and an open quote as such', () => {
  const read = (text: string) => opened(20).of(Buffer.from(text));
  expect(read(`${'a'.repeat(9)},${'b'.repeat(10)}\nc,d\n`)).toHaveLength(2);
  const long = expect.objectContaining({ code: 'ROW_TOO_LONG', place: 'line 2, column 2' });
  expect(() => read(`c,d\n${'a'.repeat(10)},${'b'.repeat(20)}\nc,d\n`)).toThrow(long);
  expect(() => read(`c,d\na,"${'b'.repeat(20)}"\n`)).toThrow(long);
  expect(() => read(`c,d\n${'a'.repeat(10)},${'b'.repeat(20)}`)).toThrow(long);
  const open = expect.objectContaining({ code: 'UNCLOSED_QUOTE', place: 'line 2, column 2' });
  expect(() => read(`c,d\na,"b\n${'c,d\n'.repeat(5)}`)).toThrow(open);
  expect(() => read(`c,d\na,"b\n${'c,d\n'.repeat(5)}e,"f"\n`)).toThrow(open);
});

import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRecords } from '../../../src/imports/read/csv-records.ts';
import { runs } from '../../runs.ts';

/** Returns csv-parse's own result for a text, all at once. */
function parsed(text: string, delimiter: string, lineEnds: readonly string[]): string[][] {
  return parse(text, {
    delimiter,
    record_delimiter: [...lineEnds],
    relax_column_count: true,
    relax_quotes: true,
  }) as string[][];
}

/** The records of the text when its bytes arrive in pieces of these sizes, repeated; characters may be cut in two. */
async function inPieces(text: string, delimiter: string, lineEnds: string[], sizes: readonly number[]) {
  const records = csvRecords(delimiter, lineEnds, 1_000_000);
  const all: string[][] = [];
  const bytes = Buffer.from(text);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    all.push(...records.of(bytes.subarray(at, at + size)));
    at += size;
  }
  all.push(...records.rest());
  expect(records.count()).toBe(all.length);
  return all;
}

const cell = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-zé \t€😀;\\]{0,6}$/u) },
  { weight: 2, arbitrary: fc.constantFrom('"a, b"', '"x ""y"" z"', '"two\nlines"', '"two\r\nlines"', '""', '5" disk') },
  { weight: 1, arbitrary: fc.constantFrom('a\rb', '\0', '"\n\n\n"', '","') },
);
const row = fc.array(cell, { minLength: 1, maxLength: 4 });

test('lines that are split give the records that csv-parse gives, however the bytes arrive', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 12 }),
      fc.constantFrom(',', ';', '\t', '€'),
      fc.constantFrom<string[][]>(['\r\n', '\n'], ['\r\n', '\n', '\r']),
      fc.infiniteStream(fc.constantFrom('\n', '\r\n')),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
      async (rows, delimiter, lineEnds, ends, endsOpen, sizes) => {
        const lines = rows.map((cells, index) => {
          const end = endsOpen && index === rows.length - 1 ? '' : ends.next().value;
          return cells.join(delimiter) + end;
        });
        const text = lines.join('');
        let expected: string[][];
        try {
          expected = parsed(text, delimiter, lineEnds);
        } catch {
          // A quote that never closes, or misplaced: it is refused either way.
          await expect(inPieces(text, delimiter, lineEnds, sizes)).rejects.toThrow();
          return;
        }
        const got = await inPieces(text, delimiter, lineEnds, sizes).catch((error: unknown) => {
          // Only the library accepts it: text after a closing quote.
          expect(error).toMatchObject({ code: 'MISPLACED_QUOTE' });
          return expected;
        });
        expect(got).toEqual(expected);
      },
    ),
    { numRuns: runs(1_000) },
  );
});

test('after a quoted record the lines are split again, and counted on', async () => {
  const records = csvRecords(',', ['\r\n', '\n'], 1_000_000);
  const block = async (text: string) => records.of(Buffer.from(text));
  expect(await block('a,b\nc,d\n')).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  expect(await block('"e\nf",g\nlong,enough to end\n')).toEqual([
    ['e\nf', 'g'],
    ['long', 'enough to end'],
  ]);
  expect(await block('h,i\n')).toEqual([['h', 'i']]);
  expect(records.count()).toBe(5);
  const error = await block('"j"k,l\nm,n\n').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'MISPLACED_QUOTE', facts: { place: 'line 6' } });
  // Line 3 runs over two lines of text.
  expect(String(error)).toContain('line 7');
});

test('a line that is longer than a row may be is the parser’s to refuse, also without quotes', async () => {
  const read = async (text: string) => csvRecords(',', ['\r\n', '\n'], 20).of(Buffer.from(text));
  expect(await read(`${'a'.repeat(10)},${'b'.repeat(10)}\nc,d\n`)).toHaveLength(2);
  await expect(read(`c,d\n${'a'.repeat(20)},${'b'.repeat(20)}\nc,d\n`)).rejects.toThrow('Max Record Size');
  await expect(read(`c,d\n${'a'.repeat(40)}`)).rejects.toThrow('Max Record Size');
});

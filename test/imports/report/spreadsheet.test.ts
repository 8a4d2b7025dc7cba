import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { harmless, isInert, writeTable } from '../../../src/platform/table.ts';
import { runs } from '../../runs.ts';

/** Texts made of what attacks are made of, far denser than chance would give. */
const hostile = fc
  .array(
    fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      '＝',
      '＠',
      '"',
      "'",
      ',',
      ';',
      '|',
      '\t',
      '\r',
      '\n',
      ' ',
      '\uFEFF',
      '(',
      '!',
      'A1',
      'cmd',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const anyCell = fc.oneof(hostile, fc.string({ unit: 'grapheme' }));

describe('a cell of the CSV report', () => {
  test.each([
    ['=1+1'],
    ['+391234'],
    ['-5'],
    ['@SUM(A1)'],
    ['\t=1+1'],
    ['\tplain'],
    ['\rplain'],
    ['\nplain'],
    ['  =1+1'],
    ['\u00a0=1+1'],
    ['\uFEFF=1+1'],
    ['\u200b=1+1'],
    ['\0=1+1'],
    ['"=1+1'],
    [';=1+1'],
    ['","=1+1'],
    ['＝1+1'],
    ['＋1'],
    ['－1'],
    ['＠SUM(1)'],
    ['﹦1'],
  ])('that begins like a formula gets an apostrophe in front: %j', (cell) => {
    expect(harmless(cell).startsWith("'")).toBe(true);
  });

  test.each([
    ["x;=cmd|'/c calc'!A0", "x;'=cmd|'/c calc'!A0"],
    ['x" , =HYPERLINK("http://a.example")', 'x" , \'=HYPERLINK("http://a.example")'],
    ['first line\n@SUM(A1)', "first line\n'@SUM(A1)"],
    ['x\t ＝SUM(1)', "x\t '＝SUM(1)"],
  ])('cannot open a formula in its middle for a reader with another delimiter: %j', (cell, disarmed) => {
    expect(harmless(cell)).toBe(disarmed);
  });

  test.each([
    ['anna'],
    [''],
    ['user-1'],
    ['a=b'],
    ['anna@example.org'],
    ['cold, -5 degrees'],
    ['letters, digits, - and _'],
    ["'=1+1"],
  ])('that is harmless stays as it is: %j', (cell) => {
    expect(harmless(cell)).toBe(cell);
  });

  test('only ever gains apostrophes', () => {
    fc.assert(
      fc.property(anyCell, (cell) => {
        expect(harmless(cell).replaceAll("'", '')).toBe(cell.replaceAll("'", ''));
      }),
    );
  });

  test('does not change when it goes through a second report', () => {
    fc.assert(
      fc.property(anyCell, (cell) => {
        expect(harmless(harmless(cell))).toBe(harmless(cell));
      }),
    );
  });

  test('gives no formula with a call, wherever a reader splits it', () => {
    fc.assert(
      fc.property(hostile, (cell) => {
        const safe = harmless(cell);
        for (let at = 0; at < safe.length; at++) {
          if (at > 0 && !/[,;\t|"\r\n]/.test(safe.charAt(at - 1))) continue;
          expect(safe.slice(at)).not.toMatch(/^[\s\uFEFF]*[=+\-@＝＠].*[(|!]/s);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('of a megabyte of delimiters and openers is worked off in one walk', () => {
    const parts = 300_000;
    const safe = harmless(`${';= '.repeat(parts)}(`);
    expect(safe.length).toBe(3 * parts + 1 + parts + 1);
    expect(harmless(`${'\t '.repeat(parts)}x`)).toHaveLength(2 * parts + 2);
    expect(isInert(`${' '.repeat(parts)}x${' '.repeat(parts)}(`)).toBe(false);
  });
});

describe('a table', () => {
  const table = (format: 'csv' | 'ndjson', options = {}) =>
    [
      ...writeTable(
        ['uid', 'note', 'tags'],
        [
          ['-5', '=HYPERLINK("x")', []],
          ['ann', null, ['a']],
        ],
        format,
        options,
      ),
    ].join('');

  test('runs no cell as a formula, unless its rows are copies of a user’s own', () => {
    expect(table('csv')).toBe(`uid,note,tags\n-5,"'=HYPERLINK(""x"")",\nann,,"[""a""]"\n`);
    expect(table('csv', { exact: true, delimiter: ';' })).toBe(
      'uid;note;tags\n-5;"=HYPERLINK(""x"")";\nann;;"[""a""]"\n',
    );
  });

  test('as NDJSON has the exact values', () => {
    expect(
      table('ndjson')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { uid: '-5', note: '=HYPERLINK("x")', tags: [] },
      { uid: 'ann', note: null, tags: ['a'] },
    ]);
  });
});

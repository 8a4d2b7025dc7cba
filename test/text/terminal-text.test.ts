import { describe, expect, test } from 'vitest';
import { cut, drawTable, widthOf, wrap } from '../../src/text/terminal-text.ts';

describe('texts take the columns that a terminal gives them', () => {
  test.each([
    ['members', 7],
    ['Zoë…', 4],
    ['東京', 4],
    ['ｶﾞ', 2],
    ['e\u0301a', 2],
    ['👩‍👩‍👧 ok', 5],
    ['한글', 4],
  ])('%s: %i', (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });

  test('a line of East Asian text is broken where it would pass the width', () => {
    expect(wrap('群組 會員 ann', 9, '  ')).toEqual(['群組 會員', '  ann']);
    expect(wrap('群組 會員 ann', 8)).toEqual(['群組', '會員 ann']);
  });

  test('a name is cut between characters, never inside one', () => {
    expect(cut('東京大阪', 8)).toBe('東京大阪');
    expect(cut('東京大阪', 7)).toBe('東京大…');
    expect(cut('ae\u0301iou', 3)).toBe('ae\u0301…');
    expect(cut('members', 4)).toBe('mem…');
  });
});

test('columns of a table stand below each other whatever the names are written in', () => {
  const drawn = drawTable(
    ['file', 'rows'],
    [
      ['會員.csv', '12'],
      ['abcdefgh', '3'],
    ],
    80,
  ).split('\n');
  expect(drawn.map((line) => widthOf(line))).toEqual([14, 14, 14]);
});

import { expect, test } from 'vitest';
import { counted, grouped } from '../../src/text/wording.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [-12_345_678, '-12,345,678'],
  [1_234_567.25, '1,234,567.25'],
  [0.123456, '0.123456'],
])('%d is written as %s', (value, text) => {
  expect(grouped(value)).toBe(text);
});

test('one thing is no plural', () => {
  expect([counted(1, 'row'), counted(2_000, 'row'), counted(0, 'row')]).toEqual(['1 row', '2,000 rows', '0 rows']);
});

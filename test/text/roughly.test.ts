import { expect, test } from 'vitest';
import { roughly } from '../../src/text/wording.ts';

test.each([
  [6, 'less than a second'],
  [990, 'about a second'],
  [1_499, 'about a second'],
  [1_500, 'about 2 s'],
  [12_400, 'about 12 s'],
  [200_400, 'about 3 min 20 s'],
])('an estimate of %i ms is said as a person would', (ms, words) => {
  expect(roughly(ms)).toBe(words);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alternatives, namePattern, pathPattern, starPattern } from '../../src/text/wildcard.ts';
import { runs } from '../runs.ts';

/** Slow, and too simple to be wrong. */
function naive(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  const [first, rest] = [pattern[0], pattern.slice(1)];
  if (first === '*') return naive(rest, text) || (text !== '' && naive(pattern, text.slice(1)));
  return text !== '' && (first === '?' || first === text[0]) && naive(rest, text.slice(1));
}

const of = (...chars: string[]) => fc.string({ unit: fc.constantFrom(...chars), maxLength: 9 });

test('a name fits a pattern exactly where trying everything finds a way', () => {
  fc.assert(
    fc.property(of('a', 'b', '*', '?'), of('a', 'b', 'c'), (pattern, name) => {
      expect(namePattern(pattern)(name)).toBe(naive(pattern, name));
      if (!pattern.includes('?')) expect(starPattern(pattern)(name.toUpperCase())).toBe(naive(pattern, name));
    }),
    { numRuns: runs(5_000) },
  );
});

test('sets, folders and hidden names are as shells know them', () => {
  const fits = (pattern: string, path: string) => pathPattern(pattern)(path);
  expect(fits('members-[0-9][!a].csv', 'members-1b.csv')).toBe(true);
  expect(fits('members-[0-9][!a].csv', 'members-1a.csv')).toBe(false);
  expect(fits('[]]', ']')).toBe(true);
  expect(fits('**/channels.json', 'channels.json')).toBe(true);
  expect(fits('a/**/b/*.csv', 'a/x/b/y/b/z.csv')).toBe(true);
  expect(fits('a/*/z.csv', 'a/b/c/z.csv')).toBe(false);
  expect(fits('*.csv', '.hidden.csv')).toBe(false);
  expect(starPattern('Team *')('team one')).toBe(true);
});

test('alternatives stand for patterns, up to a bound', () => {
  expect(alternatives('{a,b}-{1,2}.csv')).toEqual(['a-1.csv', 'a-2.csv', 'b-1.csv', 'b-2.csv']);
  expect(alternatives('*.csv')).toEqual(['*.csv']);
  expect(alternatives('{a,b}'.repeat(200))).toHaveLength(1);
});

test('the steps grow with the lengths of pattern and text, not with the number of stars in the exponent', () => {
  // Trying everything would take longer than the machine will live.
  expect(namePattern(`${'*?'.repeat(120)}z`)('a'.repeat(250))).toBe(false);
  expect(pathPattern(`${'**/a/'.repeat(40)}z`)('a/'.repeat(250))).toBe(false);
  expect(starPattern(`${'a*'.repeat(120)}b`)('a'.repeat(3_000))).toBe(false);
});

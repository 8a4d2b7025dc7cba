import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Repeats } from '../../../src/imports/stage/repeats.ts';
import { tempDir } from '../../temp-dir.ts';

/** Rows that share their key with another, by counting. */
function naive(keys: readonly number[]): number[] {
  const times = new Map<number, number>();
  for (const key of keys) times.set(key, (times.get(key) ?? 0) + 1);
  return keys.flatMap((key, index) => ((times.get(key) ?? 0) > 1 ? [index + 1] : []));
}

function found(keys: Iterable<number>): number[] {
  const folder = tempDir();
  const repeats = new Repeats(folder);
  let row = 0;
  for (const key of keys) repeats.add(key, ++row);
  const rows = [...repeats.rows()].sort((a, b) => a - b);
  expect(readdirSync(folder)).toEqual([]);
  return rows;
}

test('every row whose key occurs again is found, and no other', () => {
  const key = fc.oneof(
    fc.integer({ min: -20, max: 20 }),
    fc.maxSafeInteger(),
    fc.constantFrom(0, 2 ** 32, -(2 ** 32), 2 ** 53 - 1, -(2 ** 53) + 1, 64, 128),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      expect(found(keys)).toEqual(naive(keys));
    }),
  );
});

test('also among more keys than are kept in memory', () => {
  // Few parts: each of them is put aside several times.
  const keys = Array.from({ length: 30_000 }, (_, index) => (index % 9_973) * 64 * 7 + (index % 3));
  const rows = found(keys);
  expect(rows).toEqual(naive(keys));
  expect(rows.length).toBeGreaterThan(0);
  expect(found(Array.from({ length: 30_000 }, (_, index) => index * 64))).toEqual([]);
});

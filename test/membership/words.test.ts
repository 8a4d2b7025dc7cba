import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRegion, isScope, REGIONS, SCOPES } from '../../src/membership/membership.ts';
import { FULFILLED, OUTCOMES, RETRYABLE, type RowCounts, sumOfOutcomes } from '../../src/membership/outcome.ts';

const counts = fc.record<Record<keyof RowCounts, number>>({
  read: fc.nat(),
  added: fc.nat(1e9),
  banned: fc.nat(1e9),
  already_member: fc.nat(1e9),
  failed: fc.nat(1e9),
  invalid: fc.nat(1e9),
  duplicate: fc.nat(1e9),
  unconfirmed: fc.nat(1e9),
  unprocessed: fc.nat(1e9),
  changed: fc.nat(1e9),
  removed: fc.nat(1e9),
  unbanned: fc.nat(1e9),
  skipped: fc.nat(1e9),
});

test('the sum of outcomes is all of them together, without the rows read', () => {
  fc.assert(
    fc.property(counts, (rows) => {
      const { added, banned, already_member, failed, invalid, duplicate, unconfirmed, unprocessed } = rows;
      const { changed, removed, unbanned, skipped } = rows;
      expect(sumOfOutcomes(rows)).toBe(
        added +
          banned +
          already_member +
          failed +
          invalid +
          duplicate +
          unconfirmed +
          unprocessed +
          changed +
          removed +
          unbanned +
          skipped,
      );
    }),
  );
});

test('a row that got what it asked for is never sent again by a retry', () => {
  expect([...FULFILLED].filter((outcome) => RETRYABLE.has(outcome))).toEqual([]);
});

test('what neither succeeded nor can be retried is what only the input can change', () => {
  expect(OUTCOMES.filter((outcome) => !FULFILLED.has(outcome) && !RETRYABLE.has(outcome))).toEqual([
    'invalid',
    'duplicate',
    'skipped',
  ]);
});

test('only the words of the product are its words: no other spelling, no name that every object has', () => {
  for (const text of ['', 'Added', 'us ', 'ADMIN', 'constructor', '__proto__', 'length']) {
    expect([isRegion(text), isScope(text)], text).toEqual([false, false]);
  }
  expect(REGIONS.every(isRegion) && SCOPES.every(isScope)).toBe(true);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distinctKeys } from '../../src/text/distinct-keys.ts';

/** The rule itself, step by step: slow, and easy to believe. */
function byTheRule(columns: readonly string[]): string[] {
  const keys: string[] = [];
  for (const column of columns) {
    let key = column;
    for (let number = 2; keys.includes(key); number++) {
      if (!columns.includes(`${column}_${number}`)) key = `${column}_${number}`;
    }
    keys.push(key);
  }
  return keys;
}

test('columns of the same name are numbered, past the names that are there already', () => {
  const name = fc.constantFrom('', 'a', 'a_2', 'a_3', 'a_2_2', '_2', 'b');
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), (columns) => {
      const keys = distinctKeys(columns);
      expect(keys).toEqual(byTheRule(columns));
      expect(new Set(keys).size).toBe(columns.length);
    }),
  );
});

test('sixteen thousand columns without a name cost about sixteen times as much as a thousand', () => {
  const cost = (count: number) => {
    const columns = Array.from({ length: count }, () => '');
    const before = process.cpuUsage();
    for (let run = 0; run < 20; run += 1) distinctKeys(columns);
    return process.cpuUsage(before).user;
  };
  cost(1_000);
  expect(cost(16_000)).toBeLessThan(100 * Math.max(cost(1_000), 1_000));
});

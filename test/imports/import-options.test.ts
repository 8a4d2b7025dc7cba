import { expect, test } from 'vitest';
import { importOptions, readOptions } from '../../src/imports/import-options.ts';
import { errorLimit } from '../../src/imports/send/sendable.ts';

test.each([
  ['a number of rows', { rows: 7 }, 1_000, 7],
  ['none', { rows: 0 }, 1_000, 0],
  ['a share', { percent: 10 }, 1_000, 100],
  ['a share of a few rows, rounded down', { percent: 10 }, 19, 1],
  ['a share of less than one percent', { percent: 0.5 }, 1_000, 5],
  ['no percent', { percent: 0 }, 1_000, 0],
  ['all rows', { percent: 100 }, 3, 3],
])('errors that are allowed: %s', (_, maxErrors, read, limit) => {
  expect(errorLimit(maxErrors, read)).toBe(limit);
});

test('options that were kept with an import come back as they were', () => {
  const options = importOptions.parse({
    region: 'eu',
    map: { uid: 'member' },
    maxErrors: { percent: 1.5 },
    dryRun: true,
  });
  expect(readOptions({ options: JSON.stringify(options) })).toEqual(options);
});

test('unknown options are refused', () => {
  expect(() => importOptions.parse({ region: 'eu', dryrun: true })).toThrow(/dryrun/);
  expect(() => importOptions.parse({ region: 'au' })).toThrow(/us/);
});

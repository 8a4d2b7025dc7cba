import { expect, test } from 'vitest';
import { columnsOfInput } from '../../src/imports/read/notes.ts';
import { optionsToAgree, reasonFor } from '../../src/imports/reason-codes.ts';
import { ownerIn } from '../../src/imports/record/profile.ts';
import { keptTotals } from '../../src/imports/report/summarize.ts';

const REMEDY = JSON.stringify(['Allow it with ', { option: 'maxCreate', value: '7' }]);
const TOTALS = { rows: { read: 1, added: 1 }, regions: {}, calls: 1, retries: 0 };

test('what rollcall writes is read', () => {
  expect(columnsOfInput({ columns: '["uid","guid"]' })).toEqual(['uid', 'guid']);
  expect(columnsOfInput(undefined)).toEqual([]);
  expect(optionsToAgree({ remedy: REMEDY })).toEqual({ maxCreate: '7' });
  expect(ownerIn('{"what":"group","profile":{"owner":"Boss"}}')).toBe('boss');
  expect(ownerIn('{"what":"look"}')).toBeUndefined();
  expect(keptTotals({ state: 'completed', totals: JSON.stringify(TOTALS) })).toEqual(TOTALS);
});

test.each([
  ['columns', () => columnsOfInput({ columns: '["uid",7]' })],
  ['a remedy', () => reasonFor({ reason: 'why', remedy: '[{"value":"secret"}]' }, String)],
  ['what was created', () => ownerIn('["secret"]')],
  ['totals', () => keptTotals({ state: 'completed', totals: JSON.stringify({ ...TOTALS, rows: { read: 'secret' } }) })],
  [
    'totals of a region',
    () => keptTotals({ state: 'completed', totals: JSON.stringify({ ...TOTALS, regions: { us: {} } }) }),
  ],
])('anything else is refused where it is read, without showing it: %s', (_, read) => {
  expect(read).toThrow(expect.objectContaining({ code: 'DAMAGED_LEDGER' }));
});

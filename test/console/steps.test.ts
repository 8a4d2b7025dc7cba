import { expect, test } from 'vitest';
import type { PreviewRow } from '../../src/api/look.ts';
import {
  changedOf,
  gridRows,
  isReviewed,
  openWords,
  readiness,
  resumeChoices,
  reviewSentence,
  scopeWordsIn,
  sendLabel,
} from '../../src/console/view/upload/steps.ts';
import { NO_ROWS } from './no-rows.ts';

const ROWS = { ...NO_ROWS, read: 12 };

test('every word of the scope column is listed with its rows; one that nobody decided is open, whatever is suggested', () => {
  const words = scopeWordsIn(
    { Member: 9, Chef: 2, ADMIN: 1, '': 3, left: 1 },
    { left: 'none' },
    { Member: 'participant' },
  );
  expect(words.map(({ word, rows, meaning, suggested }) => [word, rows, meaning, suggested])).toEqual([
    ['Member', 9, '', 'participant'],
    ['Chef', 2, '', ''],
    ['left', 1, 'none', ''],
    ['', 3, 'participant', ''],
    ['ADMIN', 1, 'admin', ''],
  ]);
  expect(openWords(words)).toBe('2 words are not decided: 11 rows with them will not be sent.');
  expect(openWords(words.slice(2))).toBe('');
});

test('any other word is decided only where a person said so', () => {
  const seen = { Chef: 2 };
  expect(scopeWordsIn(seen, {}, {}).find(({ word }) => word === 'Chef')?.meaning).toBe('');
  expect(scopeWordsIn(seen, { '*': 'participant' }, {}).find(({ word }) => word === 'Chef')?.meaning).toBe(
    'participant',
  );
});

test.each([
  ['nothing is known yet', { found: undefined, isReading: true, isTooLarge: false, chosen: {} }, 'reading'],
  ['it cannot be read', { found: undefined, isReading: false, isTooLarge: false, chosen: {} }, 'refused'],
  ['only the server reads it', { found: undefined, isReading: false, isTooLarge: true, chosen: {} }, 'ready'],
  [
    'a column is missing',
    { found: { missing: ['uid', 'guid'] }, isReading: false, isTooLarge: false, chosen: { uid: 'a' } },
    ['guid'],
  ],
  [
    'it was chosen since',
    { found: { missing: ['guid'] }, isReading: true, isTooLarge: false, chosen: { guid: 'b' } },
    'ready',
  ],
])('whether a file can be read whole: %s', (_, looked, expected) => {
  expect(readiness(looked)).toEqual(expected);
});

const WRONG: PreviewRow['problems'][number] = { column: 'Who', value: 'b!', code: 'BAD_CHARACTER', reason: 'has "!"' };
const rowOf = (line: number, ...problems: readonly PreviewRow['problems'][number][]): PreviewRow => ({
  ...{ line, region: 'us', guid: 'g', uid: 'u', scope: 'participant', original: { Who: 'b!', Where: '' } },
  problems: [...problems],
});

test('what is wrong with a row stands at its cell, once, and not before the columns are chosen', () => {
  const empty = { ...WRONG, column: 'guid', reason: 'the guid is empty' };
  const rows = [rowOf(2), rowOf(3, WRONG, empty), rowOf(3, WRONG), rowOf(4)];
  const shown = (missing: string[], keyColumns: string[] = []) =>
    gridRows({ columns: ['Who', 'Where'], missing, rows }, { most: 2, keyColumns }).map(
      ({ line, readAs, reasons, others }) => [line, readAs.length, reasons.get('Who'), others],
    );
  expect(shown([])).toEqual([
    [2, 1, undefined, []],
    [3, 2, ['has "!"'], ['the guid is empty']],
  ]);
  expect(shown(['guid'])[1]).toEqual([3, 2, ['has "!"'], []]);
  expect(shown(['uid', 'guid'])[1]).toEqual([3, 2, undefined, []]);
  expect(shown([], ['Who'])[1]).toEqual([3, 2, undefined, ['the guid is empty']]);
});

test('a drawer counts the settings that differ', () => {
  expect(changedOf(['format', 'sheet'], { format: '', sheet: ' ' })).toBe(0);
  expect(changedOf(['format', 'sheet'], { format: 'csv', sheet: 'Old', other: 'x' })).toBe(2);
});

test('the choices of a review are those that resuming takes', () => {
  expect(resumeChoices({ first: '10', maxErrors: '5%', onlyGroups: 'choir, team' })).toEqual({
    first: '10',
    maxErrors: '5%',
    only: 'guid=choir|team',
  });
  expect(resumeChoices({ createUsers: 'true', userNameFrom: 'true', maxUsers: '7' })).toEqual({
    createUsers: 'true',
    userNameFrom: 'uid',
    maxCreate: 'users=7',
  });
  // After a check, its answer decides what is created.
  const missing = { createUsers: 'true', maxCreate: 'users=1,groups=0' };
  expect(resumeChoices({ createGroups: 'true' }, 'leaveOut', missing)).toEqual({ leaveOutFailing: 'true' });
  expect(resumeChoices({}, 'create', missing)).toEqual(missing);
  expect(resumeChoices({}, 'send', missing)).toEqual({});
});

test.each([
  [undefined, {}, 'Send'],
  [0, {}, 'Finish without sending'],
  [1, {}, 'Send 1 row'],
  [1200, {}, 'Send 1,200 rows'],
  [1200, { first: '10' }, 'Send the first 10 rows'],
  [12, { first: '1' }, 'Send the first row'],
  [12, { first: '50' }, 'Send 12 rows'],
  [12, { onlyGroups: 'choir' }, 'Send these groups'],
])('the button for %s rows with %o says %s', (rows, values, label) => {
  expect(sendLabel(rows, values)).toBe(label);
});

test('a file is reviewed until something of it is sent', () => {
  expect(isReviewed({ state: 'staged', startedAt: null, rows: ROWS })).toBe(true);
  expect(isReviewed({ state: 'running', startedAt: null, rows: ROWS })).toBe(false);
  expect(isReviewed({ state: 'staged', startedAt: '2026-01-01T00:00:00.000Z', rows: ROWS })).toBe(false);
});

test('the review says how many rows can be sent, and what becomes of the others', () => {
  expect(reviewSentence({ rows: ROWS })).toBe('12 of 12 rows are valid. Nothing has been sent.');
  const rows = { ...ROWS, invalid: 1, duplicate: 2, skipped: 1 };
  const checkedRows = { canBeSent: 6, wouldFail: 2, at: '2026-01-01T00:00:00.000Z' };
  expect(reviewSentence({ rows, checkedRows })).toBe(
    '8 of 12 rows are valid; 1 is invalid and will not be sent; 3 are left out or double; 2 would fail, as the service says. Nothing has been sent.',
  );
});

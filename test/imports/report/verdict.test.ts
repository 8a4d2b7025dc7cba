import { describe, expect, test } from 'vitest';
import type { ImportView } from '../../../src/api/imports.ts';
import { asFlag } from '../../../src/errors/named-options.ts';
import { adviceFor, sentenceOf, verdictOf } from '../../../src/imports/report/verdict.ts';
import { rowCounts, summaryOf } from './fixtures.ts';

describe('the verdict', () => {
  test.each([
    [{ added: 4200 }, 'good', 'All 4,200 rows succeeded; every row is accounted for.'],
    [{ added: 1 }, 'good', 'The only row succeeded; every row is accounted for.'],
    [{ failed: 1 }, 'attention', 'The only row did not succeed; 1 failed; every row is accounted for.'],
    [{ failed: 4200 }, 'attention', 'None of 4,200 rows succeeded; 4,200 failed; every row is accounted for.'],
    [
      { added: 8, banned: 1, already_member: 1, duplicate: 1 },
      'good',
      '10 of 11 rows succeeded; 1 is a duplicate of another row; every row is accounted for.',
    ],
    [
      { added: 3912, failed: 180, invalid: 60, unconfirmed: 48 },
      'attention',
      '3,912 of 4,200 rows succeeded; 180 failed, 60 are invalid and 48 are unconfirmed; every row is accounted for.',
    ],
  ] as const)('of a completed import with %j is %s', (outcomes, tone, sentence) => {
    expect(verdictOf(summaryOf(outcomes))).toEqual({ tone, sentence, pending: 0 });
  });

  test('of a cancelled import says how many rows were not sent', () => {
    const { tone, sentence } = verdictOf(summaryOf({ added: 5, unprocessed: 1 }, { state: 'cancelled' }));
    expect(tone).toBe('attention');
    expect(sentence).toBe('Cancelled: 5 of 6 rows succeeded; 1 was not sent; every row is accounted for.');
  });

  test('of a file that nobody reads any more does not say that it is being read', () => {
    const summary = summaryOf({}, { state: 'staging' });
    expect(verdictOf(summary).sentence).toBe('The file is being read; nothing has been sent yet.');
    expect(verdictOf(summary, true)).toEqual({
      tone: 'pending',
      pending: 0,
      sentence: 'The file was not read to its end; nothing has been sent yet.',
    });
  });

  test('of a running import counts the rows that are pending and claims nothing about them', () => {
    const rows = { ...rowCounts({ added: 5 }), read: 9 };
    expect(verdictOf(summaryOf({}, { state: 'running', rows }))).toEqual({
      tone: 'pending',
      pending: 4,
      sentence: '5 of 9 rows succeeded; 4 pending.',
    });
  });

  test.each([
    [{}, 1, 'The only row can be sent.'],
    [{}, 9, 'All 9 rows can be sent.'],
    [{ invalid: 2 }, 9, '7 of 9 rows can be sent; 2 are invalid.'],
  ] as const)(
    'of an import with %j that was only read and checked says how many of %i rows can be sent',
    (outcomes, read, sentence) => {
      const rows = { ...rowCounts(outcomes), read };
      expect(verdictOf(summaryOf({}, { state: 'staged', rows })).sentence).toBe(sentence);
    },
  );

  test('of an import whose rows break limits of fields says when these can be sent', () => {
    const notes = [{ code: 'FIELD_LIMIT', text: '2 rows cannot become a new user or group' }];
    const rows = { ...rowCounts({}), read: 6 };
    expect(verdictOf(summaryOf({}, { state: 'staged', rows, notes })).sentence).toBe(
      'All 6 rows can be sent; those that break a limit of fields only where their user and group exist.',
    );
    const sent = verdictOf(summaryOf({ failed: 6 }, { notes })).sentence;
    expect(sent).toBe('None of 6 rows succeeded; 6 failed; every row is accounted for.');
  });

  test.each([
    [10, '1 row of 10 is unaccounted for'],
    [8, '1 outcome more than the 8 rows read'],
  ])('of an import over %i rows with 9 outcomes is a fault, and is said first', (read, beginning) => {
    const { tone, sentence } = verdictOf(summaryOf({}, { rows: { ...rowCounts({ added: 9 }), read } }));
    expect(tone).toBe('fault');
    expect(sentence.startsWith(beginning)).toBe(true);
  });

  test.each([
    ['rejected', 'The file cannot be used; nothing was sent.'],
    ['completed', 'The file has no rows; nothing was sent.'],
    ['staging', 'The file is being read; nothing has been sent yet.'],
  ] as const)('of an import without rows that is %s says that nothing was sent', (state, sentence) => {
    expect(verdictOf(summaryOf({}, { state })).sentence).toBe(sentence);
  });
});

test.each<[Partial<ImportView>, string]>([
  [
    { state: 'staging', staging: null },
    'Waiting to be read: files are read one after another. Nothing has been sent yet.',
  ],
  [
    { state: 'staged', checkedRows: { canBeSent: 7, wouldFail: 2, at: '2026-01-01T00:00:00.000Z' }, edited: 1 },
    'All 9 rows can be sent. 2 would fail, as the service says. Nothing has been sent. 1 row was edited and not sent yet.',
  ],
])('the sentence of an import with %j adds to the verdict what a person must know', (parts, sentence) => {
  const rows = { ...rowCounts({}), read: 9 };
  expect(sentenceOf({ ...summaryOf({}, { rows }), ...parts } as ImportView)).toBe(sentence);
});

test.each(['UNKNOWN_SCOPE', 'BAD_CHARACTER'])(
  'the advice for invalid rows, %s, holds before anything is sent',
  (code) => {
    expect(adviceFor('invalid', code, asFlag)).toMatch(/^These rows are not sent: correct/);
  },
);

import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { importSummary as schema } from '../../../src/api/import-summary.ts';
import type { ProblemCount } from '../../../src/api/rows.ts';
import { summaryText } from '../../../src/imports/report/summary.ts';
import { OUTCOMES } from '../../../src/membership/outcome.ts';
import { importSummary, PROBLEMS, rowCounts, summaryOf } from './fixtures.ts';

const plain = { color: false, width: 80, problems: [] };

describe('the terminal summary', () => {
  test('shows verdict, table, sum, pace and problems', () => {
    expect(summaryText(importSummary(), { ...plain, problems: PROBLEMS })).toBe(`\
import 20250131-1200-a1, completed: members.csv
3,920 of 4,212 rows succeeded; 180 failed, 60 are invalid and 52 are duplicates
of other rows; every row is accounted for.

                      us      eu   no region   total
added              2,000   1,800           ·   3,800
banned                 ·       8           ·       8
already a member       ·     112           ·     112
failed               100      80           ·     180
invalid                ·      20          40      60
duplicate              ·      52           ·      52
────────────────────────────────────────────────────
rows read          2,100   2,072          40   4,212
calls                100      68           ·     168

4,212 rows read = 3,800 added + 8 banned + 112 already a member + 180 failed
  + 60 invalid + 52 duplicate

168 calls in 12.4 s, 813 calls a minute, 331 rows a second, 3 retries,
  1 rate-limited

180 failed, ERR_UID_NOT_FOUND
  row 1217 “bob”: The user with UID bob does not exist.
  Create or reactivate these users, or fix the UIDs in the retry file; then
  import the retry file.
60 invalid, UNKNOWN_SCOPE
  row 17 “owner”: allowed are admin, moderator, participant and ban
  These rows are not sent: correct their scopes, and send only these rows. If
  the column does not hold scopes at all, import the file again with --map
  scope=, which ignores it.
`);
  });

  test('tells the whole reason why a long value is invalid', () => {
    const message = `uid: the uid "${'x'.repeat(60)}"… has 260 characters; allowed are at most 100`;
    const examples = [{ line: 2, value: 'x'.repeat(260), message }];
    const problems: ProblemCount[] = [{ status: 'invalid', code: 'TOO_LONG', column: 'uid', count: 1, examples }];
    const text = summaryText(importSummary(), { ...plain, problems });
    expect(text.replace(/\s+/g, ' ')).toContain('has 260 characters; allowed are at most 100');
  });

  test('counts a row as pending or as not sent, never as both', () => {
    const left: ProblemCount = { status: 'unprocessed', code: 'NOT_SENT', count: 4, examples: [] };
    const textOf = (summary: Parameters<typeof summaryText>[0]) => summaryText(summary, { ...plain, problems: [left] });
    const cancelling = textOf(summaryOf({}, { state: 'cancelling', rows: { ...rowCounts({ added: 5 }), read: 9 } }));
    expect(cancelling).toContain('4 pending');
    expect(cancelling).not.toContain('NOT_SENT');
    expect(textOf(summaryOf({ added: 5, unprocessed: 4 }, { state: 'cancelled' }))).toContain('NOT_SENT');
  });

  test('says in one line which shapes the values of a problem have', () => {
    const bad = { line: 3, value: 'anna@example.org', message: 'has "@"', rows: 40 };
    const spaced = { line: 44, value: 'li na', message: 'has a space', rows: 3 };
    const empty = { line: 9, value: '', message: 'is empty', rows: 1_000 };
    const textOf = (problem: Pick<ProblemCount, 'count' | 'examples' | 'examined'>) =>
      summaryText(importSummary(), {
        ...plain,
        problems: [{ status: 'invalid', code: 'BAD_CHARACTER', column: 'User ID', ...problem }],
      });
    expect(textOf({ count: 45, examples: [bad, spaced] })).toContain(`
45 invalid, BAD_CHARACTER in User ID
  row 3 “anna@example.org”: has "@"
  40 like this, 3 like “li na” (row 44), 2 others
`);
    expect(textOf({ count: 9_000, examined: 1_040, examples: [bad, empty] })).toContain(
      '\n  Of the first 1,040: 40 like this, 1,000 empty (row 9)\n',
    );
    const long = textOf({ count: 43, examples: [bad, { ...spaced, value: 'x y'.repeat(99) }] }).split('\n');
    expect(long.filter((line) => line.includes('like this'))).toEqual([
      expect.stringMatching(/^.{1,79}…” \(row 44\)$/),
    ]);
  });

  test('of a dry run says its messages once, and the time of both ways by the limits of the process', () => {
    const ways = { added: { messages: 120_000, calls: 40_000 }, silent: { calls: 2_400 } };
    const staged = { state: 'staged', ways, writes: { messages: 120_000, groups: 40 } } as const;
    const limits = { callsPerMinute: 4_000, importsPerMinute: 48 };
    const text = summaryText(summaryOf({}, staged), { ...plain, width: 500, limits });
    expect(text).toContain('up to 120,000 messages into 40 groups, one for each change');
    expect(text.match(/120,000/g)).toHaveLength(1);
    expect(text).toMatch(/10 min 00 s at 4,000 a minute.*50 min 00 s at 48 a minute/s);
  });

  test('shows one column and no total for an import of one region', () => {
    expect(summaryText(summaryOf({ added: 3 }), plain)).toContain('\n            us\nadded        3\n');
  });

  test('shows no numbers of a file that cannot be used or is still being read', () => {
    expect(summaryText(summaryOf({}, { state: 'rejected', calls: 0 }), plain)).toBe(
      'import 20250131-1200-a1, rejected: members.csv\nThe file cannot be used; nothing was sent.\n',
    );
    expect(summaryText(summaryOf({}, { state: 'staging', calls: 0 }), plain)).toBe(
      'import 20250131-1200-a1, staging: members.csv\nThe file is being read; nothing has been sent yet.\n',
    );
  });

  test('leaves out outcomes without rows, except added', () => {
    const text = summaryText(summaryOf({ failed: 2 }), plain);
    expect(text).toContain('added        ·\nfailed       2\n─');
    expect(text).toContain('2 rows read = 0 added + 2 failed');
  });

  test('shows the same text with and without colour', () => {
    const options = { ...plain, problems: PROBLEMS };
    const colored = summaryText(importSummary(), { ...options, color: true });
    expect(colored).toContain('\u001b[');
    expect(stripVTControlCharacters(colored)).toBe(summaryText(importSummary(), options));
  });

  test('shows nothing of a file or reply that would act on the terminal', () => {
    const hostile = 'a\u001b[2Jb\u009b1m\u202ec\r\nd';
    const text = summaryText(summaryOf({ failed: 1 }, { file: hostile, id: hostile }), {
      ...plain,
      problems: [
        { status: 'failed', code: hostile, count: 1, examples: [{ line: 2, value: hostile, message: hostile }] },
      ],
    });
    expect(text).toContain('a␛[2Jb\\u{9b}1m\\u{202e}c d');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  test('is never wider than the terminal', () => {
    const counts = fc
      .record(Object.fromEntries(OUTCOMES.map((outcome) => [outcome, fc.nat(9_999_999)])))
      .map((outcomes) => rowCounts(outcomes));
    const region = fc.record({ calls: fc.nat(), retries: fc.nat(), rateLimited: fc.nat(), rows: counts });
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('us', 'eu', 'in'), region, { noNullPrototype: true }),
        counts,
        fc.integer({ min: 40, max: 120 }),
        (regions, rows, width) => {
          const summary = importSummary({ file: 'members-'.repeat(30), rows, regions });
          const long = { line: 1, value: '値'.repeat(200), message: 'm'.repeat(300) };
          const problems = [{ status: 'failed' as const, code: 'C'.repeat(200), count: 1, examples: [long] }];
          const lines = summaryText(summary, { color: false, width, problems }).split('\n');
          expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  test('says that the sum does not hold when it does not', () => {
    const text = summaryText(importSummary({ rows: { ...rowCounts({ added: 9 }), read: 10 }, regions: {} }), plain);
    expect(text).toContain('1 row of 10 is unaccounted for');
    expect(text).toContain('10 rows read ≠ 9 added');
  });

  test('gives slow rates by the minute', () => {
    expect(summaryText(summaryOf({ added: 2 }), plain)).toContain(
      '10 calls in 12.4 s, 48 calls a minute, 10 rows a minute',
    );
  });

  test('gives no time where the clock was set back meanwhile', () => {
    const [startedAt, finishedAt] = ['2026-11-22T12:00:00.000Z', '2026-11-22T10:00:10.000Z'];
    const text = summaryText(importSummary({ startedAt, finishedAt }), plain);
    expect(text).toMatch(/^168 calls, 3 retries/m);
  });

  test('gives no rate before the import is over', () => {
    expect(summaryText(importSummary({ finishedAt: null }), plain)).toContain(
      '\n168 calls, 3 retries, 1 rate-limited\n',
    );
  });
});

describe('the schema of the summary', () => {
  test('accepts a summary and refuses one that lacks an outcome or has a field too many', () => {
    expect(schema.parse(importSummary())).toEqual(importSummary());
    const { unprocessed: _, ...incomplete } = importSummary().rows;
    expect(schema.safeParse({ ...importSummary(), rows: incomplete }).success).toBe(false);
    expect(schema.safeParse({ ...importSummary(), extra: 1 }).success).toBe(false);
  });

  test('can be published as JSON Schema that requires every field', () => {
    const published = z.toJSONSchema(schema);
    expect(published.required).toEqual(Object.keys(importSummary()));
  });
});

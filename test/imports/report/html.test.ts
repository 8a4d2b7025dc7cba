import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { htmlReport } from '../../../src/imports/report/html.ts';
import { runs } from '../../runs.ts';
import { htmlInput, importSummary, summaryOf } from './fixtures.ts';

/** The input with one text in every place that a file or the service can fill. */
function pageWith(text: string): string {
  return htmlReport(
    htmlInput({
      summary: importSummary({ file: text, id: text, notes: [{ code: text, text }] }),
      problems: [{ status: 'failed', code: text, count: 2, examples: [{ line: 2, value: text, message: text }] }],
    }),
  );
}

/** The page's tags without what stands in their quotes: its structure. */
function structure(page: string): string[] {
  return (page.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""'));
}

describe('the HTML report', () => {
  test('shows a UID that is markup as text', () => {
    const page = pageWith('<img src=x onerror=alert(1)>');
    expect(page).not.toContain('<img');
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  test('has the same structure whatever the texts are', () => {
    const innocent = structure(pageWith('x'));
    const hostile = fc.array(fc.constantFrom('<', '>', '"', "'", '&', '</style>', '-->', 'x=', '`', '\u202e', '\0'), {
      minLength: 1,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          hostile.map((parts) => parts.join('')),
          fc.string({ minLength: 1, unit: 'grapheme' }),
        ),
        (text) => {
          expect(structure(pageWith(text))).toEqual(innocent);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  test('shows what the terminal and the console count', () => {
    const summary = importSummary({
      created: { users: 2, groups: 1, reactivated: 3 },
      writes: { messages: 3_808, groups: 12 },
      banQuestions: 12,
      startedAt: '2026-11-01T10:00:00.000Z',
      finishedAt: '2026-11-01T10:01:00.000Z',
      notes: [{ code: 'SHEET', text: 'the sheet Members was read' }],
    });
    const page = htmlReport(htmlInput({ summary }));
    const facts = new Map(
      [...page.matchAll(/<dt>(.*?)<\/dt><dd><bdi>(.*?)<\/bdi>/g)].map(([, name, value]) => [name, value]),
    );
    expect(facts.get('Users and groups')).toBe('1 group and 2 users created; 3 users made active again');
    expect(facts.get('Messages in groups')).toBe('3,808 in 12 groups');
    expect(facts.get('Calls')?.replaceAll('\u00a0', ' ')).toMatch(
      /^[\d,]+ calls? in .*, [\d,]+ calls? a minute, [\d,]+ rows? a (second|minute), .*and 12 questions who is banned$/,
    );
    expect(page).toContain('Note: <bdi>the sheet Members was read</bdi>.');
  });

  test('counts the messages that were written, and not those that were planned', () => {
    const summary = importSummary({ writes: { messages: 3_900, groups: 12 } });
    expect(htmlReport(htmlInput({ summary }))).toContain('<dt>Messages in groups</dt><dd><bdi>3,808</bdi>');
    const running = importSummary({ state: 'running', finishedAt: null, writes: { messages: 3_900, groups: 12 } });
    expect(htmlReport(htmlInput({ summary: running }))).toContain('<bdi>up to 3,900 in 12 groups</bdi>');
  });

  test('loads and runs nothing but its own stylesheet, named by its hash', () => {
    const page = htmlReport(htmlInput());
    const style = page.match(/<style>(.*)<\/style>/s)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page).toContain(`content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;;`);
    expect(page).not.toMatch(/<(script|link|img|iframe|object|base)\b|\s(src|href|style|on\w+)=|@import|url\((?!#)/i);
  });

  test.each([
    ['two regions', htmlInput()],
    ['no rows', htmlInput({ summary: summaryOf({}, { regions: {}, calls: 0 }), problems: [] })],
    ['one row', htmlInput({ summary: summaryOf({ added: 1 }), problems: [] })],
    ['only failures', htmlInput({ summary: summaryOf({ failed: 4200 }) })],
  ])('is well-formed for %s: ids are unique, labels exist, header cells say what they head', (_, report) => {
    const page = htmlReport(report);
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    const labels = [...page.matchAll(/ aria-labelledby="([^"]*)"/g)].flatMap((match) => (match[1] ?? '').split(' '));
    expect(labels.filter((label) => !ids.includes(label))).toEqual([]);
    expect(page.match(/<th(?! scope=)[ >]/g)).toBeNull();
    expect(page).not.toMatch(/NaN|undefined|Infinity|\[object/);
    expect(page.match(/<h1/g)).toHaveLength(1);
    expect(page.match(/<main>/g)).toHaveLength(1);
  });

  test('opens with the verdict and the sum', () => {
    const page = htmlReport(htmlInput());
    const text = page.replaceAll('\u00a0', ' ');
    expect(text).toContain('<h1 class="attention">3,920 of 4,212 rows succeeded; 180 failed,');
    expect(text).toContain('4,212 rows read = 3,800 added + 8 banned');
  });

  test('counts the outcomes of each region, of rows without one, and of all', () => {
    const page = htmlReport(htmlInput());
    const lines = [...page.matchAll(/<tr><(?:th scope="row"|td)>(.*?)<\/tr>/g)].map(([, line = '']) =>
      line
        .replaceAll(/<[^>]*>/g, ' ')
        .trim()
        .split(/ +/)
        .join(' '),
    );
    expect(lines).toEqual([
      'us eu no region total',
      'added 2,000 1,800 · 3,800',
      'banned · 8 · 8',
      'already a member · 112 · 112',
      'failed 100 80 · 180',
      'invalid · 20 40 60',
      'duplicate · 52 · 52',
      'rows read 2,100 2,072 40 4,212',
      'calls 100 68 · 168',
    ]);
  });

  test('has no table of numbers where there are none, and no problems where all is well', () => {
    const page = htmlReport(htmlInput({ summary: summaryOf({}, { regions: {}, calls: 0 }), problems: [] }));
    expect(page).not.toContain('<table');
    expect(page).not.toContain('<h2');
  });

  test('shows the beginning of a value that is very long, and never half a character', () => {
    const value = `${'x'.repeat(159)}👍${'y'.repeat(1_000_000)}`;
    const problems = [
      { status: 'invalid' as const, code: 'TOO_LONG', count: 1, examples: [{ line: 2, value, message: '' }] },
    ];
    const page = htmlReport(htmlInput({ problems }));
    expect(page.length).toBeLessThan(200_000);
    expect(page.isWellFormed()).toBe(true);
  });

  test('says how many rows are like each example, where the values of a problem have several shapes', () => {
    const examples = [
      { line: 3, value: 'a@b', message: 'has "@"', rows: 40 },
      { line: 9, value: 'a b', message: '', rows: 3 },
    ];
    const problems = [{ status: 'invalid' as const, code: 'BAD_CHARACTER', count: 99, examined: 43, examples }];
    const page = htmlReport(htmlInput({ problems }));
    expect(page).toContain('For example <bdi>row 3 “a@b”: has &quot;@&quot;</bdi>');
    expect(page).toContain('<bdi>Of the first 43: 40 like this, 3 like “a b” (row 9)</bdi>');
  });

  test('says what to do about every problem', () => {
    const page = htmlReport(htmlInput());
    expect(page).toContain('Create or reactivate these users');
    expect(page).toContain('These rows are not sent');
  });
});

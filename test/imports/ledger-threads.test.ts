import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ImportReader, openImportReader } from '../../src/imports/report/import-reader.ts';
import { type LedgerThreads, openLedgerThreads } from '../../src/imports/report/ledger-threads.ts';
import { type ReportRequest, reportPieces } from '../../src/imports/report/report-files.ts';
import { ORDER_OF_INPUT } from '../../src/imports/report/row-search.ts';
import { summaryOf, totalsOf } from '../../src/imports/report/summarize.ts';
import type { RowFilter } from '../../src/options/row-filter.ts';
import { isLedgerError } from '../../src/platform/database-errors.ts';
import { tempDir } from '../temp-dir.ts';
import { mixedImport, rowFilter, writeMixed } from './ledger/mixed-import.ts';
import { members, stage } from './ledger/staged-import.ts';

/** Longer than any question takes, however busy the machine is. */
const LONG_MS = 3_600_000;

/** For tests that leave them as they were. */
const threads = openLedgerThreads();
afterAll(() => threads.close());

/** For a test that closes them, or lets them end. */
function openThreads(): LedgerThreads {
  const threads = openLedgerThreads();
  onTestFinished(() => threads.close());
  return threads;
}

const RECORD = {
  id: 'imp-1',
  state: 'completed',
  reason: 'all done',
  file: 'members.csv',
  source: '/in/members.csv',
  options: '{}',
  retryOf: null,
  createdBy: '',
  tags: '[]',
  code: null,
  remedy: null,
  totals: null,
  createdAt: 1_000,
  startedAt: 2_000,
  finishedAt: 3_000,
} as const;

const NO_FILES = { all: null, failed: null, retry: null, created: null };

function requestOf(
  reader: ImportReader,
  form: ReportRequest['form'],
  more: Partial<ReportRequest> = {},
): ReportRequest {
  return { form, summary: summaryOf(RECORD, totalsOf(reader.counters(), true), NO_FILES), ...more };
}

const texts = (reader: ImportReader, request: ReportRequest) => [...reportPieces(reader, request)].join('');
const bytes = async (chunks: AsyncIterable<Uint8Array>) => (await buffer(chunks)).toString('utf8');
/** The page says when it was made. */
const timeless = (text: string) => text.replace(/Written [^<]* by/, 'Written by');

/** An import whose CSV report has several chunks. */
async function largeImport(path: string): Promise<void> {
  await stage(path, members(6_000, { guid: 'group-with-quite-a-long-name-'.repeat(3) }), 1_000);
}

afterEach(() => {
  vi.useRealTimers();
});

test('another thread answers what the reader itself answers, and its reports are the same to the byte', async () => {
  const dir = tempDir();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(mixedImport, rowFilter, async (file, filter) => {
      const path = join(dir, `${++run}.sqlite`);
      await writeMixed(path, file);
      const reader = openImportReader(path);
      const there = threads.of(path);
      expect(await there.counters()).toEqual(reader.counters());
      expect(await there.input()).toEqual(reader.input());
      expect(await there.rowsPage(filter, 7)).toEqual(reader.rowsPage(filter, 7));
      expect(await there.problems()).toEqual(reader.problems());
      expect(await there.callRates()).toEqual(reader.callRates());
      expect(await there.check()).toEqual(reader.check());
      for (const form of ['csv', 'ndjson', 'json', 'html', 'retry'] as const) {
        const request = requestOf(reader, form, { filter });
        expect(timeless(await bytes(threads.report(path, request)))).toBe(timeless(texts(reader, request)));
      }
      reader.close();
    }),
    { numRuns: 6, endOnFailure: true },
  );
});

describe('a report from another thread', () => {
  test('of many chunks is whole, and shows the import as it was when it began', async () => {
    const path = join(tempDir(), 'ledger.sqlite');
    await largeImport(path);
    const reader = openImportReader(path);
    const request = requestOf(reader, 'csv');
    const whole = texts(reader, request);
    reader.close();
    const report = threads.report(path, request);
    const first = await report.next();
    // The file goes, and whoever has begun to read it reads on.
    await threads.forget(path);
    rmSync(path);
    const [head, rest] = [Buffer.from(first.value ?? []).toString(), await bytes(report)];
    expect(rest.length).toBeGreaterThan(head.length);
    expect(head + rest).toBe(whole);
  });

  test('that no one takes any more is given up, and others are made', async () => {
    const path = join(tempDir(), 'ledger.sqlite');
    await largeImport(path);
    const reader = openImportReader(path);
    const request = requestOf(reader, 'csv');
    for await (const chunk of threads.report(path, request)) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(await bytes(threads.report(path, request))).toBe(texts(reader, request));
    reader.close();
  });

  test('may be taken as slowly as one likes: its thread stays for it', async () => {
    const path = join(tempDir(), 'ledger.sqlite');
    await largeImport(path);
    const threads = openThreads();
    const reader = openImportReader(path);
    const request = requestOf(reader, 'csv');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const report = threads.report(path, request);
    const first = await report.next();
    // Its thread has answered everything by now, and has nothing to do.
    await threads.of(path).problems();
    vi.advanceTimersByTime(3_600_000);
    expect(Buffer.from(first.value ?? []).toString() + (await bytes(report))).toBe(texts(reader, request));
    // An idle thread ends, and a new one answers.
    vi.advanceTimersByTime(3_600_000);
    expect(await bytes(threads.report(path, request))).toBe(texts(reader, request));
    reader.close();
  });

  test('that cannot be made rejects with what is wrong, and what is asked after it is answered', async () => {
    const dir = tempDir();
    const path = join(dir, 'ledger.sqlite');
    await stage(path, members(3));
    const reader = openImportReader(path);
    await expect(bytes(threads.report(join(dir, 'none.sqlite'), requestOf(reader, 'csv')))).rejects.toMatchObject({
      code: 'LEDGER_MISSING',
      message: expect.stringContaining('none.sqlite'),
    });
    expect(await bytes(threads.report(path, requestOf(reader, 'csv')))).toBe(texts(reader, requestOf(reader, 'csv')));
    reader.close();
  });
});

test('a damaged ledger is reported with its class, its code and its path', async () => {
  const path = join(tempDir(), 'ledger.sqlite');
  writeFileSync(path, 'this is a shopping list, and it is long enough to be looked at: milk, bread, eggs');
  const error = await threads
    .of(path)
    .counters()
    .catch((reason: unknown) => reason);
  expect(isLedgerError(error)).toBe(true);
  expect(error).toMatchObject({ code: 'DAMAGED_LEDGER', message: expect.stringContaining(path) });
});

test('questions that go through all rows do not hold up the quick ones', async () => {
  const path = join(tempDir(), 'ledger.sqlite');
  await largeImport(path);
  const there = threads.of(path);
  await Promise.all([there.counters(), there.problems()]);
  let counted = 0;
  const counts = Array.from({ length: 300 }, () => there.problems().then(() => (counted += 1)));
  await there.counters();
  expect(counted).toBeLessThan(counts.length);
  await Promise.all(counts);
});

test('searches through the text of all rows, and sorting them, do not hold up other pages of rows', async () => {
  const path = join(tempDir(), 'ledger.sqlite');
  await largeImport(path);
  const ask = (filter: RowFilter, order = ORDER_OF_INPUT) =>
    threads.of(path, { deadlineMs: LONG_MS }).rowsPageJson({ filter, order, limit: 10 });
  await Promise.all([ask({ text: 'nowhere' }), ask({})]);
  let done = 0;
  const searches = Array.from({ length: 50 }, () => [
    ask({ text: 'nowhere' }).then(() => (done += 1)),
    ask({}, { by: 'uid', descending: true }).then(() => (done += 1)),
  ]).flat();
  const page = JSON.parse(Buffer.from(await ask({ guid: 'no-such-group' })).toString());
  expect(page).toEqual({ rows: [], total: 0, nextCursor: null });
  expect(done).toBeLessThan(searches.length);
  await Promise.all(searches);
});

test('more ledgers than a thread keeps open are all answered for', async () => {
  const dir = tempDir();
  const paths = Array.from({ length: 12 }, (_, index) => join(dir, `${index}.sqlite`));
  for (const [index, path] of paths.entries()) await stage(path, members(index));
  for (const order of [paths, paths.toReversed()]) {
    const read = await Promise.all(
      order.map(async (path) => (await threads.of(path).counters()).get('us')?.['read'] ?? 0),
    );
    expect(read).toEqual(order.map((path) => paths.indexOf(path)));
  }
});

test('closing, by however many, does what was asked for before, and refuses what comes', async () => {
  const path = join(tempDir(), 'ledger.sqlite');
  await stage(path, members(3));
  const threads = openThreads();
  const asked = threads.of(path).problems();
  await Promise.all([threads.close(), threads.close()]);
  expect(await asked).toEqual([]);
  await expect(threads.of(path).counters()).rejects.toThrow('process stops');
});

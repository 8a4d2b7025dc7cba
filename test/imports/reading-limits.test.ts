import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { InspectThread } from '../../src/features/inspect/inspect-thread.ts';
import { importOptions } from '../../src/imports/import-options.ts';
import type { LedgerThread } from '../../src/imports/report/ledger-thread.ts';
import { HEAP_MB, openLedgerThreads } from '../../src/imports/report/ledger-threads.ts';
import { ORDER_OF_INPUT } from '../../src/imports/report/row-search.ts';
import { startStaging } from '../../src/imports/stage/row-writer.ts';
import { threadQueue } from '../../src/platform/thread-queue.ts';
import { tempDir } from '../temp-dir.ts';
import { members, rowAt, stage } from './ledger/staged-import.ts';

/** Requests of a stranger have a deadline, a bound on memory, and an end when the stranger leaves. */

function openThreads() {
  const threads = openLedgerThreads();
  onTestFinished(() => threads.close());
  return threads;
}

function openHeads() {
  const heads = threadQueue<InspectThread>({
    thread: [import.meta.url, '../../src/features/inspect/inspect-thread'],
    atOnce: 1,
    heapMb: HEAP_MB,
  });
  onTestFinished(() => heads.close());
  return heads;
}

async function staged(): Promise<string> {
  const path = join(tempDir(), 'ledger.sqlite');
  await stage(path, members(300));
  return path;
}

/** Longer than any task takes, however busy the machine is. */
const LONG_MS = 3_600_000;
/** Beside the thread. */
const LEDGER_THREAD = new URL('../../src/imports/report/ledger-threads.ts', import.meta.url).href;
const READING = importOptions.parse({ region: 'us' });
const SMALL = {
  head: Buffer.from('guid,uid\ng,u\n'),
  name: 'members.csv',
  options: READING,
  rowOptions: READING,
  recipes: [],
};

test('a task that takes too long is refused, and the next ones are done by another thread', async () => {
  const heads = openHeads();
  const look = () => heads.ask('look', SMALL, { deadlineMs: 10_000 });
  // Its thread has started: from now on the time of a task counts.
  await look();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const late = look();
  // It is begun. No answer can be there yet: that comes in a later turn of the event loop.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  vi.advanceTimersByTime(10_000);
  await expect(late).rejects.toMatchObject({ facts: { reason: 'deadline' } });
  expect(await look()).toMatchObject({ preview: { rows: [{ guid: 'g', uid: 'u' }] } });
});

test('the time in which a thread starts is not that of its first task', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const look = openHeads().ask('look', SMALL, { deadlineMs: 10_000 });
  vi.advanceTimersByTime(60_000);
  await expect(look).resolves.toMatchObject({ preview: { kind: 'csv' } });
});

test('a task that needs more memory than its thread may have is refused, and the process lives', async () => {
  const path = join(tempDir(), 'ledger.sqlite');
  const staging = startStaging(path);
  staging.add([rowAt(0, {})]);
  const columns = Array.from({ length: 700_000 }, () => 'column');
  staging.finish({ format: 'csv', delimiter: ',', columns, recognised: {} });
  const queue = threadQueue<LedgerThread>({
    thread: [LEDGER_THREAD, './ledger-thread'],
    atOnce: 1,
    heapMb: 48,
  });
  onTestFinished(() => queue.close());
  const first = { question: 'rowsPageJson', given: [{ filter: {}, order: ORDER_OF_INPUT, limit: 1 }] } as const;
  const wide = queue.ask('query', { path, ...first }, { deadlineMs: LONG_MS });
  await expect(wide).rejects.toMatchObject({ facts: { reason: 'memory' } });
  const small = { path: await staged(), ...first };
  expect(await queue.ask('query', small, { deadlineMs: LONG_MS })).toBeInstanceOf(Uint8Array);
});

test('what no one waits for any more is not begun, and what others wait for is done', async () => {
  const path = await staged();
  const threads = openThreads();
  const gone = new AbortController();
  const request = { filter: {}, order: ORDER_OF_INPUT, limit: 10 };
  const first = threads.of(path, { deadlineMs: LONG_MS }).rowsPageJson(request);
  const left = threads.of(path, { deadlineMs: LONG_MS, signal: gone.signal }).rowsPageJson(request);
  const third = threads.of(path, { deadlineMs: LONG_MS }).rowsPageJson(request);
  gone.abort();
  await expect(left).rejects.toMatchObject({ facts: { reason: 'left' } });
  await expect(
    threads.of(path, { deadlineMs: LONG_MS, signal: gone.signal }).rowsPageJson(request),
  ).rejects.toMatchObject({
    facts: { reason: 'left' },
  });
  expect(await third).toEqual(await first);
});

test('what is under way and no one waits for any more is given up, and what waits behind it is done', async () => {
  const path = await staged();
  const threads = openThreads();
  const gone = new AbortController();
  const search = (text: string, signal?: AbortSignal) =>
    threads
      .of(path, { deadlineMs: LONG_MS, ...(signal && { signal }) })
      .rowsPageJson({ filter: { text }, order: ORDER_OF_INPUT, limit: 10 });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const left = search('u1', gone.signal);
  const next = search('u300');
  gone.abort();
  // Its thread has not even started.
  vi.advanceTimersByTime(1_000);
  await expect(left).rejects.toMatchObject({ facts: { reason: 'left' } });
  expect(JSON.parse(Buffer.from(await next).toString())).toMatchObject({ rows: [{ uid: 'u300' }], total: 1 });
});

test('more questions than may wait are refused at once, and those that wait are answered', async () => {
  const path = await staged();
  const there = openThreads().of(path, { deadlineMs: LONG_MS });
  const asked = await Promise.allSettled(Array.from({ length: 300 }, () => there.counters()));
  const refused = asked.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(300 - 201);
  expect(refused).toContainEqual({
    status: 'rejected',
    reason: expect.objectContaining({ facts: expect.objectContaining({ reason: 'busy' }) }),
  });
});

test('what the coordinator itself asks for has no deadline and is never refused', async () => {
  const path = await staged();
  const there = openThreads().of(path);
  expect(await Promise.all(Array.from({ length: 300 }, () => there.counters()))).toHaveLength(300);
});

test('callers take turns: one who asks much does not hold up another', async () => {
  const heads = openHeads();
  const answered: string[] = [];
  const ask = (caller: string) =>
    heads.ask('look', SMALL, { deadlineMs: LONG_MS, caller }).then(() => void answered.push(caller));
  await Promise.all([...Array.from({ length: 20 }, () => ask('much')), ask('little')]);
  // One was under way, and one had its turn.
  expect(answered.indexOf('little')).toBe(2);
});

test('one caller cannot take all places of those that wait', async () => {
  const there = openThreads();
  const path = await staged();
  const ask = (caller: string) => there.of(path, { deadlineMs: LONG_MS, caller }).counters();
  const much = Promise.allSettled(Array.from({ length: 300 }, () => ask('much')));
  const little = ask('little');
  expect((await much).filter(({ status }) => status === 'fulfilled')).toHaveLength(51);
  await expect(little).resolves.toBeDefined();
});

import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';

const page = { hidden: false };
vi.stubGlobal('document', page);
vi.stubGlobal('addEventListener', () => undefined);
const { Question, tellMissed } = await import('../../src/console/question.ts');
const { ApiError, away } = await import('../../src/console/requests.ts');
const { Pages } = await import('../../src/console/use-answer.ts');

const BUSY = new ApiError({ title: 'Busy', status: 503, code: 'BUSY', detail: 'Later.' });

/** A question, what was asked so far, and what leaves it. */
function followed() {
  const asked: (PromiseWithResolvers<string> & { signal: AbortSignal })[] = [];
  const question = new Question<string>();
  question.look = (signal) => {
    asked.push({ ...Promise.withResolvers<string>(), signal });
    return asked.at(-1)?.promise ?? expect.fail();
  };
  const leave = question.follow();
  void question.ask();
  const answer = async (text: string | Error) => {
    const { resolve, reject } = asked.at(-1) ?? expect.fail();
    if (typeof text === 'string') resolve(text);
    else reject(text);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { question, asked, answer, leave };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
// Other tests run in this process.
afterAll(() => {
  vi.unstubAllGlobals();
});

test('changes are asked for once, soon after a quick answer, and after a slow one when the server has rested', async () => {
  const { question, asked, answer } = followed();
  await answer('quick');
  question.soon();
  question.soon();
  await vi.advanceTimersByTimeAsync(299);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(2);
  // Its answer may be from before this change.
  question.soon();
  await vi.advanceTimersByTimeAsync(400);
  await answer('slow');
  await vi.advanceTimersByTimeAsync(3999);
  expect(asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(60_000);
  await answer('very slow');
  question.soon();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(4);
  page.hidden = true;
  await answer('seen by no one');
  question.soon();
  await vi.advanceTimersByTimeAsync(60_000);
  page.hidden = false;
  expect(asked).toHaveLength(4);
  tellMissed();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(5);
});

test('an answer that was overtaken, by a question or by news, does not count; a question that is left is aborted, and not asked again', async () => {
  const { question, asked, answer, leave } = followed();
  void question.ask();
  const [first, second] = asked;
  expect(first?.signal.aborted).toBe(true);
  first?.resolve('overtaken');
  await vi.advanceTimersByTimeAsync(0);
  expect(question.data.value).toBeUndefined();
  question.set('news');
  second?.resolve('from before the news');
  await vi.advanceTimersByTimeAsync(0);
  expect(question.data.value).toBe('news');
  question.renewal = { everyMs: () => 1000 };
  void question.ask();
  leave();
  expect(asked.at(-1)?.signal.aborted).toBe(true);
  await answer('too late');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([question.data.value, asked.length]).toEqual(['news', 3]);
  // Work that a person began there may still end, and look at its result.
  void question.ask();
  await answer('the result');
  question.set('newer');
  question.soon();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([question.data.value, asked.length]).toEqual(['newer', 4]);
});

test('after a change that comes shortly before it is time to ask, it is asked then, and not a second time', async () => {
  const { question, asked, answer, leave } = followed();
  question.renewal = { everyMs: () => 1000 };
  await answer('first');
  await vi.advanceTimersByTimeAsync(900);
  question.soon();
  await vi.advanceTimersByTimeAsync(100);
  expect(asked).toHaveLength(2);
  await answer('second');
  await vi.advanceTimersByTimeAsync(999);
  expect(asked).toHaveLength(2);
  leave();
});

test('a busy server is asked again, and its refusal is shown until then; while the server is away, the last answer is', async () => {
  const { question, asked, answer } = followed();
  await answer(BUSY);
  await vi.advanceTimersByTimeAsync(1999);
  expect([question.error.value, asked.length]).toEqual([BUSY, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect([question.error.value, asked.length]).toEqual([BUSY, 2]);
  await answer('here');
  expect([question.data.value, question.error.value]).toEqual(['here', undefined]);
  void question.ask();
  await answer(away());
  expect([question.data.value, question.error.value]).toEqual(['here', undefined]);
});

/** A list of 800 rows on a server that gives `most` of them at a time; what it is asked for, and how often it has answered. */
function listOf800(most: number) {
  const asked: string[] = [];
  let answers = 0;
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address);
    const { searchParams } = new URL(address, 'http://server');
    const from = Number(searchParams.get('cursor') ?? 0);
    const to = Math.min(800, from + Math.min(most, Number(searchParams.get('limit'))));
    answers += 1;
    const rows = Array.from({ length: to - from }, (_, at) => ({ row: from + at, outcome: answers }));
    const page = { rows, nextCursor: to === 800 ? null : String(to), total: from === 0 ? 800 : null };
    return Response.json(page);
  });
  const pages = new Pages<{ row: number; outcome: number }>({ name: 'rows', limit: 100, most: 500 });
  pages.path = '/rows?text=a';
  const shown = () => {
    const { items = [], total, dropped, cursor } = pages.shown;
    return [items[0]?.row, items.at(-1)?.row, { total, dropped, hasMore: cursor !== null }];
  };
  return { asked, pages, shown };
}

test('however many rows are asked for, 500 are held at most; they stay until a person goes back to the start', async () => {
  const { asked, pages, shown } = listOf800(200);
  await pages.restart();
  expect(asked).toEqual(['/rows?text=a&limit=100']);
  for (const last of [199, 299, 399, 499]) {
    await pages.more();
    expect(shown()).toEqual([0, last, { total: 800, dropped: 0, hasMore: true }]);
  }
  await pages.more();
  await pages.more();
  expect(shown()).toEqual([200, 699, { total: 800, dropped: 200, hasMore: true }]);
  const before = asked.length;
  await pages.ask();
  expect([asked.length, ...shown()]).toEqual([before, 200, 699, { total: 800, dropped: 200, hasMore: true }]);
  await pages.restart();
  expect(shown()).toEqual([0, 99, { total: 800, dropped: 0, hasMore: true }]);
});

test('the rows that come next are counted, but not where more fit a filter by now than when the first ones were asked for', async () => {
  const { pages } = listOf800(200);
  expect(pages.coming).toBeUndefined();
  await pages.restart();
  expect(pages.coming).toBe(100);
  for (let asked = 200; asked <= 700; asked += 100) await pages.more();
  expect(pages.coming).toBe(100);
  const { data } = pages;
  if (data.value !== undefined) pages.set({ ...data.value, total: 730 });
  expect(pages.coming).toBe(30);
  if (data.value !== undefined) pages.set({ ...data.value, total: 650 });
  expect(pages.coming).toBeUndefined();
});

test('rows that are asked for while others are under way come with them, as they are then', async () => {
  const { pages, shown } = listOf800(200);
  await pages.restart();
  const more = pages.more();
  await pages.refresh();
  await more;
  expect(shown()).toEqual([0, 199, { total: 800, dropped: 0, hasMore: true }]);
  const again = pages.refresh();
  await pages.more();
  await again;
  expect(shown()).toEqual([0, 299, { total: 800, dropped: 0, hasMore: true }]);
  expect(new Set(pages.shown.items?.slice(200).map(({ outcome }) => outcome)).size).toBe(1);
});

test('a server may give fewer than were asked for: they are shown, and all of them come again', async () => {
  const { asked, pages, shown } = listOf800(60);
  await pages.restart();
  await pages.more();
  expect(shown()).toEqual([0, 119, { total: 800, dropped: 0, hasMore: true }]);
  await pages.ask();
  expect(shown()).toEqual([0, 199, { total: 800, dropped: 0, hasMore: true }]);
  expect(asked.slice(2)).toEqual([
    '/rows?text=a&limit=200',
    '/rows?text=a&limit=140&cursor=60',
    '/rows?text=a&limit=80&cursor=120',
    '/rows?text=a&limit=20&cursor=180',
  ]);
});

test('rows are asked for until there are enough; a page that is left, and a server that refuses or goes away meanwhile, end that', async () => {
  const { asked, pages, shown } = listOf800(200);
  const leaving = new AbortController();
  await pages.restart();
  const holds = (rows: number) => () => (pages.shown.items?.length ?? 0) >= rows;
  await pages.moreUntil(holds(250), leaving.signal);
  expect(shown()).toEqual([0, 299, { total: 800, dropped: 0, hasMore: true }]);
  vi.stubGlobal('fetch', async () => Response.json({ code: 'BUSY', title: 'Busy' }, { status: 503 }));
  await expect(pages.moreUntil(holds(450), leaving.signal)).rejects.toMatchObject({ code: 'BUSY' });
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no connection')));
  await expect(pages.moreUntil(holds(450), leaving.signal)).rejects.toMatchObject({ code: 'AWAY' });
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address);
    leaving.abort();
    return Response.json({ rows: [{ row: 300, outcome: 0 }], nextCursor: '301' });
  });
  const before = asked.length;
  await expect(pages.moreUntil(holds(450), leaving.signal)).rejects.toMatchObject({ name: 'AbortError' });
  expect(asked.length).toBe(before + 1);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const page = { hidden: false };
vi.stubGlobal('document', page);
vi.stubGlobal('addEventListener', () => undefined);
const { Question } = await import('../../src/console/question.ts');
const { ApiError, away } = await import('../../src/console/requests.ts');

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

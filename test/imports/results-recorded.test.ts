import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { resultsRecorded } from '../../src/imports/send/result-queues.ts';

/** An import that goes on waits for results that wait in the queue; not forever, if no process records them. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue of results with this many in it; `left` may be changed. */
function resultsOf(left: number) {
  const queue = {
    name: 'outcomes',
    left,
    depth: async () => ({ waiting: queue.left, active: 0, delayed: 0, setAside: 0 }),
  };
  return queue;
}

function waitFor(queue: ReturnType<typeof resultsOf>) {
  const errors: Error[] = [];
  const waiting = { errors, isOver: false, isStopping: false };
  void resultsRecorded(
    queue,
    () => waiting.isStopping,
    (error) => void errors.push(error),
  ).then(() => {
    waiting.isOver = true;
  });
  return waiting;
}

test('it is over as soon as no result waits', async () => {
  const queue = resultsOf(3);
  const waiting = waitFor(queue);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(waiting.isOver).toBe(false);
  expect(waiting.errors.map(({ message }) => message)).toEqual([expect.stringMatching(/ 3 results /)]);
  queue.left = 0;
  await vi.advanceTimersByTimeAsync(100);
  expect(waiting).toMatchObject({ isOver: true, errors: [{}] });
});

test('results that no process records hold an import up for a minute, and are named', async () => {
  const waiting = waitFor(resultsOf(3));
  await vi.advanceTimersByTimeAsync(59_000);
  expect(waiting.isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(waiting.isOver).toBe(true);
  expect(waiting.errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^waiting since/),
    expect.stringMatching(/^3 results /),
  ]);
});

test('it ends at once when the process stops', async () => {
  const waiting = waitFor(resultsOf(3));
  await vi.advanceTimersByTimeAsync(200);
  waiting.isStopping = true;
  await vi.advanceTimersByTimeAsync(100);
  expect(waiting).toMatchObject({ isOver: true, errors: [] });
});

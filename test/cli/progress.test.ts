import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { say } from '../../src/cli/screen/io.ts';
import { redraw } from '../../src/cli/screen/progress.ts';
import { Screen } from './screen.ts';

const LOOK_MS = 200;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

test('what is said while progress is drawn stays above it, and nothing of older drawings is left', () => {
  const screen = new Screen(40);
  let done = 0;
  const progress = redraw(screen.io, () => ['a bar', `row ${done} of 10, which is more than a line holds`]);
  for (done of [1, 2]) vi.advanceTimersByTime(LOOK_MS);
  say(screen.io, '2,000 messages will be written into 40 groups, one for each member added.');
  expect(screen.text).toBe(
    [
      '2,000 messages will be written into 40',
      'groups, one for each member added.',
      'a bar',
      'row 2 of 10, which is more than a line h',
      'olds',
    ].join('\n'),
  );
  done = 10;
  progress.stop();
  say(screen.io, 'Done.');
  expect(screen.text).toBe(
    [
      '2,000 messages will be written into 40',
      'groups, one for each member added.',
      'a bar',
      'row 10 of 10, which is more than a line',
      'holds',
      'Done.',
    ].join('\n'),
  );
});

test('progress that has stopped is not drawn again', () => {
  const screen = new Screen(40);
  const progress = redraw(screen.io, () => ['listing  40 of 40 groups']);
  progress.stop();
  say(screen.io, 'the plan');
  progress.stop();
  expect(screen.text).toBe('listing  40 of 40 groups\nthe plan');
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RegionCounts } from '../../src/api/import-summary.ts';
import { say } from '../../src/cli/screen/io.ts';
import { redraw, showProgress } from '../../src/cli/screen/progress.ts';
import type { Region } from '../../src/membership/membership.ts';
import { Screen } from './screen.ts';

const LOOK_MS = 200;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
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

test('progress that cannot be read, such as for want of a file handle, is drawn when it can be again', () => {
  const screen = new Screen(40);
  let isReadable = false;
  const progress = redraw(screen.io, () => {
    if (!isReadable) throw new Error('unable to open database file');
    return ['us  50 %'];
  });
  expect(() => vi.advanceTimersByTime(LOOK_MS)).not.toThrow();
  isReadable = true;
  progress.stop();
  say(screen.io, 'Done.');
  expect(screen.text).toBe('us  50 %\nDone.');
});

test.each([
  [100, /^us {2}█{6}░{18} {2}25 % {2}15,000 of 60,000 rows {2}\d[\d,]* calls\/min {2}.* left$/],
  [60, /^us {2}█+░+ {2}25 % {2}15,000 of 60,000 rows {2}.* left$/],
  [40, /^us {2}█+░+ {2}25 % {2}.* left$/],
])('in %i columns the time that is left is shown, whatever else has room', (columns, line) => {
  const screen = new Screen(columns);
  let sent = 0;
  const progress = showProgress(screen.io, {
    counters: () => new Map<Region, RegionCounts>([['us', counts(sent)]]),
    staging: () => undefined,
    regions: async () => [],
  });
  for (sent of [5_000, 10_000, 15_000]) vi.advanceTimersByTime(LOOK_MS);
  progress.stop();
  expect(screen.text).toMatch(line);
});

function counts(added: number): RegionCounts {
  return { calls: added / 25, rows: { read: 60_000, added, unprocessed: 60_000 - added } } as RegionCounts;
}

import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RegionCounts } from '../../src/api/import-summary.ts';
import { type RegionStatus, UNKNOWN_PACE, UNUSED_CIRCUIT } from '../../src/api/region-status.ts';
import { say } from '../../src/cli/screen/io.ts';
import { redraw, showProgress, showSteps } from '../../src/cli/screen/show-progress.ts';
import type { Region } from '../../src/membership/membership.ts';
import { Screen } from './screen.ts';

const LOOK_MS = 200;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] }));
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

const status = { region: 'us', waiting: 0, delayed: 0, active: 0, stopped: false, unanswered: null, workers: 1 };
const quiet = {
  ...status,
  circuit: UNUSED_CIRCUIT,
  limitedForMs: 0,
  callsPerMinute: 600,
  key: null,
  pace: UNKNOWN_PACE,
} as RegionStatus;
const away = { ...UNUSED_CIRCUIT, state: 'open', since: '2027-03-28T02:14:30Z', calls: 40, code: 'CONNECTION_LOST' };

test('in a pipe, a line that does not change comes once a minute, with the time that is left then', async () => {
  const written: string[] = [];
  const err = new PassThrough().on('data', (chunk) => written.push(String(chunk)));
  const nextTryAt = new Date(Date.now() + 95_000).toISOString();
  const region = { ...quiet, waiting: 4, circuit: { ...away, nextTryAt } } as RegionStatus;
  const progress = showProgress(
    { out: err, err, live: false, color: false, width: 80 },
    {
      counters: () => new Map<Region, RegionCounts>([['us', counts(0)]]),
      staging: () => undefined,
      regions: async () => [region],
    },
  );
  for (let seconds = 0; seconds < 120; seconds += 1) await vi.advanceTimersByTimeAsync(1_000);
  progress.stop();
  const said = written.flatMap(
    (line) => line.match(/not answered since \d\d:14 \(CONNECTION_LOST\), (.*)\n$/)?.[1] ?? [],
  );
  expect(said).toEqual(['next try in 1 min 25 s', 'next try in 25 s']);
});

test('beside the rate stands what limits it', async () => {
  const screen = new Screen(140);
  const pace = { limitedBy: 'concurrency', group: null, atOnce: 40, callMs: 1_900 } as const;
  let sent = 0;
  const progress = showProgress(screen.io, {
    counters: () => new Map<Region, RegionCounts>([['us', counts(sent)]]),
    staging: () => undefined,
    regions: async () => [{ ...quiet, active: 40, waiting: 60, pace }],
  });
  for (sent of [5_000, 10_000, 15_000]) await vi.advanceTimersByTimeAsync(LOOK_MS);
  progress.stop();
  expect(screen.text).toMatch(/left {2}at the maximum of 40 calls at once, 1\.9 s each$/);
});

describe('what an import waits for is said', () => {
  const asking = { banQuestions: { asked: 0, of: 39 } };

  /** Its last line after some seconds in which nothing has happened. */
  const lineAfter = async (seconds: number, region: Partial<RegionStatus> | 'away', more = {}): Promise<string> => {
    const screen = new Screen(200);
    const answer = region === 'away' ? new Promise<never>(() => {}) : Promise.resolve([{ ...quiet, ...region }]);
    const progress = showProgress(screen.io, {
      counters: () => new Map<Region, RegionCounts>([['us', { ...counts(25), ...more }]]),
      staging: () => undefined,
      regions: () => answer,
    });
    for (let at = 0; at < seconds * 1_000; at += LOOK_MS) await vi.advanceTimersByTimeAsync(LOOK_MS);
    progress.stop();
    return screen.text.split('\n').at(-1) ?? '';
  };

  test('that nobody answers who is banned, because no worker runs, and which to start', async () => {
    expect(await lineAfter(1, { workers: 0, waiting: 39 }, asking)).toMatch(
      /asking 39 groups who is banned: 0 of 39 {2}no worker: start one with rollcall worker --region us$/,
    );
  });

  test('that a worker runs and does not take what waits', async () => {
    expect(await lineAfter(9, { waiting: 39 }, asking)).toMatch(/0 of 39$/);
    expect(await lineAfter(11, { waiting: 39 }, asking)).toMatch(
      /waiting since \d\d:\d\d for a worker to take 39 calls$/,
    );
  });

  test('that the service asks for a wait each time', async () => {
    expect(await lineAfter(9, { waiting: 39, limitedForMs: 400 }, asking)).toMatch(/0 of 39$/);
    expect(await lineAfter(11, { waiting: 39, limitedForMs: 400 }, asking)).toMatch(
      /waiting since \d\d:\d\d for the rate limit$/,
    );
  });

  test('that calls are not answered', async () => {
    expect(await lineAfter(11, { active: 2 })).toMatch(/waiting since \d\d:\d\d for 2 calls to be answered$/);
  });

  test('since when the service is away, and when it is tried next', async () => {
    const nextTryAt = new Date(Date.now() + 1_000 + 29_500).toISOString();
    expect(await lineAfter(1, { circuit: { ...away, nextTryAt } as RegionStatus['circuit'] })).toMatch(
      /the service has not answered since \d\d:14 \(CONNECTION_LOST\), next try in 30 s$/,
    );
    expect(await lineAfter(1, { circuit: { ...away, state: 'half-open' } as RegionStatus['circuit'] })).toMatch(
      /the service has not answered since \d\d:14 \(CONNECTION_LOST\), trying now$/,
    );
  });

  test.each([
    [
      'NOT_THE_SERVICE',
      '',
      /every call since \d\d:14 was answered with NOT_THE_SERVICE, .*; something other .*check app id/,
    ],
    ['MALFORMED_REPLY', '', /was answered with MALFORMED_REPLY, .*check app id, region and host/],
    ['HTTP_503', '', /every call since \d\d:14 was answered with HTTP_503, trying now$/],
    [
      'CONNECT_FAILED',
      'getaddrinfo ENOTFOUND x',
      /has not answered since \d\d:14 \(CONNECT_FAILED\), .*no host has this name/,
    ],
  ])('what the service answers instead, and what to do: %s', async (code, message, line) => {
    expect(await lineAfter(1, { circuit: { ...away, code, message } as RegionStatus['circuit'] })).toMatch(line);
  });

  test('that the service asks to wait until tomorrow', async () => {
    const circuit = { ...UNUSED_CIRCUIT, waitsUntil: '2027-03-29T02:14:30Z' };
    expect(await lineAfter(1, { waiting: 39, limitedForMs: 570_000, circuit })).toMatch(
      /waiting 9 min 30 s for the rate limit: the service asks to wait until 2027-03-29 02:14:30 UTC, and is asked again before$/,
    );
  });

  test('that the queue does not answer', async () => {
    expect(await lineAfter(11, 'away')).toMatch(/^the queue has not answered since \d\d:\d\d$/);
  });

  test('that its file is not being read yet', async () => {
    const screen = new Screen(80);
    const none = { counters: () => undefined, staging: () => undefined, regions: async () => [] };
    const progress = showProgress(screen.io, none);
    vi.advanceTimersByTime(11_000);
    progress.stop();
    expect(screen.text).toMatch(/^waiting since \d\d:\d\d for the file to be read$/);
  });
});

describe('what a check, an export, an undo or the planning of a sync waits for is said', () => {
  /** Its lines after some seconds in which no step was taken. */
  const linesAfter = async (
    seconds: number,
    steps: readonly string[],
    region: Partial<RegionStatus> | 'away' = {},
  ): Promise<string> => {
    const screen = new Screen(200);
    const answer = region === 'away' ? new Promise<never>(() => {}) : Promise.resolve([{ ...quiet, ...region }]);
    const progress = showSteps(screen.io, () => steps, { begins: 'the check to begin', regions: () => answer });
    for (let at = 0; at < seconds * 1_000; at += LOOK_MS) await vi.advanceTimersByTimeAsync(LOOK_MS);
    progress.stop();
    return screen.text;
  };
  const step = 'asking for groups  3 of 40';

  test('that it has not begun', async () => {
    expect(await linesAfter(9, [])).toBe('');
    expect(await linesAfter(11, [])).toMatch(/^waiting since \d\d:\d\d for the check to begin$/);
  });

  test('that the service is away, as soon as a step takes long', async () => {
    const nextTryAt = new Date(Date.now() + 4_000 + 29_500).toISOString();
    const circuit = { ...away, nextTryAt } as RegionStatus['circuit'];
    expect(await linesAfter(1, [step], { waiting: 1, circuit })).toBe(step);
    expect(await linesAfter(3, [step], { waiting: 1, circuit })).toMatch(
      /^asking for groups {2}3 of 40\nus {2}the service has not answered since \d\d:14 \(CONNECTION_LOST\), next try in 30 s$/,
    );
  });

  test('that no worker runs, and nothing of a region that it does not use', async () => {
    expect(await linesAfter(3, [step], { waiting: 1, workers: 0 })).toMatch(
      /\nus {2}no worker: start one with rollcall worker --region us$/,
    );
    expect(await linesAfter(3, [step], { workers: 0 })).toBe(step);
  });

  test('that calls are not answered or not taken', async () => {
    expect(await linesAfter(11, [step], { active: 2 })).toMatch(
      /\nus {2}waiting since \d\d:\d\d for 2 calls to be answered$/,
    );
    expect(await linesAfter(11, [step], { waiting: 2 })).toMatch(
      /\nus {2}waiting since \d\d:\d\d for a worker to take 2 calls$/,
    );
  });

  test('that the queue does not answer', async () => {
    expect(await linesAfter(13, [step], 'away')).toMatch(/\nthe queue has not answered since \d\d:\d\d$/);
  });

  test('since when nothing has moved, where nothing is known to be in the way', async () => {
    expect(await linesAfter(9, [step])).toBe(step);
    expect(await linesAfter(11, [step])).toMatch(/\nno progress since \d\d:\d\d$/);
  });
});

function counts(added: number): RegionCounts {
  return { calls: added / 25, rows: { read: 60_000, added, unprocessed: 60_000 - added } } as RegionCounts;
}

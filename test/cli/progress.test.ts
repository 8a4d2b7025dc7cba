import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RegionCounts } from '../../src/api/import-summary.ts';
import { type RegionStatus, UNKNOWN_PACE, UNUSED_CIRCUIT } from '../../src/api/region-status.ts';
import { say } from '../../src/cli/screen/io.ts';
import { redraw, showProgress, showSteps } from '../../src/cli/screen/show-progress.ts';
import { OUTCOMES, type Outcome } from '../../src/membership/outcome.ts';
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
    view: () => running(counts(sent)),
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
      view: () => running(counts(0)),
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
    view: () => running(counts(sent)),
    regions: async () => [{ ...quiet, active: 40, waiting: 60, pace }],
  });
  for (sent of [5_000, 10_000, 15_000]) await vi.advanceTimersByTimeAsync(LOOK_MS);
  progress.stop();
  expect(screen.text).toMatch(/left {2}at the maximum of 40 calls at once, 1\.9 s each$/);
});

/** Times of the day are the zone's. */
const timeless = (text: string) => text.replaceAll(/since \d\d:\d\d/g, 'since hh:mm');
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
const circuitOf = (parts: object) => ({ ...away, ...parts }) as RegionStatus['circuit'];

test('what an import waits for is said, from when it is clear that it waits', async () => {
  const asking = { banQuestions: { asked: 0, of: 39 } };
  /** Its last line after some seconds in which nothing has happened. */
  const after = async (seconds: number, region: Partial<RegionStatus> | 'away', more = {}): Promise<string> => {
    const screen = new Screen(200);
    const answer = region === 'away' ? new Promise<never>(() => {}) : Promise.resolve([{ ...quiet, ...region }]);
    const progress = showProgress(screen.io, {
      view: () => running({ ...counts(25), ...more }),
      regions: () => answer,
    });
    for (let at = 0; at < seconds * 1_000; at += LOOK_MS) await vi.advanceTimersByTimeAsync(LOOK_MS);
    progress.stop();
    return timeless(screen.text.split('\n').at(-1) ?? '');
  };
  const tomorrow = { ...UNUSED_CIRCUIT, waitsUntil: '2027-03-29T02:14:30Z' };
  expect({
    'no worker': await after(1, { workers: 0, waiting: 39 }, asking),
    'a worker that takes nothing, at first': await after(9, { waiting: 39 }, asking),
    'a worker that takes nothing': await after(11, { waiting: 39 }, asking),
    'the rate limit, at first': await after(9, { waiting: 39, limitedForMs: 400 }, asking),
    'the rate limit': await after(11, { waiting: 39, limitedForMs: 400 }, asking),
    'until tomorrow': await after(1, { waiting: 39, limitedForMs: 570_000, circuit: tomorrow }),
    answers: await after(11, { active: 2 }),
    'a service that is away': await after(1, { circuit: circuitOf({ nextTryAt: soon(30_500) }) }),
    'its trial': await after(1, { circuit: circuitOf({ state: 'half-open' }) }),
    'something else': await after(1, { circuit: circuitOf({ code: 'NOT_THE_SERVICE' }) }),
    'what cannot be read': await after(1, { circuit: circuitOf({ code: 'MALFORMED_REPLY' }) }),
    'a status': await after(1, { circuit: circuitOf({ code: 'HTTP_503' }) }),
    'a name': await after(1, { circuit: circuitOf({ code: 'CONNECT_FAILED', message: 'getaddrinfo ENOTFOUND x' }) }),
    'the queue': await after(11, 'away'),
  }).toMatchInlineSnapshot(`
    {
      "a name": "us  ░░░░░░░░░░░░░░░░░   0 %  25 of 60,000 rows  the service has not answered since hh:mm (CONNECT_FAILED), trying now; no host has this name: check app id, region and host, the network and HTTPS_PROXY",
      "a service that is away": "us  ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  25 of 60,000 rows  the service has not answered since hh:mm (CONNECTION_LOST), next try in 30 s",
      "a status": "us  ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  25 of 60,000 rows  every call since hh:mm was answered with HTTP_503, trying now",
      "a worker that takes nothing": "us  ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  25 of 60,000 rows  asking 39 groups who is banned: 0 of 39  waiting since hh:mm for a worker to take 39 calls",
      "a worker that takes nothing, at first": "us  ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  25 of 60,000 rows  asking 39 groups who is banned: 0 of 39",
      "answers": "us  ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  25 of 60,000 rows  waiting since hh:mm for 2 calls to be answered",
      "its trial": "us  ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  25 of 60,000 rows  the service has not answered since hh:mm (CONNECTION_LOST), trying now",
      "no worker": "us  ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  25 of 60,000 rows  asking 39 groups who is banned: 0 of 39  no worker: start one with rollcall worker --region us",
      "something else": "us  ░░░░░░░░░░░░░   0 %  every call since hh:mm was answered with NOT_THE_SERVICE, trying now; something other than the chat service answers: check app id, region and host, the network and HTTPS_PROXY",
      "the queue": "the queue has not answered since hh:mm",
      "the rate limit": "us  ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  25 of 60,000 rows  asking 39 groups who is banned: 0 of 39  waiting since hh:mm for the rate limit",
      "the rate limit, at first": "us  ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  25 of 60,000 rows  asking 39 groups who is banned: 0 of 39",
      "until tomorrow": "us  ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  25 of 60,000 rows  waiting 9 min 30 s for the rate limit: the service asks to wait until 2027-03-29 02:14:30 UTC, and is asked again before",
      "what cannot be read": "us  ░░░░░░░░░░░░░   0 %  25 of 60,000 rows  every call since hh:mm was answered with MALFORMED_REPLY, trying now; the replies cannot be read: check app id, region and host, the network and HTTPS_PROXY",
    }
  `);
});

test('an import whose file is not being read yet says so', () => {
  const screen = new Screen(80);
  const none = { view: () => undefined, regions: async () => [] };
  const progress = showProgress(screen.io, none);
  vi.advanceTimersByTime(11_000);
  progress.stop();
  expect(timeless(screen.text)).toMatchInlineSnapshot(`"waiting since hh:mm for the file to be read"`);
});

test('what a check, an export, an undo or the planning of a sync waits for is said, too', async () => {
  /** Its lines after some seconds in which no step was taken. */
  const after = async (
    seconds: number,
    steps: readonly string[],
    region: Partial<RegionStatus> | 'away' = {},
  ): Promise<string> => {
    const screen = new Screen(200);
    const answer = region === 'away' ? new Promise<never>(() => {}) : Promise.resolve([{ ...quiet, ...region }]);
    const progress = showSteps(screen.io, () => steps, { begins: 'the check to begin', regions: () => answer });
    for (let at = 0; at < seconds * 1_000; at += LOOK_MS) await vi.advanceTimersByTimeAsync(LOOK_MS);
    progress.stop();
    return timeless(screen.text);
  };
  const step = 'asking for groups  3 of 40';
  expect(await after(9, [])).toBe('');
  // It is said as soon as a step takes long.
  const isAway = () => ({ waiting: 1, circuit: circuitOf({ nextTryAt: soon(32_500) }) });
  for (const [seconds, region] of [
    [1, isAway()],
    [9, {}],
    // Nothing of a region that it does not use.
    [3, { workers: 0 }],
  ] as const) {
    expect(await after(seconds, [step], region)).toBe(step);
  }
  expect({
    'its beginning': await after(11, []),
    'a service that is away': await after(3, [step], isAway()),
    'no worker': await after(3, [step], { waiting: 1, workers: 0 }),
    answers: await after(11, [step], { active: 2 }),
    'a worker that takes nothing': await after(11, [step], { waiting: 2 }),
    'the queue': await after(13, [step], 'away'),
    'nothing that is known': await after(11, [step]),
  }).toMatchInlineSnapshot(`
    {
      "a service that is away": "asking for groups  3 of 40
    us  the service has not answered since hh:mm (CONNECTION_LOST), next try in 30 s",
      "a worker that takes nothing": "asking for groups  3 of 40
    us  waiting since hh:mm for a worker to take 2 calls",
      "answers": "asking for groups  3 of 40
    us  waiting since hh:mm for 2 calls to be answered",
      "its beginning": "waiting since hh:mm for the check to begin",
      "no worker": "asking for groups  3 of 40
    us  no worker: start one with rollcall worker --region us",
      "nothing that is known": "asking for groups  3 of 40
    no progress since hh:mm",
      "the queue": "asking for groups  3 of 40
    the queue has not answered since hh:mm",
    }
  `);
});

function counts(added: number): RegionCounts {
  const none = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  return { calls: added / 25, retries: 0, rateLimited: 0, rows: { ...none, read: 60_000, added } };
}

function running(us: RegionCounts) {
  return { state: 'running', staging: null, regions: { us } } as const;
}

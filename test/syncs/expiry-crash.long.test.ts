import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSandboxPlace } from '../cli/workplace.ts';
import { eventually } from '../imports/pipeline-harness.ts';

const GROUPS = ['team0', 'team1', 'team2'];
const GUESTS = 30;
const LIMITS = ['groupRemovalsPercent', 'regionRemovalsPercent', 'runRemovalsPercent', 'smallTotalRemovals'].flatMap(
  (name) => ['--limit', `${name}=100`],
);

test('kill -9 while an expiry plans and sends, again and again: those who are over are gone in the end, and nobody else', async () => {
  const stay = Array.from({ length: 40 }, (_, n) => `stay${n}`);
  const guests = Array.from({ length: GUESTS }, (_, n) => `guest${n}`);
  const members = Object.fromEntries(GROUPS.map((guid) => [guid, { participants: stay }]));
  const place = await openSandboxPlace({
    users: 'any',
    groups: 0,
    seed: { regions: { us: { members } } },
    latencyMs: [20, 60],
  });
  const rows = GROUPS.flatMap((guid) => guests.map((uid) => `${guid},${uid},2100-01-01`));
  place.file('guests.csv', ['guid,uid,until', ...rows, 'team0,stay0,2100-01-01'].join('\n'));
  expect((await place.run(['import', 'guests.csv'])).code).toBe(0);
  const ends = new DatabaseSync(join(place.dataDir, 'ends.sqlite'));
  ends.exec("update ends set until = 1 where uid <> 'stay0'");
  ends.close();

  const expire = ['expire', '--apply', ...LIMITS];
  const calls = () => place.sandbox.calls.us.requests;
  const gone = () =>
    GROUPS.length * (stay.length + GUESTS) -
    GROUPS.reduce((sum, guid) => sum + place.sandbox.members('us', guid).size, 0);
  const moments: readonly (readonly [() => number, number])[] = [
    [calls, calls() + 2],
    [gone, 1],
    [gone, 20],
    [gone, 60],
  ];
  for (const [count, goal] of moments) {
    const { child, ended } = place.start(expire);
    await Promise.race([eventually(count).toBeGreaterThanOrEqual(goal), ended]);
    expect(child.exitCode, 'it was killed before its end').toBe(null);
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }
  expect((await place.run(expire)).code).toBe(0);
  for (const guid of GROUPS) {
    expect([...place.sandbox.members('us', guid).keys()].toSorted(), guid).toEqual(stay.toSorted());
  }
  expect((await place.run(['expiring'])).stdout.match(/team/g)).toHaveLength(1);
  expect((await place.run(expire)).stderr).toContain('no membership is over');
});

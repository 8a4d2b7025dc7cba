import { expect, test } from 'vitest';
import type { RunState } from '../../src/membership/sync-state.ts';
import { lastDays, nightsOf } from '../../src/server/schedules/nights.ts';

const now = Date.parse('2027-03-30T12:00:00Z');
const days = lastDays(now, 'Europe/Rome', 5);
const record = { cron: '30 0 * * *', tz: 'Europe/Rome', paused: false };
const since = Date.parse('2027-03-26T12:00:00Z');
const run = (id: number, due: string, state: RunState) => ({
  ...{ id, schedule: 'nightly', state, who: '', reason: 'because', syncId: `sync-${id}` },
  dueAt: Date.parse(due),
  at: Date.parse(due),
});

test('a night has the day that the clocks of the schedule show, and the last of its runs', () => {
  expect(days).toEqual(['2027-03-26', '2027-03-27', '2027-03-28', '2027-03-29', '2027-03-30']);
  // 00:30 in Rome is the day before in UTC.
  const runs = [
    run(1, '2027-03-26T23:30:00Z', 'failed'),
    run(2, '2027-03-27T08:00:00Z', 'ran'),
    run(3, '2027-03-27T23:30:00Z', 'waiting'),
  ];
  expect(nightsOf(record, runs, days, { since, now }).map(({ state, runs: count }) => [state, count])).toEqual([
    [null, 0],
    ['ran', 2],
    ['waiting', 1],
    ['missed', 0],
    ['missed', 0],
  ]);
});

test('nothing is missed before the times were set, nor while it is paused', () => {
  const states = (changes: object, from: number) =>
    nightsOf({ ...record, ...changes }, [], days, { since: from, now }).map(({ state }) => state);
  expect(states({}, Date.parse('2027-03-29T12:00:00Z'))).toEqual([null, null, null, null, 'missed']);
  expect(states({ paused: true }, since)).toEqual([null, null, null, null, null]);
  expect(states({ cron: '30 0 * * 1' }, since)).toEqual([null, null, null, 'missed', null]);
});

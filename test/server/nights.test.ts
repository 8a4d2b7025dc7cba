import { expect, test } from 'vitest';
import { lastDays, nightsOf } from '../../src/features/schedule/routes/handlers.ts';
import type { SchedulePause } from '../../src/features/schedule/schedule-catalog.ts';
import type { RunState } from '../../src/membership/sync-state.ts';

const now = Date.parse('2027-03-30T12:00:00Z');
const days = lastDays(now, 'Europe/Rome', 5);
const record = { cron: '30 0 * * *', tz: 'Europe/Rome' };
const since = Date.parse('2027-03-26T12:00:00Z');
const run = (id: number, due: string, state: RunState) => ({
  id,
  schedule: 'nightly',
  state,
  who: '',
  reason: 'because',
  syncId: `sync-${id}`,
  sync: null,
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
  expect(
    nightsOf(record, days, { runs, pauses: [], since, now }).map(({ state, runs: count }) => [state, count]),
  ).toEqual([
    [null, 0],
    ['ran', 2],
    ['waiting', 1],
    ['missed', 0],
    ['missed', 0],
  ]);
});

test('nothing is missed before the times were set, nor on days on which it is not due', () => {
  const states = (changes: object, from: number) =>
    nightsOf({ ...record, ...changes }, days, { runs: [], pauses: [], since: from, now }).map(({ state }) => state);
  expect(states({}, Date.parse('2027-03-29T12:00:00Z'))).toEqual([null, null, null, null, 'missed']);
  expect(states({ cron: '30 0 * * 1' }, since)).toEqual([null, null, null, 'missed', null]);
});

test('a night on which it was paused is not a missed one, also after it was resumed', () => {
  const states = (pauses: SchedulePause[]) =>
    nightsOf(record, days, { runs: [], pauses, since, now }).map(({ state }) => state);
  const at = (time: string) => Date.parse(time);
  const resumed = { since: at('2027-03-27T12:00:00Z'), until: at('2027-03-28T12:00:00Z') };
  expect(states([resumed])).toEqual([null, 'missed', 'paused', 'missed', 'missed']);
  const still = { since: at('2027-03-29T12:00:00Z'), until: null };
  expect(states([resumed, still])).toEqual([null, 'missed', 'paused', 'missed', 'paused']);
});

import { expect, test } from 'vitest';
import type { ScheduleRun } from '../../src/features/schedule/operations.ts';
import { nightsOf } from '../../src/features/schedule/routes/handlers.ts';
import type { Schedule } from '../../src/features/schedule/schedule-catalog.ts';
import type { RunState } from '../../src/membership/sync-state.ts';

const now = Date.parse('2027-03-30T12:00:00Z');
const at = (time: string) => Date.parse(time);
const nightly = { cron: '30 0 * * *', tz: 'Europe/Rome', timedAt: at('2027-03-26T12:00:00Z'), pauses: [] };
/** The last five of them. */
const nights = (changes: Partial<Schedule> = {}, runs: readonly ScheduleRun[] = []) =>
  nightsOf({ ...nightly, ...changes }, runs, now).slice(-5);
const states = (changes: Partial<Schedule>) => nights(changes).map(({ state }) => state);
const run = (id: number, due: string, state: RunState): ScheduleRun => ({
  id,
  schedule: 'nightly',
  state,
  who: '',
  reason: 'because',
  syncId: `sync-${id}`,
  sync: null,
  dueAt: due,
  at: due,
});

test('a night has the day that the clocks of the schedule show, and the last of its runs', () => {
  // 00:30 in Rome is the day before in UTC.
  const runs = [
    run(1, '2027-03-26T23:30:00Z', 'failed'),
    run(2, '2027-03-27T08:00:00Z', 'ran'),
    run(3, '2027-03-27T23:30:00Z', 'waiting'),
  ];
  expect(nights({}, runs).map(({ day, state, runs: count }) => [day, state, count])).toEqual([
    ['2027-03-26', null, 0],
    ['2027-03-27', 'ran', 2],
    ['2027-03-28', 'waiting', 1],
    ['2027-03-29', 'missed', 0],
    ['2027-03-30', 'missed', 0],
  ]);
});

test('nothing is missed before the times were set, nor on days on which it is not due', () => {
  expect(states({ timedAt: at('2027-03-29T12:00:00Z') })).toEqual([null, null, null, null, 'missed']);
  expect(states({ cron: '30 0 * * 1' })).toEqual([null, null, null, 'missed', null]);
});

test('a night on which it was paused is not a missed one, also after it was resumed', () => {
  const resumed = { since: at('2027-03-27T12:00:00Z'), until: at('2027-03-28T12:00:00Z') };
  expect(states({ pauses: [resumed] })).toEqual([null, 'missed', 'paused', 'missed', 'missed']);
  const still = { since: at('2027-03-29T12:00:00Z'), until: null };
  expect(states({ pauses: [resumed, still] })).toEqual([null, 'missed', 'paused', 'missed', 'paused']);
});

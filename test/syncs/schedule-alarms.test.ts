import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openOffice } from './scheduling.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const DAY_MS = 86_400_000;

/** Schedules in a process whose clock and timers stand still until the test moves them. */
function hear(time: string) {
  const office = openOffice();
  vi.setSystemTime(time);
  office.now = Date.now();
  const runs = office.runs({ clock: Date.now });
  const rings: string[] = [];
  runs.events.on('run', ({ state, schedule }) => {
    // A run may take longer than a test needs to move the clock: the next one is left out then, and rings all the same.
    if (state === 'running' || state === 'skipped-running') rings.push(`${schedule} ${new Date().toISOString()}`);
  });
  return { office, rings, runs };
}

test.each([
  ['a summer night', '2027-03-28T01:30:00.000Z', '2027-03-29T00:30:00.000Z'],
  ['a winter night', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
])('the alarm of %s rings at its time, and then the next night', async (_, due, next) => {
  const { office, rings, runs } = hear(new Date(Date.parse(due) - 300).toISOString());
  await office.add({ cron: '30 2 * * *' });
  runs.start();
  await vi.advanceTimersByTimeAsync(299);
  expect(rings).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(rings).toEqual([`nightly ${due}`]);
  expect(office.catalog.get('nightly').nextDue).toBe(Date.parse(next));
  await vi.advanceTimersByTimeAsync(Date.parse(next) - Date.parse(due));
  expect(rings).toEqual([`nightly ${due}`, `nightly ${next}`]);
});

test('the alarms follow the catalog: added, paused, resumed, removed', async () => {
  const { office, rings, runs } = hear('2027-01-10T12:00:00.000Z');
  runs.start();
  await office.add({ cron: '@hourly', tz: 'UTC' });
  runs.changed();
  await vi.advanceTimersByTimeAsync(3_600_000);
  office.now = Date.now();
  office.catalog.setPaused('nightly', true);
  runs.changed();
  await vi.advanceTimersByTimeAsync(3_600_000);
  office.now = Date.now();
  office.catalog.setPaused('nightly', false);
  runs.changed();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(rings).toEqual(['nightly 2027-01-10T13:00:00.000Z', 'nightly 2027-01-10T15:00:00.000Z']);
  vi.useRealTimers();
  await office.catalog.remove('nightly');
  vi.useFakeTimers({ now: Date.parse('2027-01-10T15:00:00.000Z') });
  runs.changed();
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(rings).toHaveLength(2);
});

test('a machine that slept through the time rings soon after it wakes up', async () => {
  const { office, rings, runs } = hear('2027-01-10T12:00:00.000Z');
  await office.add({ cron: '0 13 * * *', tz: 'UTC' });
  runs.start();
  // Timers do not count the time in which a machine sleeps.
  vi.setSystemTime('2027-01-10T14:00:00.000Z');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(rings).toHaveLength(1);
});

test('a clock that was years ahead rings at the next time once it is right', async () => {
  const { office, rings, runs } = hear('2027-01-10T12:00:00.000Z');
  await office.add({ cron: '0 13 * * *', tz: 'UTC' });
  runs.start();
  vi.setSystemTime('2031-05-05T05:00:00.000Z');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(rings).toHaveLength(1);
  vi.setSystemTime('2027-01-10T12:10:00.000Z');
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(rings.slice(1)).toEqual(['nightly 2027-01-10T13:00:00.000Z']);
});

test('a clock that is put back a little does not ring twice', async () => {
  const { office, rings, runs } = hear('2027-01-10T12:59:00.000Z');
  await office.add({ cron: '0 13 * * *', tz: 'UTC' });
  runs.start();
  await vi.advanceTimersByTimeAsync(90_000);
  vi.setSystemTime('2027-01-10T12:58:00.000Z');
  await vi.advanceTimersByTimeAsync(DAY_MS + 5 * 60_000);
  expect(rings).toEqual(['nightly 2027-01-10T13:00:00.000Z', 'nightly 2027-01-11T13:00:00.000Z']);
});

import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { openJobQueue } from '../../src/queue/job-queue.ts';
import { openJobSchedulers } from '../../src/queue/job-schedulers.ts';
import { openScheduleAlarms } from '../../src/sync/schedule-alarms.ts';
import { Journal } from '../queue/journal.ts';
import { type Office, openOffice } from './scheduling.ts';

const realNow = Date.now.bind(Date);

/** Moves the clock of this process, by which queues ring, and of an office; the former goes on from there. */
export function moveClock(office: Office, time: string | number): void {
  office.now = new Date(time).getTime();
  const offset = office.now - realNow();
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + offset);
}

/** The alarms of an office as a process has them; closed when the test is over. */
export async function hear(office: Office, backend: Backend) {
  const rings = new Journal<string>();
  const errors: Error[] = [];
  const alarms = await openScheduleAlarms({
    backend,
    catalog: office.catalog,
    due: (name) => rings.note(name),
    clock: Date.now,
    onError: (error) => errors.push(error),
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= alarms.close(1_000);
    return closed;
  };
  onTestFinished(async () => {
    await close();
    expect(errors).toEqual([]);
  });
  return { rings, set: alarms.set, close };
}

/** The same, and the clock stands there until it is moved: nothing is due before the test is ready for it. */
export function stopClock(office: Office, time: string | number): void {
  office.now = new Date(time).getTime();
  vi.spyOn(Date, 'now').mockReturnValue(office.now);
}

/** What is in the queue of an office, for a test to look at. */
export function look(office: Office, backend: Backend) {
  const name = `nightly-sync-${office.catalog.owner()}`;
  const job = { name: 'nightly-sync', attempts: 1 };
  const queue = openJobQueue(backend, name, job, () => {});
  const schedulers = openJobSchedulers(backend, name, job, () => {});
  onTestFinished(async () => {
    await Promise.all([queue.close(), schedulers.close()]);
  });
  return {
    next: async () =>
      Object.fromEntries([...(await schedulers.next())].map(([key, at]) => [key, new Date(at).toISOString()])),
    /** Jobs that a worker may still get at this time. */
    left: async () => {
      const { waiting, active } = await queue.depth();
      return waiting + active;
    },
  };
}

/**
 * How schedules are rung for, wherever jobs are kept.
 * @param backend opened once: every office has a queue of its own
 */
export function describeAlarms(backend: () => Backend): void {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test.each([
    ['a summer night', '2027-03-28T01:30:00.000Z', '2027-03-29T00:30:00.000Z'],
    ['a winter night', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
  ])('the alarm of %s rings at its time, and then the next night', async (_, due, next) => {
    const office = openOffice();
    const before = Date.parse(due) - 300;
    stopClock(office, before);
    await office.book.add(office.wish({ cron: '30 2 * * *' }));
    const { rings } = await hear(office, backend());
    const queue = look(office, backend());
    expect(await queue.next()).toEqual({ nightly: due });
    moveClock(office, before);
    expect(await rings.until(1)).toEqual(['nightly']);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(due));
    expect(await queue.next()).toEqual({ nightly: next });
  });

  test('the queue follows the catalog: added, paused, resumed, and removed while nobody looked', async () => {
    const office = openOffice();
    moveClock(office, '2027-01-10T12:00:00Z');
    const queue = look(office, backend());
    const first = await hear(office, backend());
    expect(await queue.next()).toEqual({});
    await office.book.add(office.wish());
    await office.book.add(office.wish({ name: 'hourly', cron: '@hourly' }));
    await first.set();
    const both = { nightly: '2027-01-11T01:30:00.000Z', hourly: '2027-01-10T13:00:00.000Z' };
    expect(await queue.next()).toEqual(both);
    office.book.pause('hourly');
    await first.set();
    expect(await queue.next()).toEqual({ nightly: both.nightly });
    office.book.resume('hourly');
    await first.set();
    expect(await queue.next()).toEqual(both);
    await first.close();
    await office.book.remove('nightly');
    await office.book.add(office.wish({ cron: '0 4 * * *', tz: 'UTC' }));
    await office.book.remove('hourly');
    await hear(office, backend());
    expect(await queue.next()).toEqual({ nightly: '2027-01-11T04:00:00.000Z' });
  });
}

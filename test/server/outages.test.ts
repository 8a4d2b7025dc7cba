import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CircuitStatus, UNUSED_CIRCUIT } from '../../src/api/region-status.ts';
import { watchOutages } from '../../src/features/notify/note.ts';

/** Notifications of an outage of the service, and their times. */

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2027-03-28T02:14:00Z') }));
afterEach(() => void vi.useRealTimers());

const away = (message = 'refused'): CircuitStatus => ({
  ...UNUSED_CIRCUIT,
  state: 'open',
  since: '2027-03-28T02:14:00.000Z',
  message,
});

function watched() {
  const told: string[] = [];
  const changed = watchOutages(({ id, reason }) => void told.push(`${id} ${reason}`));
  return { told, changed };
}

test('one that is over within a minute wakes nobody', () => {
  const { told, changed } = watched();
  changed('us', away());
  vi.advanceTimersByTime(2_000);
  changed('us', UNUSED_CIRCUIT);
  vi.advanceTimersByTime(600_000);
  expect(told).toEqual([]);
});

test('one that lasts is told once, with the last error, and once when it is over', () => {
  const { told, changed } = watched();
  changed('us', away());
  vi.advanceTimersByTime(59_999);
  expect(told).toEqual([]);
  changed('us', { ...away('timed out'), state: 'half-open' });
  vi.advanceTimersByTime(1);
  changed('us', away());
  vi.advanceTimersByTime(600_000);
  expect(told).toEqual([expect.stringMatching(/^us-away-\d+ in us, /)]);
  changed('us', UNUSED_CIRCUIT);
  expect(told).toEqual([expect.anything(), expect.stringMatching(/^us-back-\d+ .*answers again in us/)]);
});

test('a server that starts in the middle of one tells it at once', () => {
  const { told, changed } = watched();
  vi.advanceTimersByTime(60_000);
  changed('us', away());
  vi.advanceTimersByTime(0);
  expect(told).toHaveLength(1);
});

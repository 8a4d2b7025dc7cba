import { expect, test, vi } from 'vitest';
import { clock, dayAndTimeIn } from '../../src/console/format.ts';

test('a time by the clock of another time zone than the chosen one names its own', () => {
  const before = clock.value;
  clock.value = 'utc';
  expect(dayAndTimeIn('2026-11-30T17:53:00Z', 'Europe/Berlin')).toBe('Mon, 30 Nov 2026, 18:53 CET');
  expect(dayAndTimeIn('2026-11-30T17:53:00Z', 'UTC')).toBe('Mon, 30 Nov 2026, 17:53');
  clock.value = before;
});

test('where a browser has no room to keep the clock, the page works, and the choice counts until it is closed', async () => {
  const full = () => {
    throw new DOMException('no room', 'QuotaExceededError');
  };
  vi.stubGlobal('localStorage', { getItem: () => 'utc', setItem: full });
  // A copy of its own, even where another test has loaded the module already.
  const secondCopy = '../../src/console/format.ts?full';
  const { clock } = await import(secondCopy);
  expect(clock.value).toBe('utc');
  clock.value = 'local';
  expect(clock.value).toBe('local');
  vi.unstubAllGlobals();
});

import { expect, test, vi } from 'vitest';

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

import { expect, test } from 'vitest';
import { untoldWaits } from '../../src/imports/send/region.ts';

test('a 429 without a time waits twice as long each time, once for calls in flight together, until a call is answered', () => {
  let now = 1_000_000;
  const waits = untoldWaits(() => now);
  const begun = now;
  expect([waits.next(), waits.next()]).toEqual([1_000, 1_000]);
  now += 400;
  expect(waits.next()).toBe(600);
  // It was sent before the wait.
  waits.answered(begun);
  const later = Array.from({ length: 7 }, () => {
    now += 60_000;
    return waits.next();
  });
  expect(later).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  now += 60_000;
  waits.answered(now);
  expect(waits.next()).toBe(1_000);
  now -= 3_600_000;
  expect(waits.next()).toBe(2_000);
});

import { onTestFinished, vi } from 'vitest';

/** Until the end of the test, time passes only when the test says so. (While `eventually` waits, it moves the clock of fake timers on.) */
export function stopClock(): { pass(ms: number): void } {
  let now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  return {
    pass: (ms) => {
      now += ms;
    },
  };
}

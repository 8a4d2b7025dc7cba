import { expect, test, vi } from 'vitest';
import { quietly } from '../../src/platform/log.ts';

test('the same error is reported once in ten seconds, and then again; others are not held back', () => {
  vi.useFakeTimers();
  try {
    const reported: string[] = [];
    const report = quietly(({ message }) => reported.push(message));
    report(new Error('the queue is away'));
    vi.advanceTimersByTime(9_000);
    report(new Error('the queue is away'));
    report(new Error('job 1 is lost'));
    expect(reported).toEqual(['the queue is away', 'job 1 is lost']);
    vi.advanceTimersByTime(1_000);
    report(new Error('the queue is away'));
    report(new Error('job 1 is lost'));
    expect(reported).toEqual(['the queue is away', 'job 1 is lost', 'the queue is away']);
  } finally {
    vi.useRealTimers();
  }
});

import { describe, expect, test } from 'vitest';
import {
  isFinalSync,
  isSyncUnderWay,
  SYNC_STATES,
  SYNC_TRANSITIONS,
  type SyncState,
  syncTransition,
} from '../../src/membership/sync-state.ts';

/** Written out a second time on purpose: a move that is added or lost must be meant. */
const ALLOWED: readonly `${SyncState} ${SyncState}`[] = [
  'planning planned',
  'planning held',
  'planning unchanged',
  'planning tried',
  'planning failed',
  'planning cancelled',
  'planned applying',
  'planned rejected',
  'held applying',
  'held rejected',
  'applying planned',
  'applying applied',
  'applying unchanged',
  'applying incomplete',
  'applying stale',
  'applying failed',
];
const PAIRS = SYNC_STATES.flatMap((from) => SYNC_STATES.map((to) => ({ from, to })));
const isAllowed = ({ from, to }: { from: SyncState; to: SyncState }) => ALLOWED.includes(`${from} ${to}`);

test.each(PAIRS.filter(isAllowed))('a sync that is $from may become $to, for a reason', ({ from, to }) => {
  expect(syncTransition(from, to)).toBe(SYNC_TRANSITIONS[from]?.[to]);
});

test('no other move is possible, and the refusal names both states and what is possible', () => {
  for (const { from, to } of PAIRS.filter((pair) => !isAllowed(pair))) {
    expect(() => syncTransition(from, to), `${from} ${to}`).toThrow(expect.objectContaining({ code: 'WRONG_STATE' }));
  }
  expect(() => syncTransition('held', 'applied')).toThrow(
    'a sync that is held cannot become applied; possible from here: applying, rejected',
  );
  expect(() => syncTransition('stale', 'applying')).toThrow('stale is final: make a new plan');
});

describe('where a sync waits', () => {
  test('nothing is sent before it is applying, and no one is at work on it once it is over', () => {
    expect(SYNC_STATES.filter(isFinalSync)).toEqual([
      'unchanged',
      'tried',
      'failed',
      'cancelled',
      'rejected',
      'stale',
      'applied',
      'incomplete',
    ]);
    expect(SYNC_STATES.filter(isSyncUnderWay)).toEqual(['planning', 'applying']);
    expect(SYNC_STATES.filter((from) => SYNC_TRANSITIONS[from]?.applied !== undefined)).toEqual(['applying']);
  });
});

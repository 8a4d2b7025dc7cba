import { describe, expect, test } from 'vitest';
import {
  IMPORT_STATES,
  type ImportState,
  isFinal,
  nextStates,
  TRANSITIONS,
  transition,
} from '../../src/membership/import-state.ts';

/** Written out a second time on purpose: a move that is added or lost must be meant. */
const ALLOWED: readonly `${ImportState} ${ImportState}`[] = [
  'staging staged',
  'staging rejected',
  'staging aborted',
  'staging blocked',
  'staging cancelled',
  'staged running',
  'staged blocked',
  'staged cancelled',
  'running pausing',
  'running paused',
  'running cancelling',
  'running blocked',
  'running aborted',
  'running completed',
  'pausing paused',
  'pausing running',
  'pausing cancelling',
  'pausing blocked',
  'pausing aborted',
  'pausing completed',
  'paused running',
  'paused cancelling',
  'blocked staging',
  'blocked running',
  'blocked cancelling',
  'blocked cancelled',
  'cancelling cancelled',
  'cancelling completed',
  'staging failed',
  'staged failed',
  'running failed',
  'pausing failed',
  'paused failed',
  'blocked failed',
  'cancelling failed',
  'failed staging',
  'failed running',
  'failed cancelling',
  'failed cancelled',
];

const PAIRS = IMPORT_STATES.flatMap((from) => IMPORT_STATES.map((to) => ({ from, to })));
const isAllowed = ({ from, to }: { from: ImportState; to: ImportState }) => ALLOWED.includes(`${from} ${to}`);

describe('an import moves between states', () => {
  test.each(PAIRS.filter(isAllowed))('from $from to $to, for the reason that the table gives', ({ from, to }) => {
    expect(transition(from, to)).toBe(TRANSITIONS[from]?.[to]);
    expect(transition(from, to)).not.toBe('');
    expect(nextStates(from)).toContain(to);
  });

  test('and no other move is possible: each of the rest is refused, with what is possible instead', () => {
    const refused = PAIRS.filter((pair) => !isAllowed(pair));
    expect(refused).toHaveLength(IMPORT_STATES.length ** 2 - ALLOWED.length);
    for (const { from, to } of refused) {
      expect(() => transition(from, to), `${from} to ${to}`).toThrow(expect.objectContaining({ code: 'WRONG_STATE' }));
      expect(nextStates(from)).not.toContain(to);
    }
  });

  test('a refused move names both states and every state that is possible', () => {
    expect(() => transition('paused', 'completed')).toThrow(
      'an import that is paused cannot become completed; possible from here: running, cancelling',
    );
  });

  test('a refused move out of an end says that it is one', () => {
    expect(() => transition('completed', 'running')).toThrow(
      'an import that is completed cannot become running; completed is final',
    );
  });

  test('the ends are completed, cancelled, aborted and rejected, and nothing else is one', () => {
    expect(IMPORT_STATES.filter(isFinal).toSorted()).toEqual(['aborted', 'cancelled', 'completed', 'rejected']);
  });

  test('every state can be reached from staging, and from every state an end can be reached', () => {
    for (const state of IMPORT_STATES) {
      expect(reachable('staging'), `staging to ${state}`).toContain(state);
      expect([...reachable(state)].some(isFinal), `${state} to an end`).toBe(true);
    }
  });
});

function reachable(from: ImportState): Set<ImportState> {
  const seen = new Set([from]);
  for (const state of seen) for (const next of nextStates(state)) seen.add(next);
  return seen;
}

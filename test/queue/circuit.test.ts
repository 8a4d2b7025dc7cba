import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answered,
  type Circuit,
  leaveProbe,
  NEW_CIRCUIT,
  probeFailed,
  readCircuit,
  stateOf,
  takeProbe,
  unanswered,
  waitOf,
} from '../../src/queue/circuit.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { describeCircuit } from './circuit-suite.ts';
import { simulateOutage } from './outage-simulation.ts';

const refused = (at: number) => ({ at, code: 'CONNECT_FAILED', message: 'no connection' });

/** After so many calls without an answer, one every second from 0 on. */
const unansweredCalls = (calls: number) =>
  Array.from({ length: calls }, (_, second) => second * 1_000).reduce(
    (circuit, at) => unanswered(circuit, refused(at), at),
    NEW_CIRCUIT,
  );

describe('the circuit of a queue', () => {
  test('opens when several calls in a row have had no answer, for longer than others need to tell of one', () => {
    expect(stateOf(unansweredCalls(2), 2_000)).toBe('closed');
    const open = unansweredCalls(3);
    expect(open).toMatchObject({ since: 0, calls: 3, openedAt: 2_000, code: 'CONNECT_FAILED', nextTryAt: 3_000 });
    expect([stateOf(open, 2_000), waitOf(open, 2_000)]).toEqual(['open', 1_000]);
    const burst = [1, 2, 3, 4, 5].reduce((circuit, at) => unanswered(circuit, refused(at), at), NEW_CIRCUIT);
    expect(stateOf(burst, 6)).toBe('closed');
  });

  test('stays closed while other calls are answered, and counts from the last answer', () => {
    const told = answered(NEW_CIRCUIT, {}, 1_500);
    expect(unanswered(told, refused(0), 1_600)).toMatchObject({ since: 1_500, calls: 1, openedAt: null });
  });

  test('is probed by one process at a time, whose end frees the probe', () => {
    const taken = takeProbe(unansweredCalls(3), 'a', 3_000);
    expect(stateOf(taken, 3_000)).toBe('half-open');
    expect(takeProbe(taken, 'b', 60_000)).toBe(taken);
    expect(takeProbe(taken, 'b', 200_000).probe?.by).toBe('b');
    expect(takeProbe(leaveProbe(taken, 'a'), 'b', 3_000).probe?.by).toBe('b');
    expect(leaveProbe(taken, 'b')).toBe(taken);
  });

  test('that another version wrote, or no one, is closed', () => {
    for (const text of ['', '{}', 'null', '{"since":1']) expect(readCircuit(text)).toEqual(NEW_CIRCUIT);
    expect(readCircuit(JSON.stringify(unansweredCalls(3)))).toEqual(unansweredCalls(3));
  });

  test('whatever happens: an answer closes it, waits are a minute at most, and it never opens without cause', () => {
    const step = fc.tuple(
      fc.constantFrom('answered', 'unanswered', 'take', 'failed', 'leave'),
      fc.constantFrom('a', 'b'),
      fc.integer({ min: -90_000, max: 90_000 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let circuit: Circuit = NEW_CIRCUIT;
        let now = 1_000_000;
        for (const [what, by, ms] of steps) {
          now += ms;
          const before = circuit;
          if (what === 'answered') circuit = answered(before, {}, now);
          else if (what === 'unanswered') circuit = unanswered(before, refused(now), now);
          else if (what === 'take') circuit = takeProbe(before, by, now);
          else if (what === 'failed') circuit = probeFailed(before, by, refused(now), now);
          else circuit = leaveProbe(before, by);
          expect(waitOf(circuit, now)).toBeLessThanOrEqual(60_000);
          if (what === 'answered') expect(stateOf(circuit, now)).toBe('closed');
          if (circuit.openedAt !== null) expect(circuit.calls).toBeGreaterThanOrEqual(3);
          if (circuit.openedAt === null) expect(circuit.probe).toBeNull();
          if (what === 'take' && stateOf(before, now) === 'half-open') expect(circuit).toBe(before);
          expect(readCircuit(JSON.stringify(circuit))).toEqual(circuit);
        }
      }),
    );
  });
});

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe.each([
  ['refused at once', 5],
  ['silent until the call times out', 30 * SECOND],
])('a service whose calls are %s', (_, failAfterMs) => {
  test.each([
    ['20 s', 20 * SECOND],
    ['2 min', 2 * MINUTE],
    ['10 min', 10 * MINUTE],
    ['8 h', 480 * MINUTE],
  ])(
    'for %s: no job uses more than half of its attempts, the dead service is left alone, and all is well soon after',
    async (_name, ms) => {
      const { maxAttempts, lateCalls, closedAfterMs, served } = await simulateOutage({
        ms,
        failAfterMs,
        processes: 3,
      });
      expect(maxAttempts).toBeLessThanOrEqual(4);
      expect(lateCalls).toBeLessThanOrEqual(Math.max(0, ms - 2 * MINUTE) / MINUTE + 1);
      expect(closedAfterMs).toBeLessThanOrEqual(MINUTE + failAfterMs + 5 * SECOND);
      expect(served).toBeGreaterThan(100);
    },
  );
});

describeCircuit('the embedded backend', openBackend);

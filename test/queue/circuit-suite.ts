import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { readCircuit } from '../../src/queue/circuit.ts';
import { type CircuitBreaker, shareCircuit } from '../../src/queue/circuit-breaker.ts';
import { type OpenBackend, openOffice } from './queue-harness.ts';

/** Promises of every backend about the circuit that several processes share (src/queue/circuit-breaker.ts). */
export function describeCircuit(name: string, openBackend: OpenBackend): void {
  describe(`the circuit on ${name}`, () => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await openBackend();
    });
    afterAll(() => backend.close());

    /** Processes that share a queue, a clock for all of them, and what they said about the circuit. */
    const open = async (count: number) => {
      const opened = openOffice(backend).queue();
      // By a clock of its own, the queue waits longer than any test takes.
      const queue = { ...opened, slowDown: (ms: number) => opened.slowDown(ms * 1_000) };
      await queue.setCallsPerMinute(1_000_000);
      const clock = { now: 1_000_000 };
      const said: string[] = [];
      const changed = ({ openedAt }: { openedAt: number | null }) => said.push(openedAt === null ? 'closed' : 'open');
      const breakers = Array.from({ length: count }, () => shareCircuit({ queue, changed, now: () => clock.now }));
      return { queue, clock, said, breakers };
    };
    const failing = (breaker: CircuitBreaker, at: number) =>
      breaker.unanswered({ at, code: 'CONNECT_FAILED', message: 'no connection' });

    test('calls of several processes open it together, one of them says so, and no job starts', async () => {
      const { queue, clock, said, breakers } = await open(3);
      for (const breaker of breakers) expect(await breaker.admit()).toBe('go');
      for (const breaker of breakers) {
        await failing(breaker, clock.now);
        clock.now += 1_000;
      }
      expect(readCircuit(await queue.readNote('circuit'))).toMatchObject({ calls: 3, openedAt: 1_002_000 });
      expect(said).toEqual(['open']);
      expect(await queue.limitedForMs()).toBeGreaterThan(0);
    });

    test('is read once for all jobs that begin at the same time', async () => {
      const { queue, clock } = await open(0);
      let reads = 0;
      const counted = {
        ...queue,
        readNote: () => {
          reads += 1;
          return queue.readNote('circuit');
        },
      };
      const breaker = shareCircuit({ queue: counted, now: () => clock.now });
      await Promise.all(Array.from({ length: 20 }, () => breaker.admit()));
      expect(reads).toBe(1);
    });

    test('one call of all processes probes; its answer lets all of them go on', async () => {
      const { queue, clock, said, breakers } = await open(3);
      for (const ms of [0, 1_000, 2_000]) await Promise.all(breakers.map((one) => failing(one, clock.now + ms)));
      clock.now += 2_000;
      await Promise.all(breakers.map((one) => failing(one, clock.now)));
      const [first = breakers[0], ...others] = breakers;
      expect(await first?.admit()).toEqual(expect.any(Number));
      clock.now += 1_000;
      const admitted = await Promise.all([...breakers, ...breakers, ...breakers].map((one) => one.admit()));
      const probes = admitted.filter((one) => typeof one === 'object');
      expect(probes).toHaveLength(1);
      expect(await probes[0]?.failed({ at: clock.now, code: 'HTTP_503', message: '' })).toBe(2_000);
      clock.now += 2_000;
      const again = (await Promise.all(others.map((one) => one.admit()))).filter((one) => typeof one === 'object');
      expect(again).toHaveLength(1);
      await Promise.all(breakers.map((one) => one.answered(false)));
      expect(await Promise.all(breakers.map((one) => one.admit()))).toEqual(['go', 'go', 'go']);
      expect(await queue.limitedForMs()).toBe(0);
      expect(said).toEqual(['open', 'closed']);
    });

    test('calls that one process gets no answer to open nothing while those of another are answered', async () => {
      const { clock, said, breakers } = await open(2);
      const [cut, well] = breakers;
      for (let ms = 0; ms < 10_000; ms += 100) {
        clock.now += 100;
        if (cut !== undefined) expect(await failing(cut, clock.now)).toBeUndefined();
        await well?.answered(false);
      }
      expect(said).toEqual([]);
    });
  });
}

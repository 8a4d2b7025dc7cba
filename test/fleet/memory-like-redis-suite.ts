import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { NotYet, SlowDown } from '../../src/queue/job-definition.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { Journal } from '../queue/journal.ts';
import { errand, openOffice } from '../queue/queue-harness.ts';
import { startRedis } from '../servers/redis.ts';

/** The same jobs on the embedded queue and on one in Redis: both give the same answers and run the same in the same order. */

const ATTEMPTS = 3;
const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;
/** Ends of a job's start. */
const ENDS = ['fails', 'fails changed', 'slows down', 'is not begun'] as const;

type Ends = readonly (typeof ENDS)[number][];

const ids = fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: IDS.length });
const step = fc.oneof(
  { arbitrary: fc.record({ does: fc.constant('add' as const), ids, priority: fc.nat({ max: 3 }) }), weight: 3 },
  fc.record({ does: fc.constant('withdraw' as const), ids }),
);
const plan = fc.record({
  steps: fc.array(step, { maxLength: 8 }),
  ends: fc.dictionary(fc.constantFrom(...IDS), fc.array(fc.constantFrom(...ENDS), { maxLength: 5 })),
});

/** Returns the number of runs of a job that ends so. */
function runsOf(ends: Ends): number {
  const failures = ends.flatMap((end, index) => (end.startsWith('fails') ? [index + 1] : []));
  return failures[ATTEMPTS - 1] ?? ends.length + 1;
}

/** Everything that was answered and run. */
async function carriedOut(backend: Backend, { steps, ends }: { steps: readonly Step[]; ends: Record<string, Ends> }) {
  const { queue, work, givenUp } = openOffice(backend);
  const errands = queue('errands', ATTEMPTS);
  await errands.pause();
  await errands.setCallsPerMinute(1_000_000);
  const answers: unknown[] = [];
  for (const [index, one] of steps.entries()) {
    if (one.does === 'withdraw') {
      const withdrawn = await errands.withdraw((id) => one.ids.some((chosen) => chosen === id));
      answers.push(withdrawn.toSorted((a, b) => a.id.localeCompare(b.id)));
    } else {
      const { priority } = one;
      await errands.add(one.ids.map((id) => ({ id, payload: { text: `${id} of step ${index}` }, priority })));
    }
    answers.push(await errands.depth(), await errands.firstPriority(), await errands.callsPerMinute());
  }
  const { waiting } = await errands.depth();
  const runs = new Journal<object>();
  const seen = new Set<string>();
  let left = 0;
  const nth = new Map<string, number>();
  const worker = work(
    errands,
    errand(async ({ id, payload: { text }, attemptsMade, starts, isLastAttempt, update }) => {
      if (!seen.has(id)) left += runsOf(ends[id] ?? []);
      seen.add(id);
      const end = ends[id]?.[nth.get(id) ?? 0];
      nth.set(id, (nth.get(id) ?? 0) + 1);
      left -= 1;
      runs.note({ id, text, attemptsMade, starts, isLastAttempt });
      if (end === 'fails changed') await update({ text: `${text}+` });
      if (end === 'slows down') throw new SlowDown(1);
      if (end === 'is not begun') throw new NotYet(1);
      if (end !== undefined) throw new Error('no');
    }),
  );
  await errands.resume();
  await expect.poll(() => seen.size === waiting && left === 0, { interval: 5 }).toBe(true);
  const idle = { waiting: 0, delayed: 0, active: 0, setAside: 0 };
  await expect.poll(() => errands.depth(), { interval: 5 }).toEqual(idle);
  await worker.close();
  return { answers, runs: runs.entries, givenUp };
}

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Compares them in as many random plans. */
export function describeLikeRedis(numRuns: number): void {
  let embedded: Backend;
  let redis: Backend;
  beforeAll(async () => {
    const server = await startRedis();
    [embedded, redis] = await Promise.all([openBackend(), openBackend(server.url)]);
    return async () => {
      await Promise.all([embedded.close(), redis.close()]);
      await server.stop();
    };
  });

  test('the embedded queue does what one in Redis does', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (one) => {
        const [here, there] = await Promise.all([carriedOut(embedded, one), carriedOut(redis, one)]);
        expect(here).toEqual(there);
      }),
      { numRuns, endOnFailure: true },
    );
  });
}

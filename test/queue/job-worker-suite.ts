import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { type JobRun, SlowDown } from '../../src/queue/job-definition.ts';
import { Journal } from './journal.ts';
import { errand, type Note, notes, type OpenBackend, openOffice } from './queue-harness.ts';

/**
 * Promises of every backend about running jobs: attempts, budgets, and the end of a worker (src/queue/job-worker.ts).
 */
export function describeJobWorker(name: string, openBackend: OpenBackend): void {
  const idle = { waiting: 0, delayed: 0, active: 0, setAside: 0 };
  const counted = ({ attemptsMade, starts, isLastAttempt }: JobRun<Note>) => ({ attemptsMade, starts, isLastAttempt });

  describe(`running jobs on ${name}`, () => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await openBackend();
    });
    afterAll(() => backend.close());
    const office = () => openOffice(backend);

    describe('an attempt', () => {
      test('that fails is followed by another until none is left, and then the job is gone, which is said', async () => {
        const { queue, work, everyWorkerLooked, givenUp } = office();
        const errands = queue();
        const runs = new Journal<object>();
        work(
          errands,
          errand(async (job) => {
            runs.note(counted(job));
            throw new Error('no');
          }),
        );
        await errands.add(notes('a'));
        await runs.until(3);
        await expect.poll(() => errands.depth()).toEqual(idle);
        await everyWorkerLooked();
        expect(runs.entries).toEqual([
          { attemptsMade: 0, starts: 1, isLastAttempt: false },
          { attemptsMade: 1, starts: 2, isLastAttempt: false },
          { attemptsMade: 2, starts: 3, isLastAttempt: true },
        ]);
        await expect.poll(() => givenUp).toEqual([expect.stringContaining('no')]);
      });

      test('that failed is known to whoever takes the job out of the queue', async () => {
        const { queue, work } = office();
        const errands = queue();
        const runs = new Journal<string>();
        work(
          errands,
          errand(
            async ({ id }) => {
              runs.note(id);
              throw new Error('no');
            },
            { backoffMs: () => 600_000 },
          ),
        );
        await errands.add(notes('a'));
        await runs.until(1);
        await expect.poll(() => errands.depth()).toEqual({ ...idle, delayed: 1 });
        expect(await errands.withdraw(() => true)).toEqual([{ ...notes('a')[0], starts: 1 }]);
      });

      test('is not begun by a worker that leaves the job to a newer one', async () => {
        const { queue, work, givenUp } = office();
        const errands = queue();
        work(
          errands,
          errand(async () => {}),
        );
        const job = { id: 'a', payload: { text: 'a', version: 2 } };
        await errands.add([job]);
        await expect.poll(() => errands.depth()).toEqual({ ...idle, delayed: 1 });
        await expect.poll(() => givenUp).toEqual([expect.stringContaining('version 2')]);
        expect(await errands.withdraw(() => true)).toEqual([job]);
      });

      test('waits as long as the job says, which knows how often and why it failed', async () => {
        const { queue, work } = office();
        const errands = queue();
        const asked: [number, string | undefined][] = [];
        const starts = new Journal<number>();
        work(
          errands,
          errand(
            async ({ attemptsMade }) => {
              starts.note(performance.now());
              throw new RangeError(`failure ${attemptsMade}`);
            },
            {
              backoffMs: (attemptsMade, error) => {
                asked.push([attemptsMade, error instanceof RangeError ? error.message : undefined]);
                return 150 * attemptsMade;
              },
            },
          ),
        );
        await errands.add(notes('a'));
        const [first = 0, second = 0, third = 0] = await starts.until(3);
        expect(second - first).toBeGreaterThanOrEqual(145);
        expect(third - second).toBeGreaterThanOrEqual(295);
        expect(asked).toEqual([
          [1, 'failure 0'],
          [2, 'failure 1'],
        ]);
      });

      test('finds the payload that the one before left', async () => {
        const { queue, work } = office();
        const errands = queue();
        await errands.setCallsPerMinute(1_000_000);
        const seen = new Journal<string>();
        work(
          errands,
          errand(async ({ payload: { text }, update }) => {
            seen.note(text);
            await update({ text: `${text}+` });
            if (text === 'a') throw new Error('no');
            if (text === 'a+') throw new SlowDown(1);
          }),
        );
        await errands.add(notes('a'));
        expect(await seen.until(3)).toEqual(['a', 'a+', 'a++']);
      });

      test('is not used up by waiting for the service, and nothing else starts meanwhile', async () => {
        const { queue, work } = office();
        const errands = queue();
        await errands.setCallsPerMinute(1_000_000);
        const runs = new Journal<{ id: string; at: number }>();
        const attempts: object[] = [];
        await errands.add(notes('asked to wait', 'patient'));
        work(
          errands,
          errand(async (job) => {
            runs.note({ id: job.id, at: performance.now() });
            if (job.id === 'patient') return;
            attempts.push(counted(job));
            if (job.starts <= 3) throw new SlowDown(100);
          }),
        );
        const [first, next, ...others] = await runs.until(5);
        expect(attempts).toEqual([1, 2, 3, 4].map((starts) => ({ attemptsMade: 0, starts, isLastAttempt: false })));
        expect((next?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(95);
        expect((others.at(-1)?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(3 * 95);
      });

      test('is not used up by a worker that leaves before the job is done', async () => {
        const { queue, work } = office();
        const errands = queue('errands', 1);
        const runs = new Journal<object>();
        const leaving = work(
          errands,
          errand(
            async (job) => {
              runs.note(counted(job));
              await new Promise((_, reject) => {
                job.signal.addEventListener('abort', () => reject(new Error('the process leaves')));
              });
            },
            { attempts: 1 },
          ),
        );
        await errands.add(notes('a'));
        await runs.until(1);
        const closed = leaving.close();
        leaving.abort();
        await closed;
        expect(await errands.depth()).toEqual({ ...idle, waiting: 1 });
        work(
          errands,
          errand(async (job) => runs.note(counted(job)), { attempts: 1 }),
        );
        expect(await runs.until(2)).toEqual([
          { attemptsMade: 0, starts: 1, isLastAttempt: true },
          { attemptsMade: 0, starts: 2, isLastAttempt: true },
        ]);
      });
    });

    describe('the budget of a queue', () => {
      test('is kept by all of its workers together', async () => {
        const { queue, work } = office();
        const errands = queue();
        // 5 calls in 50 ms.
        await errands.setCallsPerMinute(6_000);
        const starts = new Journal<number>();
        const definition = errand(async () => starts.note(performance.now()));
        await errands.add(notes(...Array.from({ length: 100 }, (_, index) => `job-${index}`)));
        const begin = performance.now();
        work(errands, definition, 10);
        work(errands, definition, 10);
        const times = await starts.until(100);
        // 20 windows: 19 of them are waited for, and one is allowed for the clocks.
        expect((times.at(-1) ?? 0) - begin).toBeGreaterThanOrEqual(18 * 50);
      });

      test('is closed by a wait, for everyone', async () => {
        const { queue, work, everyWorkerLooked } = office();
        const [here, there] = [queue(), queue()];
        await here.setCallsPerMinute(1_000_000);
        const ran = new Journal<string>();
        work(
          there,
          errand(async ({ id }) => ran.note(id)),
        );
        expect(await there.limitedForMs()).toBe(0);
        await here.slowDown(600_000);
        await here.add(notes('a'));
        await everyWorkerLooked();
        expect(ran.entries).toEqual([]);
        expect(await there.limitedForMs()).toBeGreaterThan(300_000);
      });

      test('stays closed for the longest of the waits, in whatever order they come', async () => {
        const errands = office().queue();
        await errands.setCallsPerMinute(600);
        await errands.slowDown(20_000);
        await errands.slowDown(600_000);
        await errands.slowDown(1_000);
        expect(await errands.limitedForMs()).toBeGreaterThan(300_000);
      });

      test('stays closed for the longest of the waits that come at the same time', async () => {
        const errands = office().queue();
        await errands.setCallsPerMinute(600);
        await Promise.all([1_000, 600_000, 500, 20_000].map((waitMs) => errands.slowDown(waitMs)));
        expect(await errands.limitedForMs()).toBeGreaterThan(300_000);
      });
    });

    describe('a worker', () => {
      test('runs as many jobs at the same time as its concurrency says, which can be changed', async () => {
        const { door, queue, work, everyWorkerLooked } = office();
        const errands = queue();
        const running = new Journal<string>();
        const doors = new Map(['a', 'b', 'c', 'd', 'e'].map((id) => [id, door()]));
        const worker = work(
          errands,
          errand(async ({ id }) => {
            running.note(id);
            await doors.get(id)?.opened;
          }),
          2,
        );
        await errands.add(notes(...doors.keys()));
        await running.until(2);
        await everyWorkerLooked();
        expect(running.entries.toSorted()).toEqual(['a', 'b']);
        // It is looked at whenever a job ends.
        worker.setConcurrency(3);
        doors.get('a')?.open();
        await running.until(4);
        await everyWorkerLooked();
        expect(running.entries.toSorted()).toEqual(['a', 'b', 'c', 'd']);
      });

      test('closes when its running jobs have finished, and takes no more', async () => {
        const { door, queue, work } = office();
        const errands = queue();
        const events = new Journal<string>();
        const { opened, open } = door();
        const worker = work(
          errands,
          errand(async ({ id }) => {
            events.note(`${id} began`);
            await opened;
            events.note(`${id} ended`);
          }),
        );
        await errands.add(notes('a', 'b'));
        await events.until(1);
        const closed = worker.close().then(() => events.note('closed'));
        open();
        await closed;
        expect(events.entries).toEqual(['a began', 'a ended', 'closed']);
        expect(await errands.depth()).toEqual({ ...idle, waiting: 1 });
      });
    });
  });
}

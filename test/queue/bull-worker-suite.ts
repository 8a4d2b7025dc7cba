import { type Job, Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { prefixOf } from '../../src/queue/bull-backend.ts';
import type { JobRun } from '../../src/queue/job-definition.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { parseQueueAddress } from '../../src/queue/queue-address.ts';
import { Journal } from './journal.ts';
import { errand, type Note, notes, openOffice } from './queue-harness.ts';

/**
 * Promises of workers whose jobs are on a server: other processes die, and other programs write there
 * (src/queue/bull-backend.ts).
 */
export function describeBullWorker(newAddress: () => string): void {
  const idle = { waiting: 0, delayed: 0, active: 0, setAside: 0 };
  const counted = ({ attemptsMade, starts, isLastAttempt }: JobRun<Note>) => ({ attemptsMade, starts, isLastAttempt });

  describe("a server's jobs", () => {
    let url: string;
    let backend: Backend;
    beforeAll(async () => {
      url = newAddress();
      backend = await openBackend(url);
    });
    afterAll(() => backend.close());
    const office = () => openOffice(backend);

    test('BullMQ does not read the payload of a job that has succeeded: the worker has let go of it', async () => {
      const read: string[] = [];
      const done = new Journal<unknown>();
      // BullMQ calls the processor in it.
      const bull = Worker.prototype as unknown as { callProcessJob(job: Job, ...rest: unknown[]): Promise<void> };
      const { callProcessJob } = bull;
      const watch = vi.spyOn(bull, 'callProcessJob').mockImplementation(async function (this: Worker, job, ...rest) {
        await Reflect.apply(callProcessJob, this, [job, ...rest]);
        expect(job.data).toBeUndefined();
        Object.defineProperty(job, 'data', { get: () => read.push(String(new Error('payload read').stack)) });
        this.once('completed', ({ id }) => done.note(id));
      });
      onTestFinished(() => watch.mockRestore());
      const { queue, work, everyWorkerLooked } = office();
      const errands = queue();
      work(
        errands,
        errand(async () => {}),
      );
      await errands.add(notes('a', 'b', 'c'));
      await done.until(3);
      await everyWorkerLooked();
      expect(read).toEqual([]);
      expect(await errands.depth()).toEqual(idle);
    });

    test('a worker that may run many jobs runs the first before it has fetched as many: its lock would run out', async () => {
      let fetched = 0;
      const bull = Worker.prototype as unknown as { moveToActive(...given: readonly unknown[]): Promise<unknown> };
      const { moveToActive } = bull;
      const watch = vi.spyOn(bull, 'moveToActive').mockImplementation(function (this: Worker, ...given) {
        fetched += 1;
        return Reflect.apply(moveToActive, this, given);
      });
      onTestFinished(() => watch.mockRestore());
      const { queue, work } = office();
      const errands = queue();
      await errands.add(notes(...Array.from({ length: 20 }, (_, index) => `e${index}`)));
      const fetchedBefore = new Journal<number>();
      const ended = Promise.withResolvers<void>();
      const errandOfAll = errand(() => {
        fetchedBefore.note(fetched);
        return ended.promise;
      });
      work(errands, errandOfAll, 20);
      const runs = await fetchedBefore.until(20);
      ended.resolve();
      expect(runs[0]).toBeLessThan(8);
    });

    test('an attempt that a dying worker never ended is made by another one, which sees that it was begun', async () => {
      const { queue, work } = office();
      const errands = queue();
      const begun = new Journal<string>();
      // A worker as it is after kill -9: it holds the job, and no longer renews its lock.
      const dead = new Worker(
        errands.name,
        async ({ id }) => {
          begun.note(id ?? '');
          await new Promise<void>(() => {});
        },
        {
          connection: { url },
          prefix: prefixOf(parseQueueAddress(url), errands.name),
          lockDuration: 500,
          skipLockRenewal: true,
          skipStalledCheck: true,
        },
      );
      await errands.add(notes('a'));
      await begun.until(1);
      await dead.close(true);
      const runs = new Journal<object>();
      work(
        errands,
        errand(async (job) => {
          // People see that a worker lost it.
          expect(await errands.inspect()).toMatchObject({ stalled: 1 });
          runs.note(counted(job));
        }),
      );
      expect(await runs.until(1)).toEqual([{ attemptsMade: 0, starts: 2, isLastAttempt: false }]);
    });

    test('an attempt whose payload is not one of this job is not made: it is set aside', async () => {
      const { queue, work, givenUp } = office();
      const errands = queue();
      const ran = new Journal<string>();
      work(
        errands,
        errand(async ({ id }) => ran.note(id)),
      );
      await errands.add([{ id: 'a', payload: JSON.parse('{"text": 5}') }]);
      await expect.poll(() => errands.depth()).toMatchObject({ waiting: 0, delayed: 0, active: 0, setAside: 1 });
      await expect
        .poll(() => givenUp)
        .toEqual([expect.stringMatching(/^job a was set aside: its payload cannot be read: .*expected string/)]);
      expect(ran.entries).toEqual([]);
    });
  });
}

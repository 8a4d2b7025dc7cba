import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bullBackend, type Driver } from '../../src/queue/bull-backend.ts';
import type { JobRun } from '../../src/queue/define-job.ts';
import { Journal } from './journal.ts';
import { errand, type Note, notes, openOffice } from './queue-harness.ts';

/**
 * Promises of workers whose jobs are on a server: other processes die, and other programs write there
 * (src/queue/bull-backend.ts).
 */
export function describeBullWorker(name: string, openDriver: () => Promise<Driver>): void {
  const idle = { waiting: 0, delayed: 0, active: 0, setAside: 0 };
  const counted = ({ attemptsMade, starts, isLastAttempt }: JobRun<Note>) => ({ attemptsMade, starts, isLastAttempt });

  describe(`a server's jobs on ${name}`, () => {
    let driver: Driver;
    beforeAll(async () => {
      driver = await openDriver();
    });
    afterAll(() => driver.close());
    const office = () => openOffice(bullBackend(driver));

    test('BullMQ does not read the payload of a job that has succeeded: the worker has let go of it', async () => {
      const read: string[] = [];
      const done = new Journal<unknown>();
      const watched: Driver = {
        ...driver,
        worker: (queueName, process, options) => {
          const run: typeof process = async (job, ...rest) => {
            await process(job, ...rest);
            expect(job.data).toBeUndefined();
            Object.defineProperty(job, 'data', { get: () => read.push(String(new Error('payload read').stack)) });
          };
          return driver.worker(queueName, run, options).on('completed', ({ id }) => done.note(id));
        },
      };
      const { queue, work, everyWorkerLooked } = openOffice(bullBackend(watched));
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

    test('an attempt that a dying worker never ended is made by another one, which sees that it was begun', async () => {
      const { queue, work } = office();
      const errands = queue();
      const begun = new Journal<string>();
      // A worker as it is after kill -9: it holds the job, and no longer renews its lock.
      const dead = driver.worker(
        errands.name,
        async ({ id }) => {
          begun.note(id ?? '');
          await new Promise<void>(() => {});
        },
        { lockDuration: 500, skipLockRenewal: true, skipStalledCheck: true },
      );
      await errands.add(notes('a'));
      await begun.until(1);
      await dead.close(true);
      const runs = new Journal<object>();
      work(
        errands,
        errand(async (job) => runs.note(counted(job))),
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
      await expect.poll(() => givenUp).toEqual([expect.stringContaining('expected string')]);
      expect(ran.entries).toEqual([]);
    });
  });
}

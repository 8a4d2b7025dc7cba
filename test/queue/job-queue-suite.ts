import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { LAST_PRIORITY } from '../../src/queue/job-queue.ts';
import { ANY_CHARACTER } from '../any-character.ts';
import { Journal } from './journal.ts';
import { errand, type Note, notes, type OpenBackend, openOffice } from './queue-harness.ts';

/** Promises of every backend about the jobs in a queue (src/queue/job-queue.ts). */
export function describeJobQueue(name: string, openBackend: OpenBackend): void {
  const idle = { waiting: 0, delayed: 0, active: 0, setAside: 0 };

  describe(`a queue on ${name}`, () => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await openBackend();
    });
    afterAll(() => backend.close());
    const office = () => openOffice(backend);

    test('runs every job once, with its id and its payload, in the order in which they came', async () => {
      const { queue, work } = office();
      const errands = queue();
      const ran = new Journal<[string, Note]>();
      await errands.add(notes('a', 'b', 'c'));
      work(
        errands,
        errand(async ({ id, payload }) => ran.note([id, payload])),
      );
      await errands.add(notes('d'));
      expect(await ran.until(4)).toEqual(['a', 'b', 'c', 'd'].map((id) => [id, { text: id }]));
      await expect.poll(() => errands.depth()).toEqual(idle);
    });

    test('runs jobs of a lower priority number first, whenever they came, and those of one priority in their order', async () => {
      const { queue, work } = office();
      const errands = queue();
      const withPriority = (priority: number, ...ids: string[]) => notes(...ids).map((job) => ({ ...job, priority }));
      expect(await errands.firstPriority()).toBe(0);
      await errands.add(withPriority(LAST_PRIORITY, 'z'));
      await errands.add([...withPriority(3, 'c'), ...withPriority(2, 'b', 'b-too')]);
      await errands.add([...withPriority(3, 'c-too'), ...withPriority(1, 'a')]);
      expect(await errands.firstPriority()).toBe(1);
      const ran = new Journal<string>();
      work(
        errands,
        errand(async ({ id }) => ran.note(id)),
      );
      expect(await ran.until(6)).toEqual(['a', 'b', 'b-too', 'c', 'c-too', 'z']);
      await expect.poll(() => errands.depth()).toEqual(idle);
      expect(await errands.firstPriority()).toBe(0);
    });

    test('the first priority is that of a running job where none waits', async () => {
      const { queue, work } = office();
      const errands = queue();
      await errands.add(notes('a').map((job) => ({ ...job, priority: 7 })));
      const [began, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      work(
        errands,
        errand(() => {
          began.resolve();
          return mayEnd.promise;
        }),
      );
      await began.promise;
      expect(await errands.firstPriority()).toBe(7);
      mayEnd.resolve();
    });

    test('counts and withdraws jobs with a priority like any others, also while it is paused', async () => {
      const errands = office().queue();
      await errands.pause();
      await errands.add([...notes('a'), ...notes('b', 'c').map((job) => ({ ...job, priority: 7 }))]);
      expect(await errands.depth()).toEqual({ ...idle, waiting: 3 });
      expect(await errands.withdraw((id) => id !== 'b')).toEqual(expect.arrayContaining(notes('a', 'c')));
      expect(await errands.depth()).toEqual({ ...idle, waiting: 1 });
      expect(await errands.firstPriority()).toBe(7);
    });

    test('gives a payload out as it was put in, whatever characters are in it', async () => {
      const errands = office().queue();
      const text = fc.string({ unit: ANY_CHARACTER, maxLength: 60 }).map((any) => any.replaceAll('\0', ''));
      await fc.assert(
        fc.asyncProperty(fc.array(text, { maxLength: 5 }), async (texts) => {
          const jobs = texts.map((one, index) => ({ id: `job-${index}`, payload: { text: one } }));
          await errands.add(jobs);
          const withdrawn = await errands.withdraw(() => true);
          expect(withdrawn.sort((a, b) => a.id.localeCompare(b.id))).toEqual(jobs);
        }),
        { numRuns: 20, endOnFailure: true },
      );
    });

    test('keeps the first of two jobs with one id as long as that is in the queue', async () => {
      const errands = office().queue();
      const job = (text: string) => ({ id: 'a', payload: { text } });
      await errands.add([job('first'), job('second in the same breath')]);
      await errands.add([job('third')]);
      expect(await errands.depth()).toEqual({ ...idle, waiting: 1 });
      expect(await errands.withdraw(() => true)).toEqual([job('first')]);
    });

    test('takes a second job with the id of one that is under way for the same job', async () => {
      const { door, queue, work, everyWorkerLooked } = office();
      const errands = queue();
      const ran = new Journal<string>();
      const { opened, open } = door();
      work(
        errands,
        errand(async ({ id }) => {
          ran.note(id);
          await opened;
        }),
      );
      await errands.add(notes('a'));
      await ran.until(1);
      await errands.add(notes('a'));
      open();
      await expect.poll(() => errands.depth()).toEqual(idle);
      await everyWorkerLooked();
      expect(ran.entries).toEqual(['a']);
    });

    test('takes an id again once its job is done', async () => {
      const { queue, work } = office();
      const errands = queue();
      const ran = new Journal<string>();
      work(
        errands,
        errand(async ({ id }) => ran.note(id)),
      );
      await errands.add(notes('a'));
      // Depths are read one after the other: before a worker has it, a job on its way may be in none of them.
      await ran.until(1);
      await expect.poll(() => errands.depth()).toEqual(idle);
      await errands.add(notes('a'));
      expect(await ran.until(2)).toEqual(['a', 'a']);
    });

    test('takes more jobs than fit into one round trip', async () => {
      const errands = office().queue();
      const ids = Array.from({ length: 1_101 }, (_, index) => `job-${index}`);
      await errands.add(notes(...ids));
      expect(await errands.depth()).toEqual({ ...idle, waiting: 1_101 });
    });

    test('holds what a map would hold, however adding and withdrawing follow each other', async () => {
      const errands = office().queue();
      const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 4 });
      const steps = fc.array(fc.record({ kind: fc.constantFrom('add', 'withdraw'), ids }), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(steps, async (plan) => {
          const model = new Map<string, string>();
          for (const [step, { kind, ids: chosen }] of plan.entries()) {
            if (kind === 'add') {
              await errands.add(chosen.map((id) => ({ id, payload: { text: `step ${step}` } })));
              for (const id of chosen) if (!model.has(id)) model.set(id, `step ${step}`);
            } else {
              const withdrawn = await errands.withdraw((id) => chosen.some((one) => one === id));
              const expected = chosen.filter((id) => model.has(id)).map((id) => [id, model.get(id)]);
              expect(withdrawn.map(({ id, payload }) => [id, payload.text]).sort()).toEqual(expected.sort());
              for (const id of chosen) model.delete(id);
            }
            expect((await errands.depth()).waiting).toBe(model.size);
          }
          await errands.withdraw(() => true);
        }),
        { numRuns: 20, endOnFailure: true },
      );
    });

    test('gives back jobs that wait for a worker or for their next attempt, and none that is running', async () => {
      const { door, queue, work } = office();
      const errands = queue();
      const ran = new Journal<string>();
      const { opened, open } = door();
      const definition = errand(
        async ({ id, update }) => {
          ran.note(id);
          if (id === 'running') return opened;
          await update({ text: 'tried' });
          throw new Error('not now');
        },
        { backoffMs: () => 600_000 },
      );
      await errands.add(notes('job-delayed', 'running', 'waiting', 'kept'));
      work(errands, definition);
      await ran.until(2);
      expect(await errands.depth()).toEqual({ waiting: 2, delayed: 1, active: 1, setAside: 0 });
      const withdrawn = await errands.withdraw((id) => id !== 'kept');
      expect(withdrawn.sort((a, b) => a.id.localeCompare(b.id))).toEqual([
        { id: 'job-delayed', payload: { text: 'tried' }, starts: 1 },
        { id: 'waiting', payload: { text: 'waiting' } },
      ]);
      expect(await errands.depth()).toEqual({ waiting: 1, delayed: 0, active: 1, setAside: 0 });
      open();
      expect((await ran.until(3)).slice(1)).toEqual(['running', 'kept']);
    });

    test('tells since when the next job waits, and that no worker lost one', async () => {
      const { door, queue, work } = office();
      const errands = queue();
      expect(await errands.inspect()).toEqual({ nextAddedAt: undefined, stalled: 0 });
      const from = Date.now();
      await errands.add(notes('running', 'first').map((job) => ({ ...job, priority: 1 })));
      const until = Date.now();
      await errands.add(notes('later').map((job) => ({ ...job, priority: 2 })));
      const { opened } = door();
      work(
        errands,
        errand(async () => opened),
      );
      await expect.poll(() => errands.depth()).toMatchObject({ waiting: 2, active: 1 });
      const { nextAddedAt = 0, stalled } = await errands.inspect();
      // The clock of a server is its own.
      expect(nextAddedAt).toBeGreaterThanOrEqual(from - 1_000);
      expect(nextAddedAt).toBeLessThanOrEqual(until + 1_000);
      expect(stalled).toBe(0);
    });

    test('starts nothing while it is paused, finishes what runs, and goes on when resumed', async () => {
      const { door, queue, work, everyWorkerLooked } = office();
      const errands = queue();
      const ran = new Journal<string>();
      const { opened, open } = door();
      work(
        errands,
        errand(async ({ id }) => {
          if (id === 'running') await opened;
          ran.note(id);
        }),
      );
      await errands.add(notes('running', 'waiting'));
      await expect.poll(() => errands.depth()).toEqual({ waiting: 1, delayed: 0, active: 1, setAside: 0 });
      await errands.pause();
      open();
      await errands.add(notes('added later'));
      await ran.until(1);
      await everyWorkerLooked();
      expect(ran.entries).toEqual(['running']);
      expect(await errands.depth()).toEqual({ waiting: 2, delayed: 0, active: 0, setAside: 0 });
      await errands.resume();
      expect(await ran.until(3)).toEqual(['running', 'waiting', 'added later']);
    });

    test('tells its depth and gives jobs back while it is paused', async () => {
      const errands = office().queue();
      await errands.pause();
      await errands.add(notes('a', 'b'));
      expect(await errands.depth()).toEqual({ ...idle, waiting: 2 });
      expect(await errands.withdraw((id) => id === 'a')).toEqual(notes('a'));
      expect(await errands.depth()).toEqual({ ...idle, waiting: 1 });
    });

    test('is paused for everyone who has it open', async () => {
      const { queue } = office();
      const [here, there] = [queue(), queue()];
      expect(await there.isPaused()).toBe(false);
      await here.pause();
      expect(await there.isPaused()).toBe(true);
      await there.resume();
      expect(await here.isPaused()).toBe(false);
    });

    test('has nothing to do with a queue of another name', async () => {
      const { queue } = office();
      const [here, there] = [queue('here'), queue('there')];
      await here.add(notes('a'));
      await here.pause();
      expect(await there.depth()).toEqual(idle);
      expect(await there.isPaused()).toBe(false);
      expect(await there.withdraw(() => true)).toEqual([]);
      expect(await here.depth()).toEqual({ ...idle, waiting: 1 });
    });
  });
}

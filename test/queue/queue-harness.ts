import { stdSerializers } from 'pino';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Backend } from '../../src/queue/backend.ts';
import type { JobDefinition, JobRun } from '../../src/queue/job-definition.ts';
import type { JobQueue } from '../../src/queue/job-queue.ts';
import type { JobWorker } from '../../src/queue/job-worker.ts';
import { Journal } from './journal.ts';

/** A backend, opened once for all tests of a suite: each has queues of its own. Closing it leaves nothing behind. */
export type OpenBackend = () => Promise<Backend>;

/** The payload of these tests. */
export interface Note {
  readonly text: string;
}

type Errand = JobDefinition<Note, undefined>;

export const errand = (process: (job: JobRun<Note>) => Promise<void>, settings: Partial<Errand> = {}): Errand => ({
  name: 'errand',
  version: 1,
  payload: z.object({ text: z.string() }),
  attempts: 3,
  backoffMs: () => 0,
  process,
  ...settings,
});

export interface Office {
  /** Opens a queue, the same one for the same name, closed when the test is over. */
  queue(name?: string, attempts?: number): JobQueue<Note>;
  /** Messages about jobs that used up their attempts, or that a worker left to others. */
  readonly givenUp: readonly string[];
  /** Starts a worker, which has ended when the test is over. */
  work(queue: JobQueue<Note>, definition: Errand, concurrency?: number): JobWorker;
  /** A door before which a job can be made to wait. The end of the test opens it. */
  door(): Door;
  /** Resolves when every idle worker has had its turn: jobs added now to a queue of their own have come and gone. */
  everyWorkerLooked(): Promise<void>;
}

/** Shut until it is opened. */
interface Door {
  readonly opened: Promise<void>;
  open(): void;
}

let offices = 0;

/** Queues and workers of one test. It fails when one of them reports an error. */
export function openOffice(backend: Backend): Office {
  const errors: Error[] = [];
  const givenUp: string[] = [];
  onTestFinished(() => {
    if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join('; '));
  });
  const onError = (error: Error) => {
    // Such jobs are reported as well, and these tests have them on purpose.
    if (/was given up|is left to a newer worker|was set aside|is lost/.test(error.message))
      givenUp.push(stdSerializers.err(error).message);
    else errors.push(error);
  };
  const suffix = `${process.pid}-${++offices}`;

  const doors: Door[] = [];
  let looks = 0;
  const office: Office = {
    givenUp,
    door: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const door = { opened: promise, open: resolve };
      doors.push(door);
      return door;
    },
    queue: (name = 'errands', attempts = 3) => {
      const queue = backend.openQueue<Note>(`${name}-${suffix}`, { name: 'errand', attempts }, onError);
      onTestFinished(() => queue.close());
      return queue;
    },
    work: (queue, definition, concurrency = 1) => {
      const worker = backend.startWorker({
        queue,
        definitions: [definition],
        ports: undefined,
        concurrency,
        onError,
      });
      onTestFinished(async () => {
        for (const { open } of doors) open();
        const closed = worker.close();
        worker.abort();
        await closed;
      });
      return worker;
    },
    everyWorkerLooked: async () => {
      const queue = office.queue(`look-${++looks}`);
      const seen = new Journal<string>();
      office.work(
        queue,
        errand(async ({ id }) => seen.note(id)),
      );
      for (const [index, id] of ['first', 'second', 'third'].entries()) {
        await queue.add([{ id, payload: { text: '' } }]);
        await seen.until(index + 1);
      }
    },
  };
  return office;
}

/** Jobs with these ids, each with its id as text. */
export function notes(...ids: readonly string[]): { id: string; payload: Note }[] {
  return ids.map((id) => ({ id, payload: { text: id } }));
}

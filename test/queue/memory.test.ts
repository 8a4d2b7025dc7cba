import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { SlowDown } from '../../src/queue/job-definition.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { Journal } from './journal.ts';
import { errand, notes, openOffice } from './queue-harness.ts';

/** Promises of the embedded queue only: shared parts, and those that a process which runs alone can rely on. */

async function open(): Promise<Backend> {
  const backend = await openBackend();
  onTestFinished(() => backend.close());
  return backend;
}

/** The queue and its workers get as far as they can without waiting for time. */
const microtasks = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => {
  vi.useRealTimers();
});

test('queues of one name in one backend are one queue, in another backend another', async () => {
  const [backend, other] = [await open(), await open()];
  const parts = ['errands', { name: 'errand', attempts: 1 }, () => {}] as const;
  const [here, there, elsewhere] = [backend, backend, other].map((one) => one.openQueue(...parts));
  await here?.add(notes('a'));
  expect(await there?.depth()).toMatchObject({ waiting: 1 });
  expect(await elsewhere?.depth()).toMatchObject({ waiting: 0 });
  expect(await there?.withdraw(() => true)).toEqual(notes('a'));
});

test('an idle worker is woken by a job, by one that is due again, at the end of a pause and of a wait, and by more room', async () => {
  const { door, queue, work } = openOffice(await open());
  const errands = queue();
  const ran = new Journal<string>();
  const { opened } = door();
  const definition = errand(
    async ({ id, attemptsMade }) => {
      ran.note(id);
      if (id === 'again' && attemptsMade === 0) throw new Error('not now');
      if (id === 'stays') await opened;
    },
    { backoffMs: () => 30 },
  );
  const worker = work(errands, definition);
  await errands.add(notes('a'));
  await ran.until(1);
  await errands.add(notes('again'));
  await ran.until(3);
  await errands.pause();
  await errands.add(notes('paused'));
  await microtasks();
  await errands.resume();
  await ran.until(4);
  await errands.setCallsPerMinute(1_000_000);
  await errands.slowDown(600_000);
  await errands.add(notes('held back'));
  await microtasks();
  await errands.endWait();
  await ran.until(5);
  await errands.slowDown(20);
  await errands.add(notes('stays', 'has no room'));
  await ran.until(6);
  worker.setConcurrency(2);
  await ran.until(7);
  expect(ran.entries).toEqual(['a', 'again', 'again', 'paused', 'held back', 'stays', 'has no room']);
});

test('jobs that went back together run in the order in which they came, before others', async () => {
  const { queue, work } = openOffice(await open());
  const errands = queue();
  await errands.setCallsPerMinute(1_000_000);
  const ran = new Journal<string>();
  await errands.add(notes('a', 'b', 'c'));
  work(
    errands,
    errand(async ({ id, starts }) => {
      ran.note(id);
      if (id !== 'c' && starts === 1) throw new SlowDown(20);
    }),
    2,
  );
  expect(await ran.until(5)).toEqual(['a', 'b', 'a', 'b', 'c']);
});

test('a worker that leaves lets another one have what it would have taken next', async () => {
  const { queue, work } = openOffice(await open());
  const errands = queue();
  const ran = new Journal<string>();
  const leaving = work(
    errands,
    errand(async () => ran.note('by the one that leaves')),
  );
  work(
    errands,
    errand(async () => ran.note('by the other')),
  );
  await errands.setCallsPerMinute(1_000_000);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  await errands.slowDown(60);
  await errands.add(notes('a'));
  await microtasks();
  await leaving.close();
  vi.advanceTimersByTime(60);
  expect(await ran.until(1)).toEqual(['by the other']);
});

test('a job that is due again does not wait until a clock that was set back has caught up', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { queue, work } = openOffice(await open());
  const errands = queue();
  const ran = new Journal<string>();
  work(
    errands,
    errand(
      async ({ id, attemptsMade }) => {
        ran.note(id);
        if (attemptsMade === 0) throw new Error('not now');
      },
      { backoffMs: () => 30 },
    ),
  );
  await errands.add(notes('a'));
  await ran.until(1);
  vi.setSystemTime(Date.now() - 7_200_000);
  expect(await ran.until(2)).toEqual(['a', 'a']);
});

test('a queue that is closed does not keep the process alive, although a job waits for its next attempt', async () => {
  const script = `
    import { openBackend } from '${new URL('../../src/queue/open-backend.ts', import.meta.url).href}';
    const backend = await openBackend();
    const definition = {
      name: 'errand', version: 1, attempts: 2, backoffMs: () => 600_000,
      process: async () => { throw new Error('not now'); },
    };
    const queue = backend.openQueue('errands', definition, () => {});
    backend.startWorker({ queue, definitions: [definition], ports: undefined, concurrency: 1, onError: () => {} });
    await queue.add([{ id: 'a', payload: {} }]);
    while ((await queue.depth()).delayed === 0) await new Promise(setImmediate);
    await backend.close();
    console.log('closed');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout).toBe('closed\n');
});

test('no timer is set below zero where the process was away while it looked how long to wait', async () => {
  const { queue, work } = openOffice(await open());
  const errands = queue();
  const ran = new Journal<string>();
  const definition = errand(
    async ({ id, attemptsMade }) => {
      ran.note(id);
      if (attemptsMade === 0) throw new Error('not now');
    },
    { backoffMs: () => 150 },
  );
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 100;
    return now;
  });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => void [clock, timers].map((spy) => spy.mockRestore()));
  work(errands, definition);
  await errands.add(notes('a'));
  await ran.until(2);
  const waits = timers.mock.calls.map(([, ms = 0]) => ms);
  expect(waits).toContain(0);
  expect(Math.min(...waits)).toBe(0);
});

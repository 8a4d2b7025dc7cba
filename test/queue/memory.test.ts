import { FlowProducer, type Job, QueueEvents } from 'bullmq';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { memoryBackends } from '../../src/queue/memory/memory-backend.ts';
import { QueueState } from '../../src/queue/memory/queue-state.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { Journal } from './journal.ts';

/** What only the embedded queue has to prove: what it shares, and what a process that runs alone can rely on. */

async function open(): Promise<Backend> {
  const backend = await openBackend();
  onTestFinished(() => backend.close());
  return backend;
}

function openQueue(backend: Backend, name = 'errands') {
  const queue = backend.queue(name, { defaultJobOptions: { removeOnComplete: true } });
  onTestFinished(() => queue.close());
  return queue;
}

function work(backend: Backend, process: (job: Job) => Promise<void>, concurrency = 1) {
  const worker = backend.worker('errands', process as never, { concurrency });
  onTestFinished(() => worker.close(true));
  return worker;
}

/** As a worker that takes jobs by hand. */
const taker = (options: { lockMs?: number } = {}) => ({
  closing: undefined as Promise<void> | undefined,
  lockMs: 1_000,
  name: undefined,
  limiter: undefined,
  ...options,
});

const errand = (id: string) => ({ id, name: 'errand', data: '{}', opts: {}, timestamp: Date.now() });

/** Workers in memory get as far as they can without waiting for time. */
const microtasks = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => {
  vi.useRealTimers();
});

describe('what is shared', () => {
  test('queues of one name in one backend are one queue, in another backend another', async () => {
    const [backend, other] = [await open(), await open()];
    const [here, there, elsewhere] = [openQueue(backend), openQueue(backend), openQueue(other)];
    await here.add('errand', { text: 'a' }, { jobId: 'a' });
    expect((await there.getJob('a'))?.data).toEqual({ text: 'a' });
    expect(await elsewhere.getJob('a')).toBeUndefined();
  });

  test('a job shares nothing with who added it, nor with who got it before', async () => {
    const queue = openQueue(await open());
    const data = { list: ['a'], gone: undefined };
    const backoff = { type: 'fixed', delay: 5 };
    await queue.add('errand', data, { jobId: 'a', backoff });
    data.list.push('b');
    backoff.delay = 6;
    const first = await queue.getJob('a');
    if (first === undefined) throw new Error('it is not there');
    (first.data as typeof data).list.push('c');
    (first.opts.backoff as typeof backoff).delay = 7;
    const second = await queue.getJob('a');
    expect(second?.data).toStrictEqual({ list: ['a'] });
    expect(second?.opts.backoff).toEqual({ type: 'fixed', delay: 5 });
  });
});

describe('a worker of a queue in memory', () => {
  test('keeps its job as long as it is open, however long it could not renew the lock', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const queue = new QueueState();
    const worker = taker();
    queue.add(errand('a'));
    queue.take('token', worker);
    expect(queue.returnStalled(1, 0)).toEqual([]);
    vi.setSystemTime(Date.now() + 60_000);
    expect(queue.returnStalled(1, 0)).toEqual([]);
    expect(queue.extendLock('a', 'token', 1_000, worker)).toBe(true);
    queue.returnStalled(1, 0);
    // It left without finishing it: the lock has a second to go.
    worker.closing = Promise.resolve();
    expect(queue.returnStalled(1, 0)).toEqual([]);
    vi.setSystemTime(Date.now() + 1_001);
    expect(queue.returnStalled(1, 0)).toEqual(['a']);
    expect(() => queue.finish('a', 'token', 'completed', 'null', { count: 0 })).toThrow('Missing lock for job a');
  });

  test('gives a job up that it could not end often enough', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const queue = new QueueState();
    queue.add(errand('a'));
    for (const reason of [undefined, undefined, 'job stalled more than allowable limit']) {
      const worker = taker();
      expect(queue.take('token', worker).job?.deferredFailure).toBe(reason);
      worker.closing = Promise.resolve();
      queue.returnStalled(1, 0);
      vi.setSystemTime(Date.now() + 1_001);
      expect(queue.returnStalled(1, 0)).toEqual(['a']);
    }
  });

  test('that is idle is woken by a job, by a delayed one when it is due, and by one that was held back', async () => {
    const backend = await open();
    const queue = openQueue(backend);
    const ran = new Journal<string>();
    work(backend, async ({ id = '' }) => ran.note(id));
    await queue.add('errand', {}, { jobId: 'a' });
    await ran.until(1);
    await queue.add('errand', {}, { jobId: 'b-later', delay: 30 });
    await ran.until(2);
    await queue.pause();
    await queue.add('errand', {}, { jobId: 'c-held' });
    await queue.resume();
    await ran.until(3);
    await queue.setGlobalConcurrency(0);
    await queue.add('errand', {}, { jobId: 'd-held' });
    await queue.removeGlobalConcurrency();
    expect(await ran.until(4)).toEqual(['a', 'b-later', 'c-held', 'd-held']);
  });

  test('that leaves lets another one have the job that it was woken for', async () => {
    const backend = await open();
    const queue = openQueue(backend);
    const ran = new Journal<string>();
    await queue.setGlobalRateLimit(1, 1);
    const leaving = work(backend, async () => ran.note('by the one that leaves'));
    await microtasks();
    work(backend, async () => ran.note('by the other'));
    await microtasks();
    // The first one is woken, and asked to come back later.
    await backend.lengthenWait(queue, 60);
    await queue.add('errand', {}, { jobId: 'a' });
    await microtasks();
    await leaving.close();
    expect(await ran.until(1)).toEqual(['by the other']);
  });

  test('waits without a timer that would keep the process alive', async () => {
    const queue = new QueueState();
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    queue.add({ ...errand('a'), opts: { delay: 600_000 } });
    const { ended, cancel } = queue.waiters.wait();
    expect(timers()).toBe(before);
    cancel();
    expect(await ended).toBe('cancelled');
  });

  test('is not left waiting when the queue is closed', async () => {
    const backend = await openBackend();
    const worker = backend.worker('errands', async () => {}, {});
    const waited = worker.getBackend().waitForJob(60);
    await backend.close();
    expect(await waited).toMatchObject({ score: Number.POSITIVE_INFINITY });
    await worker.close();
  });
});

describe('what is not supported says so', () => {
  const factory = memoryBackends(() => new QueueState());
  const connection = {};

  test('a job with a parent, deduplication', async () => {
    const queue = openQueue(await open());
    await expect(queue.add('errand', {}, { parent: { id: 'p', queue: 'q' } })).rejects.toThrow(
      'the embedded queue does not support jobs with a parent',
    );
    await expect(queue.add('errand', {}, { deduplication: { id: 'd' } })).rejects.toThrow(
      'does not support deduplication',
    );
    expect(await queue.getJobCounts('waiting')).toEqual({ waiting: 0 });
  });

  test('job schedulers', async () => {
    const queue = openQueue(await open());
    await expect(queue.upsertJobScheduler('nightly', { every: 1_000 }, { name: 'errand' })).rejects.toThrow(
      'does not support job schedulers',
    );
    expect(await queue.getJobSchedulers()).toEqual([]);
    expect(await queue.removeJobScheduler('nightly')).toBe(false);
  });

  test('flows', async () => {
    const flows = new FlowProducer({ connection }, factory as never);
    await expect(flows.add({ name: 'errand', queueName: 'errands' })).rejects.toThrow('does not support flows');
  });

  test('events', () => {
    expect(() => new QueueEvents('errands', { connection, autorun: false }, factory as never)).toThrow(
      'does not support QueueEvents',
    );
  });
});

test('a delayed job does not wait until a clock that was set back has caught up', () => {
  const HOUR_MS = 3_600_000;
  const queue = new QueueState();
  queue.promoteDue(5 * HOUR_MS);
  const times = { timestamp: 5 * HOUR_MS, opts: { delay: 100 } };
  for (const id of ['first', 'second']) queue.add({ id, name: 'errand', data: '{}', ...times });
  // Two hours earlier, and then when they are due.
  queue.promoteDue(3 * HOUR_MS);
  queue.promoteDue(3 * HOUR_MS + 90);
  expect(queue.wait.size).toBe(0);
  queue.promoteDue(3 * HOUR_MS + 100);
  expect(queue.wait.sorted().map(({ id }) => id)).toEqual(['first', 'second']);
});

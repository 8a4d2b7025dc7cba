import { Job, type JobsOptions, type KeepJobs, UnrecoverableError } from 'bullmq';
import fc from 'fast-check';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Backend, BullQueue, BullWorker } from '../../src/queue/backend.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { startRedis } from '../servers/redis.ts';

/**
 * The same operations on a queue in memory and on one in Redis, at the same times: both give the same answers, hold the
 * same jobs in the same order, and refuse the same. The clock is the test's own; what Redis times by itself (locks, rate
 * limits) lasts longer than a test.
 */

const LONG_MS = 1_000_000_000;
const STATES = ['waiting', 'prioritized', 'delayed', 'active', 'completed', 'failed'] as const;
const START = Date.parse('2027-03-01T00:00:00Z');

/** One queue, with a worker that takes jobs only when it is asked to. */
interface Side {
  readonly queue: BullQueue;
  readonly worker: BullWorker;
  /** Jobs that were taken and not given back, in that order, with the token that they were taken with. */
  readonly taken: { job: Job; token: string }[];
}

interface Step {
  /** Ms that pass before. */
  readonly pass: number;
  readonly does: string;
  run(side: Side): Promise<unknown>;
}

let tokens = 0;

async function take(side: Side, token: string): Promise<unknown> {
  const [json, id, limitedMs, dueAt] = await side.worker.getBackend().moveToActive(token, 'one');
  return accept(side, token, json, id, limitedMs, dueAt);
}

function accept(
  { worker, taken }: Side,
  token: string,
  json: unknown,
  id: unknown,
  limitedMs: unknown,
  dueAt: unknown,
) {
  if (!json) return { limited: Number(limitedMs) > 0, dueAt: Number(dueAt ?? 0) };
  const job = Job.fromJSON(worker as never, json as never, String(id));
  taken.push({ job, token });
  return look(job);
}

/** The n-th of the jobs that a worker has, taken out of them; undefined when it has none. */
function pick({ taken }: Side, n: number) {
  return taken.length === 0 ? undefined : taken.splice(n % taken.length, 1)[0];
}

function look(job: Job | undefined) {
  if (job === undefined) return undefined;
  const { id, name, data, opts, progress, delay, priority, timestamp, attemptsStarted, attemptsMade } = job;
  const { finishedOn, processedOn, processedBy, failedReason, stacktrace, returnvalue } = job;
  return {
    ...{
      id,
      name,
      data,
      opts: withoutNulls(opts),
      progress,
      delay,
      priority,
      timestamp,
      attemptsStarted,
      attemptsMade,
    },
    ...{ finishedOn, processedOn, processedBy, failedReason, stacktrace, returnvalue },
  };
}

/** Redis keeps no option that is null; to BullMQ it is as one that is absent. */
function withoutNulls(opts: JobsOptions): unknown {
  return JSON.parse(JSON.stringify(opts), (_, value) => value ?? undefined);
}

/** Everything that can be seen of a queue. */
async function everythingOf({ queue }: Side) {
  const ranges = STATES.flatMap((state) => [
    queue.getRanges([state], 0, -1, true),
    queue.getRanges([state], 0, -1, false),
    queue.getRanges([state], 0, 1, false),
    queue.getRanges([state], 0, 0, true),
  ]);
  const ids = await Promise.all(ranges);
  const known = [...new Set(ids.flat())].sort();
  return {
    ids,
    counts: await queue.getJobCounts(),
    priorities: await queue.getCountsPerPriority([0, 1, 2, 3]),
    soon: await queue.getDelayedCount(Date.now() + 2_000),
    paused: await queue.isPaused(),
    maxed: await queue.isMaxed(),
    limited: (await queue.getRateLimitTtl()) > 0,
    limit: await queue.getGlobalRateLimit(),
    concurrency: await queue.getGlobalConcurrency(),
    jobs: await Promise.all(
      known.map(async (id) => ({
        ...look((await queue.getJob(id)) as Job | undefined),
        state: await queue.getJobState(id),
        logs: await queue.getJobLogs(id),
      })),
    ),
  };
}

async function answerOf(side: Side, step: Step): Promise<unknown> {
  try {
    return { answer: await step.run(side) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { error: error.message, code: 'code' in error ? error.code : undefined };
  }
}

// What may be done.

const id = fc.constantFrom('a-1', 'b-2', 'c-3', 'd-4', undefined);
const someId = fc.constantFrom('a-1', 'b-2', 'c-3', 'd-4', '1', '2', '5');
const keep = fc.constantFrom<boolean | number | KeepJobs>(
  true,
  false,
  2,
  { count: 1 },
  { age: 1 },
  { age: 3, count: 2 },
);
const options: fc.Arbitrary<JobsOptions> = fc.record(
  {
    priority: fc.constantFrom(0, 1, 2, 3),
    delay: fc.constantFrom(0, 1_000, 2_500),
    lifo: fc.boolean(),
    attempts: fc.constantFrom(1, 2, 5, 5),
    backoff: fc.constantFrom({ type: 'fixed', delay: 1_000 }, 0, 0),
    removeOnComplete: keep,
    removeOnFail: keep,
  },
  { requiredKeys: [] },
);
const data = fc.constantFrom<unknown>(
  { n: 1 },
  { a: undefined, list: [undefined, 'ä'] },
  'text',
  null,
  [],
  new Date(0),
);
const newJob = fc.record({ data, opts: fc.record({ id, options }) });
const which = fc.nat({ max: 9 });

const step = (does: string, run: Step['run']): Omit<Step, 'pass'> => ({ does, run });
const withJob = (does: string, run: (job: Job, side: Side) => Promise<unknown>) =>
  someId.map((one) =>
    step(`${does} ${one}`, async (side) => {
      const job = (await side.queue.getJob(one)) as Job | undefined;
      return job === undefined ? 'none' : run(job, side);
    }),
  );
const jobOptions = ({ id: jobId, options: rest }: { id: string | undefined; options: JobsOptions }) =>
  jobId === undefined ? rest : { ...rest, jobId };

/** The way of a job: what happens most. */
const daily: fc.Arbitrary<Omit<Step, 'pass'>>[] = [
  newJob.map(({ data: payload, opts }) =>
    step(`add ${JSON.stringify(opts)}`, async ({ queue }) => (await queue.add('errand', payload, jobOptions(opts))).id),
  ),
  fc.array(newJob, { maxLength: 4 }).map((jobs) =>
    step(`add ${jobs.length} jobs ${JSON.stringify(jobs.map(({ opts }) => opts))}`, async ({ queue }) => {
      const bulk = jobs.map(({ data: payload, opts }) => ({ name: 'errand', data: payload, opts: jobOptions(opts) }));
      return (await queue.addBulk(bulk)).map((job) => job.id);
    }),
  ),
  fc.constant(step('take', (side) => take(side, `token-${tokens}`))),
  fc.constant(step('take', (side) => take(side, `token-${tokens}`))),
  fc
    .tuple(which, fc.boolean(), fc.constantFrom(undefined, 7, { sum: 1 }), fc.boolean())
    .map(([n, next, value, wrong]) =>
      step(`complete ${n}, fetch next ${next}, wrong token ${wrong}`, async (side) => {
        const one = pick(side, n);
        if (one === undefined) return 'none';
        const result = await one.job.moveToCompleted(value as never, wrong ? 'other' : one.token, next);
        const [json, nextId, limitedMs, dueAt] = (result ?? []) as unknown[];
        return [one.job.finishedOn, accept(side, one.token, json, nextId, limitedMs, dueAt)];
      }),
    ),
  fc.tuple(which, fc.boolean(), fc.boolean()).map(([n, next, forGood]) =>
    step(`fail ${n}, fetch next ${next}, for good ${forGood}`, async (side) => {
      const one = pick(side, n);
      if (one === undefined) return 'none';
      const error = forGood ? new UnrecoverableError('never') : new Error('not now');
      error.stack = `Error: at ${n}`;
      const result = await one.job.moveToFailed(error, one.token, next);
      const [json, nextId, limitedMs, dueAt] = (result ?? []) as unknown[];
      return [one.job.finishedOn, accept(side, one.token, json, nextId, limitedMs, dueAt)];
    }),
  ),
];

const others: fc.Arbitrary<Omit<Step, 'pass'>>[] = [
  fc.tuple(which, fc.constantFrom(0, 800, 3_000)).map(([n, ms]) =>
    step(`delay ${n} by ${ms}`, async (side) => {
      const one = pick(side, n);
      return one?.job.moveToDelayed(Date.now() + ms, one.token);
    }),
  ),
  which.map((n) =>
    step(`put ${n} back`, async (side) => {
      const one = pick(side, n);
      return one === undefined ? 'none' : Number(await one.job.moveToWait(one.token)) > 0;
    }),
  ),
  fc.tuple(which, fc.boolean()).map(([n, right]) =>
    step(`renew lock of ${n}`, async ({ taken, worker }) => {
      const one = taken[n % Math.max(1, taken.length)];
      return one && worker.getBackend().extendLocks([one.job.id ?? ''], [right ? one.token : 'other'], LONG_MS);
    }),
  ),
  fc
    .tuple(someId, fc.constantFrom('completed', 'failed'), fc.boolean(), fc.boolean())
    .map(([one, state, made, started]) =>
      step(`retry ${one}, which ${state}`, async ({ queue }) => {
        const job = await queue.getJob(one);
        await job?.retry(state as 'failed', { resetAttemptsMade: made, resetAttemptsStarted: started });
      }),
    ),
  withJob('promote', (job) => job.promote()),
  withJob('change delay of', (job) => job.changeDelay(1_200)),
  withJob('raise', (job) => job.changePriority({ priority: 1, lifo: true })),
  withJob('lower', (job) => job.changePriority({ priority: 3 })),
  withJob('take the priority of', (job) => job.changePriority({ priority: 0 })),
  withJob('change data of', (job) => job.updateData({ changed: [1, undefined] } as never)),
  withJob('tell progress of', (job) => job.updateProgress({ percent: 50 })),
  withJob('log of', (job) => job.log(`row ${Date.now()}`)),
  withJob('clear log of', (job) => job.clearLogs(1)),
  someId.map((one) => step(`remove ${one}`, ({ queue }) => queue.remove(one))),
  someId.map((one) => step(`update progress of ${one}, known or not`, ({ queue }) => queue.updateJobProgress(one, 5))),
  fc.constant(step('pause', ({ queue }) => queue.pause())),
  fc.constant(step('resume', ({ queue }) => queue.resume())),
  fc.boolean().map((delayed) => step(`drain, delayed ${delayed}`, ({ queue }) => queue.drain(delayed))),
  fc
    .tuple(
      fc.constantFrom('completed', 'failed', 'wait', 'active', 'delayed', 'prioritized'),
      fc.constantFrom(0, 1_000),
      fc.constantFrom(0, 1),
    )
    .map(([state, grace, limit]) =>
      step(`clean ${state}, older than ${grace}, limit ${limit}`, ({ queue }) =>
        queue.clean(grace, limit, state as 'wait'),
      ),
    ),
  fc.boolean().map((force) => step(`obliterate, force ${force}`, ({ queue }) => queue.obliterate({ force }))),
  fc
    .constantFrom('completed', 'failed')
    .map((state) =>
      step(`retry all that ${state}`, ({ queue }) => queue.retryJobs({ state: state as 'failed', count: 1 })),
    ),
  fc.constant(step('promote all', ({ queue }) => queue.promoteJobs({ count: 1 }))),
  fc.constantFrom(1, 2, 9).map((most) => step(`concurrency ${most}`, ({ queue }) => queue.setGlobalConcurrency(most))),
  fc.constant(step('no concurrency', ({ queue }) => queue.removeGlobalConcurrency())),
  fc.constantFrom(1, 3).map((max) => step(`limit ${max}`, ({ queue }) => queue.setGlobalRateLimit(max, LONG_MS))),
  fc.constant(step('no limit', ({ queue }) => queue.removeGlobalRateLimit())),
  fc.constant(step('hold', ({ queue }) => queue.rateLimit(LONG_MS))),
  fc.constant(step('hold no more', ({ queue }) => queue.removeRateLimitKey())),
];

const steps = fc.array(
  fc
    .tuple(
      fc.constantFrom(0, 0, 1, 1_000, 2_000),
      fc.oneof({ arbitrary: fc.oneof(...daily), weight: 2 }, { arbitrary: fc.oneof(...others), weight: 1 }),
    )
    .map(([pass, { does, run }]) => ({
      pass,
      does,
      run,
      toString: () => `${pass} ms later: ${does}`,
    })),
  { maxLength: 40, size: 'max' },
);

let queues = 0;

function openSide(backend: Backend, name: string): Side {
  const queue = backend.queue(name, {});
  const worker = backend.worker(name, async () => {}, { autorun: false, lockDuration: LONG_MS, name: 'one' });
  queue.on('error', () => {});
  worker.on('error', () => {});
  return { queue, worker, taken: [] };
}

/** Compares them in as many random sequences of operations. */
export function describeLikeRedis(numRuns: number): void {
  let memory: Backend;
  let redis: Backend;
  beforeAll(async () => {
    const server = await startRedis();
    [memory, redis] = await Promise.all([openBackend(), openBackend(server.url)]);
    return async () => {
      await Promise.all([memory.close(), redis.close()]);
      await server.stop();
    };
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a queue in memory does what one in Redis does', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        vi.useFakeTimers({ toFake: ['Date'], now: START });
        const name = `law-${++queues}`;
        const sides = [openSide(memory, name), openSide(redis, name)] as const;
        try {
          await Promise.all(sides.flatMap(({ queue, worker }) => [queue.waitUntilReady(), worker.waitUntilReady()]));
          for (const one of plan) {
            vi.setSystemTime(Date.now() + one.pass);
            tokens += 1;
            const [here, there] = await Promise.all(sides.map((side) => answerOf(side, one)));
            expect(here, String(one)).toEqual(there);
            const [held, expected] = await Promise.all(sides.map(everythingOf));
            expect(held, String(one)).toEqual(expected);
          }
        } finally {
          vi.useRealTimers();
          await Promise.all(sides.flatMap(({ queue, worker }) => [worker.close(true), queue.close()]));
        }
      }),
      { numRuns, endOnFailure: true },
    );
  });
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchPayload } from '../../jobs/batch-payload.ts';
import { type BatchSource, createFairQueue, type FairQueue, PER_ROUND } from '../../src/imports/send/fair-queue.ts';
import { type JobQueue, LAST_PRIORITY } from '../../src/queue/job-queue.ts';
import { eventually } from '../eventually.ts';
import { runs } from '../runs.ts';

/** One server behind a queue that keeps the promise of `QueuedJob.priority`. */
class Region {
  readonly waiting: { readonly priority: number; readonly batch: number; readonly sender: Sender }[] = [];
  readonly fairQueue: FairQueue;
  readonly senders: Sender[] = [];

  constructor(bound: number, leftOver = 0) {
    const firstPriority = async () => this.waiting[0]?.priority ?? leftOver;
    this.fairQueue = createFairQueue({ firstPriority } as JobQueue<BatchPayload>, bound);
  }

  /** An import of this many batches begins. */
  begin(size: number): Sender {
    const sender = new Sender(this, size);
    this.senders.push(sender);
    this.fairQueue.join(sender);
    this.fairQueue.changed(sender);
    return sender;
  }

  inFlight(): number {
    return this.senders.reduce((sum, { inFlight }) => sum + inFlight.size, 0);
  }

  /** The next batch is served; undefined when none waits. */
  async serve(): Promise<Sender | undefined> {
    await quiet();
    const job = this.waiting.shift();
    if (job === undefined) return undefined;
    const { sender } = job;
    sender.served += 1;
    sender.inFlight.delete(job.batch);
    this.fairQueue.served(job.priority);
    this.fairQueue.changed(sender);
    await quiet();
    return sender;
  }
}

class Sender implements BatchSource {
  readonly inFlight = new Map<number, { readonly priority: number }>();
  dispatched = 0;
  served = 0;
  readonly region: Region;
  readonly size: number;

  constructor(region: Region, size: number) {
    this.region = region;
    this.size = size;
  }

  get isDone(): boolean {
    return this.served === this.size;
  }

  async dispatch(most: number, priorityOf: (nth: number) => number): Promise<number> {
    const count = Math.min(most, this.size - this.dispatched);
    for (let nth = 0; nth < count; nth += 1) {
      const batch = this.dispatched++;
      const priority = priorityOf(nth);
      this.inFlight.set(batch, { priority });
      const { waiting } = this.region;
      const behind = waiting.findIndex((job) => job.priority > priority);
      waiting.splice(behind < 0 ? waiting.length : behind, 0, { priority, batch, sender: this });
    }
    await Promise.resolve();
    return count;
  }
}

/** Everything that follows from what was done has been done. */
const quiet = () => new Promise((resolve) => setImmediate(resolve));

/** Maximum lead of an import over another one while both have something to send. */
const LEAD = 3 * PER_ROUND;

test('while two imports have batches to send, none gets more than a few rounds ahead of the other, and no more are out than is allowed', async () => {
  const imports = fc.array(fc.record({ after: fc.nat(80), size: fc.integer({ min: 1, max: 150 }) }), {
    minLength: 1,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(imports, fc.integer({ min: 2 * PER_ROUND, max: 300 }), async (plan, bound) => {
      const region = new Region(bound);
      const toBegin = [...plan];
      /** For every import, how many of the others were served when it began. */
      const atBegin = new Map<Sender, number[]>();
      let untilNext = 0;
      for (;;) {
        if (untilNext-- <= 0) {
          const next = toBegin.shift();
          if (next !== undefined) {
            atBegin.set(
              region.begin(next.size),
              region.senders.map(({ served }) => served),
            );
            untilNext = next.after;
          }
        }
        const served = await region.serve();
        expect(region.inFlight()).toBeLessThanOrEqual(bound);
        if (served === undefined && toBegin.length === 0) break;
        if (served?.isDone) {
          region.fairQueue.leave(served);
          // It has had its share: no one got more than it meanwhile, but for the lead.
          for (const [index, other] of region.senders.entries()) {
            const meanwhile = other.served - (atBegin.get(served)?.[index] ?? 0);
            if (other !== served) expect(meanwhile).toBeLessThanOrEqual(served.size + LEAD);
          }
        }
      }
      for (const { served, dispatched, size } of region.senders) expect([served, dispatched]).toEqual([size, size]);
    }),
    { numRuns: runs(100), endOnFailure: true },
  );
});

test('an import that begins is served next, however many batches of others wait', async () => {
  const region = new Region(2_000);
  const big = region.begin(5_000);
  for (let n = 0; n < 500; n += 1) await region.serve();
  expect(region.waiting.length).toBeGreaterThan(1_500);
  const small = region.begin(3);
  const order = [];
  while (!small.isDone) order.push(await region.serve());
  expect(order.filter((one) => one === big).length).toBeLessThanOrEqual(PER_ROUND);
});

test('a late result of an early batch does not set the clock back', () => {
  const { fairQueue } = new Region(200);
  fairQueue.served(7);
  fairQueue.served(3);
  expect(fairQueue.current()).toBe(7);
});

test('who had nothing to send has saved nothing up', async () => {
  const region = new Region(200);
  const idle = region.begin(1);
  const busy = region.begin(2_000);
  for (let n = 0; n < 1_000; n += 1) await region.serve();
  Object.assign(idle, { size: 500 });
  region.fairQueue.changed(idle);
  const before = busy.served;
  for (let n = 0; n < 200; n += 1) await region.serve();
  expect(idle.served).toBeGreaterThanOrEqual(100 - LEAD);
  expect(busy.served - before).toBeGreaterThanOrEqual(100 - LEAD);
});

test('withdrawn batches are not a debt: an import that continues shares as if it began', async () => {
  const region = new Region(2_000);
  const paused = region.begin(3_000);
  region.begin(3_000);
  for (let n = 0; n < 100; n += 1) await region.serve();
  // Pauses: waiting batches go back to the import.
  region.waiting.splice(0, region.waiting.length, ...region.waiting.filter(({ sender }) => sender !== paused));
  paused.dispatched -= paused.inFlight.size;
  paused.inFlight.clear();
  for (let n = 0; n < 100; n += 1) await region.serve();
  const before = paused.served;
  region.fairQueue.changed(paused);
  for (let n = 0; n < 200; n += 1) await region.serve();
  expect(Math.abs(paused.served - before - 100)).toBeLessThanOrEqual(LEAD);
});

test('new rounds come behind those of jobs that are in the queue already', async () => {
  const region = new Region(100, 700);
  region.begin(1);
  await quiet();
  expect(region.waiting.map(({ priority }) => priority)).toEqual([700]);
});

test('who asks has as many places in a round as an import, and shares them with no other asker', async () => {
  const { fairQueue } = new Region(200, 700);
  const roundsOf = async (asker: object, questions: number) => {
    const asked = [];
    for (let n = 0; n < questions; n += 1) asked.push(await fairQueue.ask(asker));
    return asked;
  };
  const [check, exported] = [{}, {}];
  expect(await roundsOf(check, 2 * PER_ROUND)).toEqual([...Array(PER_ROUND).fill(700), ...Array(PER_ROUND).fill(701)]);
  expect(await roundsOf(exported, 1)).toEqual([700]);
  fairQueue.answered(701);
  expect(await roundsOf({}, 1)).toEqual([701]);
  expect(await roundsOf(check, 1)).toEqual([702]);
});

test('an asker without a question under way has saved nothing up, and owes nothing', async () => {
  const region = new Region(200);
  const asker = {};
  const asked = [];
  for (let n = 0; n < 5 * PER_ROUND; n += 1) asked.push(await region.fairQueue.ask(asker));
  for (const _ of asked) region.fairQueue.answered(1);
  region.fairQueue.queue.firstPriority = async () => 30;
  expect(await region.fairQueue.ask(asker)).toBe(30);
});

test('at the last round nothing more goes out until the queue is empty, and then the rounds start again at one', async () => {
  let leftOver = LAST_PRIORITY - 2;
  const region = new Region(100);
  region.fairQueue.queue.firstPriority = async () => leftOver;
  const sender = region.begin(250);
  await quiet();
  leftOver = 0;
  const priorities = [];
  while (!sender.isDone) {
    priorities.push(region.waiting[0]?.priority);
    await region.serve();
  }
  expect(Math.max(...priorities.map(Number))).toBe(LAST_PRIORITY);
  expect(priorities.slice(0, 100)).toEqual(
    priorities.slice(0, 100).toSorted((one, other) => Number(one) - Number(other)),
  );
  expect(priorities.at(-1)).toBeLessThan(20);
});

test.each([
  { others: 0, piece: 100 },
  { others: 1, piece: PER_ROUND },
])(
  'the queue is filled again long before it is empty, $piece batches at a time beside $others',
  async ({ others, piece }) => {
    const region = new Region(200);
    const senders = Array.from({ length: 1 + others }, () => region.begin(1_000));
    const dispatched = () => senders.reduce((sum, sender) => sum + sender.dispatched, 0);
    await eventually(dispatched).toBe(200);
    for (let served = 1; served < piece; served += 1) await region.serve();
    expect(dispatched()).toBe(200);
    await region.serve();
    await eventually(dispatched).toBe(200 + piece);
  },
);

import { DelayedError, type Job, type JobJson, RateLimitError, Worker } from 'bullmq';
import { type BullSettings, SETTLED, startsOf, timesLeftAlone } from './bull-queue.ts';
import {
  type JobWorker,
  type JobWorkerOptions,
  jobRunner,
  LEFT_JOB_WAIT_MS,
  LOCK_MS,
  STALLED_CHECK_MS,
} from './job-worker.ts';
import { type Found, isWhole, keptIn, setAside, setAsideDamaged } from './kept-jobs.ts';
import { AGAIN_MS, isWaitedFor } from './patience.ts';

/** Jobs that are fetched and have not begun. */
const FETCHED_AHEAD = 4;

type Bull = Worker<unknown, void, string>;
type BullJob = Job<unknown, void, string>;

class BullWorker extends Worker<unknown, void, string> {
  /** Returns how many there were. @param ended one that may be in no list any more */
  declare setAsideDamaged: (ended: string | undefined) => Promise<number>;
  /** Ids of jobs that could not be read. */
  readonly unread = new Set<string>();
  /** Jobs that run here, or are next. */
  readonly inHand = new Set<BullJob>();
  // The constructor of BullMQ's worker sets the concurrency, before a field of this class would have its value.
  declare private most: number;
  declare private begun: number | undefined;

  override get concurrency(): number {
    return this.most;
  }

  override set concurrency(concurrency: number) {
    this.most = concurrency;
    this.makeRoom(0);
  }

  /**
   * BullMQ fetches one job after the other and begins none before it has as many as may run: far from the server, the
   * locks of the first ones would run out meanwhile.
   */
  private makeRoom(change: number): void {
    this.begun = (this.begun ?? 0) + change;
    super.concurrency = Math.min(this.most, this.begun + FETCHED_AHEAD);
  }

  override async processJob(...job: Parameters<Bull['processJob']>) {
    this.makeRoom(1);
    try {
      return await super.processJob(...job);
    } finally {
      this.inHand.delete(job[0]);
      this.makeRoom(-1);
    }
  }

  /** BullMQ asks again at once after an error, some ten thousand times a second. */
  protected override moveToActive(...given: Parameters<Bull['moveToActive']>) {
    return this.pastDamage(async () => {
      try {
        return await super.moveToActive(...given);
      } catch (error) {
        if (isWaitedFor(error)) await this.delay(AGAIN_MS);
        throw error;
      }
    });
  }

  protected override handleCompleted(...given: Parameters<Bull['handleCompleted']>) {
    return this.pastDamage(() => super.handleCompleted(...given), given[1]);
  }

  protected override handleFailed(...given: Parameters<Bull['handleFailed']>) {
    return this.pastDamage(() => super.handleFailed(...given), given[1]);
  }

  /** Takes no job where the next one is damaged, or the one that has `ended`, and sets that one aside. */
  private async pastDamage(next: () => Promise<BullJob>, ended?: BullJob): Promise<BullJob> {
    try {
      return await next();
    } catch (error) {
      if (ended) this.inHand.delete(ended);
      if (isWaitedFor(error) || (await this.setAsideDamaged(ended?.id)) === 0) throw error;
      return undefined as unknown as BullJob;
    }
  }

  /** Other programs may write options too: only those are taken that rollcall gives its jobs. */
  protected override createJob(json: JobJson, id: string): BullJob {
    try {
      if (!isWhole(json)) throw new Error(`job ${id} is damaged`);
      const { attempts, history, telemetry } = json.opts;
      const opts = { ...SETTLED, attempts: Number.isSafeInteger(attempts) ? attempts : 1, history, telemetry };
      const job = super.createJob({ ...json, opts: opts as JobJson['opts'] }, id);
      this.inHand.add(job);
      return job;
    } catch (error) {
      this.unread.add(id);
      throw error;
    }
  }
}

export function startWorker<Payload, Ports>(
  { bull, patiently, history }: BullSettings,
  options: JobWorkerOptions<Payload, Ports>,
): JobWorker {
  const runner = jobRunner(options);
  const tell = (id: string, reason: string, found: Found) => {
    if (found === 'set-aside') options.onError(new Error(`job ${id} was set aside: ${reason}`));
    if (found === 'lost') options.onError(new Error(`job ${id} is lost: Redis has no payload of it any more`));
  };
  const worker = new BullWorker(
    options.queue.name,
    async (job, token) => {
      const id = job.id ?? '';
      const aside = async (reason: string): Promise<never> => {
        tell(id, reason, await patiently(() => setAside(kept, id, reason)));
        // Nothing is left that could be moved.
        throw new DelayedError();
      };
      const next = await runner.run({
        id,
        name: job.name,
        data: job.data,
        addedAt: job.timestamp,
        attemptsMade: job.attemptsMade,
        starts: startsOf(job, await patiently(history.known)),
        read: async (schema) => {
          const read = schema.safeParse(job.data);
          return read.success ? read.data : aside(`its payload cannot be read: ${read.error.issues[0]?.message ?? ''}`);
        },
        update: (changed) => patiently(() => job.updateData(changed)),
      });
      // BullMQ's list of what has run keeps finished jobs in memory for a while; the payload is most of a job.
      if (next === 'done') job.data = undefined;
      // Not a start in which anything was tried: it must not look as if a worker had died with it.
      const left = timesLeftAlone(job) + 1;
      if (next === 'left' || next === 'untried') await patiently(() => job.updateProgress(left));
      if (next === 'left') {
        await patiently(() => job.moveToDelayed(Date.now() + LEFT_JOB_WAIT_MS, token));
        throw new DelayedError();
      }
      if (next !== 'done') throw new RateLimitError();
    },
    {
      ...bull,
      concurrency: options.concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      // A crash is not the job's fault: it would otherwise fail for good at the second one, attempts left or not.
      maxStalledCount: 20,
      maximumRateLimitDelay: 2_000,
      settings: {
        backoffStrategy: (attemptsMade, _type, error, job) => runner.backoffMs(job, attemptsMade, error),
      },
    },
  );
  const kept = keptIn(bull.connection, worker);
  worker.setAsideDamaged = async (ended) => {
    const unread = new Set(worker.unread);
    worker.unread.clear();
    const running = new Set(Array.from(worker.inHand, ({ id = '' }) => id));
    return setAsideDamaged(kept, { running, unread, ended }, tell);
  };
  worker.on('error', options.onError);
  worker.on('failed', (job, error) => {
    // Called for every failed attempt; only the last one matters.
    if (job?.finishedOn !== undefined) runner.givenUp(job, error);
  });
  return {
    setConcurrency: (concurrency) => {
      worker.concurrency = concurrency;
    },
    ...runner.ending(() => worker.close()),
  };
}

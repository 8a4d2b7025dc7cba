import { DelayedError, type Job, type JobJson, Queue, RateLimitError, UnrecoverableError, Worker } from 'bullmq';
import type { z } from 'zod';
import type { Backend, QueueTelemetry } from './backend.ts';
import type { JobDefinition } from './define-job.ts';
import { historiesOf } from './history.ts';
import { type JobQueue, MAX_INSPECTED, MAX_SET_ASIDE, type QueuedJob } from './job-queue.ts';
import {
  type JobWorker,
  type JobWorkerOptions,
  jobRunner,
  LEFT_JOB_WAIT_MS,
  LOCK_MS,
  STALLED_CHECK_MS,
} from './job-worker.ts';
import { limitWindow } from './limit-window.ts';
import { AGAIN_MS, createPatience, type Patience, patient } from './patience.ts';
import type { QueueAddress } from './queue-address.ts';
import { connectPatiently, type RedisConnection, risksOf } from './redis.ts';
import { sharedFlow } from './redis-flow.ts';
import { isWaitedFor } from './waited-for.ts';

/** Jobs in Redis or Valkey, which processes share. */
export function openBull(
  address: QueueAddress,
  onError: (error: Error) => void,
  ca?: string,
  telemetry?: QueueTelemetry,
): Backend {
  const connection = connectPatiently(address, onError, ca);
  const patiently = createPatience(onError);
  const histories = historiesOf(connection);
  const bull = { connection, ...(telemetry !== undefined && { telemetry }) };
  const settingsOf = (queue: string) => {
    const prefix = prefixOf(address, queue);
    return { bull: { ...bull, prefix }, patiently, history: () => patiently(() => histories(prefix)) };
  };
  return {
    kind: 'redis',
    openQueue: (name, ...options) => openQueue(settingsOf(name), name, ...options),
    startWorker: (options) => startWorker(settingsOf(options.queue.name), options),
    warnings: async () => (await patiently(() => risksOf(connection, address))).map(({ text }) => text),
    close: async () => {
      patiently.end();
      // `quit` would wait for a server that may be down.
      connection.disconnect();
    },
  };
}

/** The prefix of the keys of a queue. Its braces put all of them into one slot, which a cluster needs, and different queues into different ones. */
export function prefixOf({ namespace }: Pick<QueueAddress, 'namespace'>, queue: string): string {
  return `{${namespace}-${queue}}`;
}

/** The settings that a queue and its workers have in common. */
interface BullSettings {
  readonly bull: {
    readonly connection: RedisConnection;
    readonly prefix: string;
    readonly telemetry?: QueueTelemetry;
  };
  readonly patiently: Patience;
  /** Reads the id of the history that the queue is in. */
  readonly history: () => Promise<string>;
}

declare module 'bullmq' {
  interface BaseJobOptions {
    /** Id of the history in which the job was added (history.ts); absent where an earlier try may have added it too. */
    history?: string;
  }
}

/** The key counts the calls of a window. As in BullMQ, a number above every limit means that no job may start. */
const LENGTHEN_WAIT =
  "redis.call('set', KEYS[1], ARGV[2], 'PX', math.max(redis.call('pttl', KEYS[1]), tonumber(ARGV[1])))";

/** Field of BullMQ's own metadata of a queue. */
const CIRCUIT = 'circuit';

const SWAP_CIRCUIT = `
  local found = redis.call('hget', KEYS[1], '${CIRCUIT}') or ''
  if found ~= ARGV[1] then return found end
  redis.call('hset', KEYS[1], '${CIRCUIT}', ARGV[2])
  return ARGV[2]`;

/** Jobs that are fetched and have not begun. */
const FETCHED_AHEAD = 4;

class BullWorker extends Worker<unknown, void, string> {
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

  override async processJob(...job: Parameters<Worker<unknown, void, string>['processJob']>) {
    this.makeRoom(1);
    try {
      return await super.processJob(...job);
    } finally {
      this.makeRoom(-1);
    }
  }

  /** BullMQ asks again at once after an error, some ten thousand times a second. */
  protected override async moveToActive(...given: Parameters<Worker<unknown, void, string>['moveToActive']>) {
    try {
      return await super.moveToActive(...given);
    } catch (error) {
      if (isWaitedFor(error)) await this.delay(AGAIN_MS);
      throw error;
    }
  }

  /** Given to the processor, whose schema refuses it. BullMQ would stop at it for good. */
  protected override createJob(json: JobJson, id: string): Job<unknown, void, string> {
    return asText(json, (readable) => super.createJob(readable, id));
  }
}

class BullQueue extends Queue {
  override async getJob(id: string): Promise<Job | undefined> {
    const json = await this.backend.getJobData(id);
    return json && asText(json, (readable) => this.Job.fromJSON(this, readable, id));
  }
}

/** Reads a job. A payload that is not JSON becomes text. */
function asText<Read>(json: JobJson, read: (json: JobJson) => Read): Read {
  try {
    return read(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return read({ ...json, data: JSON.stringify(json.data) });
  }
}

/** Returns the number of workers that passed the job on to another one. */
function timesLeftAlone({ progress }: { readonly progress: unknown }): number {
  return typeof progress === 'number' ? progress : 0;
}

/** Returns how often the job was begun. One that comes from another history may have been begun once more. */
function startsOf(job: Job, history: string): number {
  return job.attemptsStarted - timesLeftAlone(job) + (job.opts.history === history ? 0 : 1);
}

/** Jobs that one round trip adds or removes. */
const CHUNK = 500;

function openQueue<Payload>(
  settings: BullSettings,
  name: string,
  definition: Pick<JobDefinition<Payload, never>, 'name' | 'attempts'>,
  onError: (error: Error) => void,
): JobQueue<Payload> {
  const { bull, patiently, history } = settings;
  const { connection } = bull;
  const queue = new BullQueue(name, {
    ...bull,
    // Kept ids would block sending a batch again; whether it is done is the ledger's to know.
    defaultJobOptions: {
      attempts: definition.attempts,
      backoff: { type: 'capped' },
      removeOnComplete: true,
      removeOnFail: true,
    },
    streams: { events: { maxLen: 10 } },
  });
  queue.on('error', onError);
  const add: JobQueue<Payload>['add'] = async (jobs) => {
    for (let from = 0; from < jobs.length; from += CHUNK) {
      await patiently(async (isAgain) => {
        const added = isAgain ? {} : { history: await history() };
        const bulk = jobs
          .slice(from, from + CHUNK)
          .map(({ id, payload, name: kind = definition.name, priority = 0 }) => ({
            name: kind,
            data: payload,
            opts: { jobId: id, priority, ...added },
          }));
        await queue.addBulk(bulk);
      });
    }
  };
  const withdraw: JobQueue<Payload>['withdraw'] = async (chosen) => {
    const idle = await patiently(() => queue.getRanges(['waiting', 'delayed', 'prioritized'], 0, -1, true));
    const withdrawn: QueuedJob<Payload>[] = [];
    for (const id of idle.filter(chosen)) {
      // Read at the last moment: a worker may have tried it and recorded that in the payload.
      const job = await patiently(() => queue.getJob(id));
      // Text could not be read as JSON: it is left to a worker, which gives it up and says so.
      if (job === undefined || typeof job.data === 'string') continue;
      // 0: a worker has it.
      if ((await patiently(() => queue.remove(id))) === 0) continue;
      const starts = startsOf(job, await history());
      withdrawn.push({ id, payload: job.data as Payload, ...(starts > 0 && { starts }) });
    }
    return withdrawn;
  };
  return {
    name,
    add,
    withdraw,
    close: () => queue.close(),
    ...patient(steeringOf(queue, connection), patiently),
  };
}

/** The methods that ask about a queue, or change all of it: twice is as good as once. */
function steeringOf(
  queue: BullQueue,
  connection: RedisConnection,
): Omit<JobQueue<unknown>, 'name' | 'add' | 'withdraw' | 'close'> {
  const { clearFlow, ...flow } = sharedFlow(connection, queue.toKey('flow'));
  return {
    clear: async () => {
      await queue.obliterate({ force: true });
      // A wait is kept beside the queue.
      await queue.removeRateLimitKey();
      await clearFlow();
    },
    pause: () => queue.pause(),
    resume: () => queue.resume(),
    isPaused: () => queue.isPaused(),
    setCallsPerMinute: async (callsPerMinute) => {
      const { max, duration } = limitWindow(callsPerMinute);
      await queue.setGlobalRateLimit(max, duration);
    },
    callsPerMinute: async () => {
      const limit = await queue.getGlobalRateLimit();
      return limit === null ? undefined : Math.round((limit.max / limit.duration) * 60_000);
    },
    // BullMQ's own `rateLimit` may shorten a wait; reading first and then setting would let another process interfere.
    slowDown: async (waitMs) => {
      const ms = Math.max(1, Math.ceil(waitMs));
      await connection.eval(LENGTHEN_WAIT, 1, queue.toKey('limiter'), ms, Number.MAX_SAFE_INTEGER);
    },
    endWait: async () => void (await queue.removeRateLimitKey()),
    readCircuit: async () => (await connection.hget(queue.toKey('meta'), CIRCUIT)) ?? '',
    swapCircuit: async (before, after) =>
      String(await connection.eval(SWAP_CIRCUIT, 1, queue.toKey('meta'), before, after)),
    ...flow,
    limitedForMs: async () => Math.max(0, await queue.getRateLimitTtl()),
    firstPriority: async () => {
      const [next] = await queue.getRanges(['prioritized'], 0, 0, true);
      const [id] = next === undefined ? await queue.getRanges(['active'], 0, 0, true) : [next];
      // It may have ended by now.
      return id === undefined ? 0 : ((await queue.getJob(id))?.priority ?? 0);
    },
    depth: () => depthOf(queue),
    inspect: () => inspect(queue),
    workers: () => queue.getWorkersCount(),
  };
}

async function depthOf(queue: BullQueue) {
  const states = ['waiting', 'prioritized', 'delayed', 'active', 'failed'] as const;
  const { waiting = 0, prioritized = 0, delayed = 0, active = 0, failed = 0 } = await queue.getJobCounts(...states);
  return { waiting: waiting + prioritized, delayed, active, setAside: failed };
}

async function inspect(queue: BullQueue) {
  const [[next], active] = await Promise.all([
    queue.getJobs(['prioritized'], 0, 0, true),
    queue.getJobs(['active'], 0, MAX_INSPECTED - 1, true),
  ]);
  return { nextAddedAt: next?.timestamp, stalled: active.filter(({ stalledCounter }) => stalledCounter > 0).length };
}

function startWorker<Payload, Ports>(
  { bull, patiently, history }: BullSettings,
  options: JobWorkerOptions<Payload, Ports>,
): JobWorker {
  const runner = jobRunner(options);
  const worker = new BullWorker(
    options.queue.name,
    async (job, token) => {
      const next = await runner.run({
        id: job.id ?? '',
        name: job.name,
        data: job.data,
        addedAt: job.timestamp,
        attemptsMade: job.attemptsMade,
        starts: startsOf(job, await history()),
        read: (schema) => readOrSetAside(job, schema),
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

/** Other programs may write to a shared queue. @throws UnrecoverableError: the job is kept, so that a person can see who wrote it */
function readOrSetAside<Payload>(job: Job, schema: z.ZodType<Payload>): Payload {
  const read = schema.safeParse(job.data);
  if (read.success) return read.data;
  job.opts.removeOnFail = { count: MAX_SET_ASIDE };
  throw new UnrecoverableError(`its payload cannot be read: ${read.error.issues[0]?.message ?? ''}`);
}

import { type Job, Queue } from 'bullmq';
import type { QueueTelemetry } from './backend.ts';
import type { History } from './history.ts';
import type { JobDefinition } from './job-definition.ts';
import { type JobQueue, MAX_INSPECTED, type QueuedJob } from './job-queue.ts';
import { countSetAside, type Kept, keptIn, lostOf, numberOf } from './kept-jobs.ts';
import { limitWindow } from './limit-window.ts';
import { isWaitedFor, type Patience, patient } from './patience.ts';
import type { RedisConnection } from './redis.ts';
import { FLOW, flowSharing } from './redis-flow.ts';

/** Common to a queue and its workers. */
export interface BullSettings {
  readonly bull: {
    readonly connection: RedisConnection;
    readonly prefix: string;
    readonly telemetry?: QueueTelemetry;
  };
  readonly patiently: Patience;
  readonly history: History;
}

declare module 'bullmq' {
  interface BaseJobOptions {
    /** Id of the history in which the job was added (history.ts); absent where an earlier try may have added it too, or starts do not count. */
    history?: string;
  }
}

/** The key counts the calls of a window. As in BullMQ, a number above every limit means that no job may start. */
const LENGTHEN_WAIT =
  "redis.call('set', KEYS[1], ARGV[2], 'PX', math.max(redis.call('pttl', KEYS[1]), tonumber(ARGV[1])))";

/** The hash and the field of each note; `meta` is BullMQ's own. */
const NOTES = { circuit: ['meta', 'circuit'], flow: [FLOW, 'text'] } as const;

const SWAP_NOTE = `
  local found = redis.call('hget', KEYS[1], ARGV[1]) or ''
  if found ~= ARGV[2] then return found end
  redis.call('hset', KEYS[1], ARGV[1], ARGV[3])
  return ARGV[3]`;

/** Options of every job. A kept id would block sending a batch again; whether it is done is the ledger's to know. */
export const SETTLED = { backoff: { type: 'capped' }, removeOnComplete: true, removeOnFail: true } as const;

/** The number of workers that passed the job on to another one. */
export function timesLeftAlone({ progress }: { readonly progress: unknown }): number {
  return typeof progress === 'number' ? progress : 0;
}

/** The number of starts. A job that comes from another history may have been begun once more. */
export function startsOf(job: Job, history: string): number {
  return job.attemptsStarted - timesLeftAlone(job) + (job.opts.history === history ? 0 : 1);
}

/** Jobs that one round trip adds or removes. */
const CHUNK = 500;

export function openQueue<Payload>(
  settings: BullSettings,
  name: string,
  definition: Pick<JobDefinition<Payload, never>, 'name' | 'attempts' | 'countsStarts'>,
  onError: (error: Error) => void,
): JobQueue<Payload> {
  const { bull, patiently, history } = settings;
  const { connection } = bull;
  const queue = new Queue(name, {
    ...bull,
    defaultJobOptions: { attempts: definition.attempts, ...SETTLED },
    streams: { events: { maxLen: 10 } },
  });
  queue.on('error', onError);
  const add: JobQueue<Payload>['add'] = async (jobs) => {
    for (let from = 0; from < jobs.length; from += CHUNK) {
      await patiently(async (isAgain) => {
        const added = isAgain || definition.countsStarts === false ? {} : { history: await history.now() };
        const bulk = jobs
          .slice(from, from + CHUNK)
          .map(({ id, payload, name: kind = definition.name, priority = 0 }) => ({
            name: kind,
            data: payload,
            opts: { jobId: id, priority, ...added },
          }));
        const [only] = bulk;
        // For several, ioredis makes a pipeline, and copies some 500 methods into it.
        if (only !== undefined && bulk.length === 1) await queue.add(only.name, only.data, only.opts);
        else await queue.addBulk(bulk);
      });
    }
  };
  const again: JobQueue<Payload>['again'] = async (jobs, kinds) => {
    const kept = keptIn(connection, queue);
    const gone = new Set(
      await patiently(() =>
        lostOf(
          kept,
          jobs.map(({ id }) => id),
          kinds,
          true,
        ),
      ),
    );
    await add(jobs.filter(({ id }) => gone.has(id)));
  };
  const withdraw: JobQueue<Payload>['withdraw'] = async (chosen) => {
    const idle = await patiently(() => queue.getRanges(['waiting', 'delayed', 'prioritized'], 0, -1, true));
    const now = await patiently(history.now);
    const withdrawn: QueuedJob<Payload>[] = [];
    for (const id of idle.filter(chosen)) {
      // Read at the last moment: a worker may have tried it and recorded that in the payload.
      const job = await patiently(() => readableJob(queue, id));
      if (job === undefined) continue;
      // 0: a worker has it.
      if ((await patiently(() => queue.remove(id))) === 0) continue;
      const starts = startsOf(job, now);
      withdrawn.push({ id, payload: job.data as Payload, ...(starts > 0 && { starts }) });
    }
    return withdrawn;
  };
  return {
    name,
    add,
    again,
    withdraw,
    close: () => queue.close(),
    ...patient(steeringOf(queue, settings), patiently),
  };
}

/** The methods that ask about a queue, or change all of it: twice is as good as once. */
function steeringOf(
  queue: Queue,
  { bull: { connection }, history }: BullSettings,
): Omit<JobQueue<unknown>, 'name' | 'add' | 'again' | 'withdraw' | 'close'> {
  const kept = keptIn(connection, queue);
  return {
    lost: (ids, kinds) => lostOf(kept, ids, kinds),
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
    readNote: async (name) => {
      const [hash, field] = NOTES[name];
      return (await connection.hget(queue.toKey(hash), field)) ?? '';
    },
    swapNote: async (name, ...texts) => {
      const [hash, field] = NOTES[name];
      return String(await connection.eval(SWAP_NOTE, 1, queue.toKey(hash), field, ...texts));
    },
    shareFlow: flowSharing(connection, queue.toKey(FLOW), history),
    limitedForMs: async () => Math.max(0, await queue.getRateLimitTtl()),
    firstPriority: async () => {
      const [next] = await queue.getRanges(['prioritized'], 0, 0, true);
      const [id] = next === undefined ? await queue.getRanges(['active'], 0, 0, true) : [next];
      // It may have ended by now.
      return id === undefined ? 0 : ((await numberOf(kept, id, 'priority')) ?? 0);
    },
    depth: () => depthOf(queue, kept),
    inspect: () => inspect(queue, kept),
    workers: () => queue.getWorkersCount(),
  };
}

async function depthOf(queue: Queue, kept: Kept) {
  const [counts, setAside] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active'),
    countSetAside(kept),
  ]);
  const { waiting = 0, prioritized = 0, delayed = 0, active = 0 } = counts;
  return { waiting: waiting + prioritized, delayed, active, setAside };
}

async function inspect(queue: Queue, kept: Kept) {
  const [[next], active] = await Promise.all([
    queue.getRanges(['prioritized'], 0, 0, true),
    queue.getRanges(['active'], 0, MAX_INSPECTED - 1, true),
  ]);
  const stalls = await Promise.all(active.map((id) => numberOf(kept, id, 'stc')));
  return {
    nextAddedAt: next === undefined ? undefined : await numberOf(kept, next, 'timestamp'),
    stalled: stalls.filter((times = 0) => times > 0).length,
  };
}

/** Reads a job; undefined for one that is gone, and for one that a worker will set aside. */
async function readableJob(queue: Queue, id: string): Promise<Job | undefined> {
  try {
    return await queue.getJob(id);
  } catch (error) {
    if (isWaitedFor(error)) throw error;
    return undefined;
  }
}

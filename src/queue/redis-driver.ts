import { getCACertificates } from 'node:tls';
import { type IQueueBackend, type Job, type JobJson, Queue, Worker } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { counted, printable } from '../text/wording.ts';
import type { BullQueue, BullWorker, Driver } from './bull-backend.ts';
import type { QueueAddress } from './queue-address.ts';

type RedisAddress = Extract<QueueAddress, { kind: 'redis' }>;

/** The key counts the calls of a window. As in BullMQ, a number above every limit means that no job may start. */
const LENGTHEN_WAIT =
  "redis.call('set', KEYS[1], ARGV[2], 'PX', math.max(redis.call('pttl', KEYS[1]), tonumber(ARGV[1])))";

const SWAP_NOTE = `
  local found = redis.call('hget', KEYS[1], ARGV[1]) or ''
  if found ~= ARGV[2] then return found end
  redis.call('hset', KEYS[1], ARGV[1], ARGV[3])
  return ARGV[3]`;

/** Jobs that are fetched and have not begun. */
const FETCHED_AHEAD = 4;

class RedisWorker extends Worker<unknown, void, string, IQueueBackend> {
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

  /** Given to the processor, whose schema refuses it. BullMQ would stop at it for good. */
  protected override createJob(json: JobJson, id: string): Job<unknown, void, string> {
    return asText(json, (readable) => super.createJob(readable, id));
  }
}

class RedisQueue extends Queue {
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

/** Jobs in Redis or Valkey: one server, a cluster, or a master that sentinels know. */
export async function openRedis(address: RedisAddress, onError: (error: Error) => void, ca?: string): Promise<Driver> {
  const connection = patient(connect(address, ca));
  connection.on('error', onError);
  // A cluster that loses one of its nodes has no error of its own.
  connection.on('node error', onError);
  // Hash tags put all keys of a queue into one slot, which a cluster needs, and different queues into different ones.
  const prefix = (name: string) => `{${address.namespace}-${name}}`;
  return {
    kind: 'redis',
    queue: (name, options) =>
      new RedisQueue(name, { ...options, connection, prefix: prefix(name) }) as unknown as BullQueue,
    worker: (name, process, options) =>
      new RedisWorker(name, process as never, {
        ...options,
        connection,
        prefix: prefix(name),
      }) as unknown as BullWorker,
    lengthenWait: async (queue, waitMs) => {
      await connection.eval(LENGTHEN_WAIT, 1, queue.toKey('limiter'), waitMs, Number.MAX_SAFE_INTEGER);
    },
    takeOut: async (queue, id) => {
      // Read at the last moment: a worker may have tried it and recorded that in the payload. 0: a worker has it.
      const job = await queue.getJob(id);
      // Text could not be read as JSON: it is left to a worker, which gives it up and says so.
      if (job === undefined || typeof job.data === 'string') return;
      return (await queue.remove(id)) === 1 ? job : undefined;
    },
    readNote: async (queue, note) => (await connection.hget(queue.toKey('meta'), note)) ?? '',
    swapNote: async (queue, note, before, after) =>
      String(await connection.eval(SWAP_NOTE, 1, queue.toKey('meta'), note, before, after)),
    warnings: async () => (await risksOf(connection)).map(({ text }) => text),
    close: async () => {
      // `quit` would wait for a server that may be down.
      connection.disconnect();
    },
  };
}

/**
 * Time by which the server is asked to end a wait for a job early, in s: longer than the round trip to a distant
 * server.
 */
const FAR_S = 2;

/**
 * BullMQ opens a connection again whose wait for a job has not ended one second after its time. Far from the server, every
 * wait would end so: the server is asked to end it earlier.
 */
function patient<Client extends Redis | Cluster>(client: Client): Client {
  const { bzpopmin, duplicate } = client;
  return Object.assign(client, {
    bzpopmin: (key: string, timeoutS: number) =>
      Reflect.apply(bzpopmin, client, [key, Math.max(0.001, timeoutS - FAR_S)]),
    duplicate: (...args: unknown[]) => patient(Reflect.apply(duplicate, client, args)),
  });
}

/** Time in which a sentinel must answer, in ms. */
const SENTINEL_ANSWER_MS = 4_000;

/**
 * A connection that owes an answer and has carried nothing for so long, in ms, counts as lost: it is closed, opened again,
 * and its commands are sent again. A firewall or load balancer that forgot it would never say so. (Not ioredis'
 * `commandTimeout`: it would reject commands, those of workers that wait for a job among them.) Longer than the 10 s that
 * BullMQ waits for a job, by what a slow network needs.
 */
const SILENT_MS = 15_000;

/**
 * @param ca certificate authority to trust in addition to the usual ones, PEM
 * @param retryMs wait before the next attempt to connect, in ms; null for none
 */
function connect(
  { topology, hosts, tls, username, password, db, master }: RedisAddress,
  ca: string | undefined,
  retryMs: () => number | null = () => 500 + Math.random() * 250,
): Redis | Cluster {
  const verified = {
    // Given here, because NODE_TLS_REJECT_UNAUTHORIZED in the environment would change the default.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca: [...getCACertificates('default'), ca] }),
  };
  const common = {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: verified }),
    // Commands wait for a server that is away: nothing is lost, and the import continues when it is back.
    maxRetriesPerRequest: null,
    retryStrategy: retryMs,
    socketTimeout: SILENT_MS,
  };
  switch (topology) {
    case 'cluster':
      return new Cluster([...hosts], { redisOptions: common, clusterRetryStrategy: retryMs });
    case 'sentinel':
      return new Redis({
        ...common,
        ...(tls && { sentinelTLS: verified, enableTLSForSentinelMode: true }),
        sentinels: [...hosts],
        sentinelRetryStrategy: retryMs,
        // One that takes the connection and never answers would keep the others from being asked.
        sentinelCommandTimeout: SENTINEL_ANSWER_MS,
        name: master ?? 'mymaster',
      });
    case 'single':
      return new Redis({ ...common, ...hosts[0], db });
  }
}

const OLDEST = [6, 2] as const;

/** A setting of the server that puts jobs at risk. Nothing is lost for good: the ledger knows what is left to do. */
export interface Risk {
  readonly text: string;
  /** Whether it must be changed; otherwise it costs time after a restart. */
  readonly severe: boolean;
}

async function risksOf(connection: Redis | Cluster): Promise<Risk[]> {
  const info = await connection.info();
  const read = (field: string) => new RegExp(`^${field}:(.*)$`, 'm').exec(info)?.[1]?.trim();
  const risks: Risk[] = [];
  const version = read('valkey_version') ?? read('redis_version') ?? '0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    risks.push({ text: `the queue's server is version ${version}; use Redis 6.2 or newer, or Valkey`, severe: true });
  }
  const policy = read('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    risks.push({
      text: `the queue's server drops keys when memory is short (maxmemory-policy ${policy}), jobs among them; set it to noeviction`,
      severe: true,
    });
  }
  if (read('aof_enabled') === '0' && read('rdb_last_save_time') !== undefined) {
    risks.push({
      text: "the queue's server keeps no append-only file: a restart loses jobs in flight, which are then sent again; set appendonly yes",
      severe: false,
    });
  }
  return risks;
}

/** Jobs that workers have set aside, in all queues of this rollcall. */
async function unreadableJobs(connection: Redis | Cluster, namespace: string): Promise<Risk[]> {
  const nodes = connection instanceof Cluster ? connection.nodes('master') : [connection];
  const found: { key: string; jobs: number }[] = [];
  for (const node of nodes) {
    const literal = namespace.replace(/[\\*?[\]]/g, '\\$&');
    for await (const keys of node.scanStream({ match: `{${literal}-*:failed`, count: 1_000 })) {
      for (const key of keys as string[]) found.push({ key, jobs: await connection.zcard(key) });
    }
  }
  const [first] = found;
  if (first === undefined) return [];
  const jobs = found.reduce((sum, one) => sum + one.jobs, 0);
  const [id = ''] = await connection.zrange(first.key, '0', '0');
  const key = first.key.replace(/failed$/, id);
  const reason = (await connection.hget(key, 'failedReason')) ?? '';
  const text = `${counted(jobs, 'job')} in the queue cannot be read, such as ${JSON.stringify(key)} (${printable(reason)}); see which program writes to this server, and delete them`;
  return [{ text, severe: true }];
}

/**
 * Checks the server without leaving anything there. @throws Error if it cannot be reached
 * @param over ends the connection: a server that never answers would keep the process alive
 */
export async function checkRedis(
  address: RedisAddress,
  ca: string | undefined,
  over: AbortSignal,
): Promise<readonly Risk[]> {
  const connection = connect(address, ca, () => null);
  over.addEventListener('abort', () => connection.disconnect(), { once: true });
  let last: Error | undefined;
  connection.on('error', (error) => {
    last = error;
  });
  try {
    return [...(await risksOf(connection)), ...(await unreadableJobs(connection, address.namespace))];
  } catch (error) {
    // The error of opening the connection says more than that it is closed.
    throw last ?? error;
  }
}

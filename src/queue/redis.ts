import { getCACertificates } from 'node:tls';
import { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { isError } from '../errors/rollcall-error.ts';
import { counted, printable, sumOf } from '../text/wording.ts';
import { SET_ASIDE } from './job-queue.ts';
import { badAddress, type QueueAddress } from './queue-address.ts';

/** A connection to Redis or Valkey: to one server, to a cluster, or to a master that sentinels know. */
export type RedisConnection = Redis | Cluster;

/**
 * Opens a connection for BullMQ. A server that is away is waited for.
 * @param ca certificate authority to trust in addition to the usual ones, PEM
 */
export function connectPatiently(
  address: QueueAddress,
  onError: (error: Error) => void,
  ca: string | undefined,
): RedisConnection {
  const connection = patient(connect(address, ca));
  connection.on('error', onError);
  // A cluster that loses one of its nodes has no error of its own.
  connection.on('node error', onError);
  return connection;
}

/** The server is asked to end a wait for a job earlier by this much, in s: longer than the round trip to a distant server. */
const FAR_S = 2;

/**
 * BullMQ opens a connection again whose wait for a job has not ended one second after its time. Far from the server, every
 * wait would end so: the server is asked to end it earlier.
 */
function patient<Client extends RedisConnection>(client: Client): Client {
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
 * @param retryMs wait before the next attempt to connect, in ms; null for none
 */
function connect(
  { topology, hosts, tls, username, password, db, master }: QueueAddress,
  ca: string | undefined,
  retryMs: () => number | null = () => 500 + Math.random() * 250,
): RedisConnection {
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
    // A master that has become a replica: its name may lead to another server by now.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
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

/**
 * Settings of the server that put jobs at risk.
 * @throws BAD_QUEUE_ADDRESS where the server does not have the database: the client would go on in database 0
 */
export async function risksOf(connection: RedisConnection, { db }: Pick<QueueAddress, 'db'>): Promise<Risk[]> {
  if (connection instanceof Redis && db > 0) {
    await connection.select(db).catch((error: Error) => {
      if (!/DB index is out of range/i.test(error.message)) throw error;
      throw badAddress(`names the database ${db}, which its server does not have`);
    });
  }
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
      text: "the queue's server keeps no append-only file: a restart takes the queue back to its last snapshot, and costs a question for each batch since then; set appendonly yes",
      severe: false,
    });
  }
  return risks;
}

/** Jobs that workers have set aside, in all queues of this rollcall. */
async function damagedJobs(connection: RedisConnection, namespace: string): Promise<Risk[]> {
  const nodes = connection instanceof Cluster ? connection.nodes('master') : [connection];
  const found: { key: string; jobs: number }[] = [];
  for (const node of nodes) {
    const literal = namespace.replace(/[\\*?[\]]/g, '\\$&');
    for await (const keys of node.scanStream({ match: `{${literal}-*:${SET_ASIDE}`, count: 1_000 })) {
      for (const key of keys as string[]) found.push({ key, jobs: await connection.hlen(key) });
    }
  }
  const [first] = found;
  if (first === undefined) return [];
  const jobs = sumOf(found.map((one) => one.jobs));
  const [, [id, kept] = []] = await connection.hscan(first.key, 0, 'COUNT', 1);
  const { reason } = z.object({ reason: z.string() }).parse(JSON.parse(kept ?? '{"reason":""}'));
  const text = `${counted(jobs, 'job')} in the queue could not be read, such as ${JSON.stringify(id)} (${printable(reason)}), and is set aside in ${JSON.stringify(first.key)}; see which program writes to this server, and delete that key`;
  return [{ text, severe: true }];
}

/** Time in which the server must answer a check, in ms. */
const ANSWER_MS = 5_000;

/** Checks the server. Nothing is made, changed or left there. @throws Error if it does not answer */
export async function checkRedis(address: QueueAddress, ca?: string): Promise<Risk[]> {
  const connection = connect(address, ca, () => null);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(late.reject, ANSWER_MS, new Error(`it did not answer within ${ANSWER_MS / 1000} s`));
  let last: Error | undefined;
  connection.on('error', (error) => {
    last = error;
  });
  const look = async () => [
    ...(await risksOf(connection, address)),
    ...(await damagedJobs(connection, address.namespace)),
  ];
  try {
    return await Promise.race([look(), late.promise]);
  } catch (error) {
    // The error of opening the connection says more than that it is closed.
    throw isError(error, 'BAD_QUEUE_ADDRESS') ? error : (last ?? error);
  } finally {
    clearTimeout(timer);
    // One that never answers would keep the process alive.
    connection.disconnect();
  }
}

import {
  createPostgresBackend,
  type IQueueBackend,
  type PostgresConnectionOptions,
  Queue,
  runMigrations,
  Worker,
} from 'bullmq';
import { Client, Pool } from 'pg';
import type { QueueAddress } from './address.ts';
import type { BullQueue, BullWorker, Driver } from './backend.ts';

type PostgresAddress = Extract<QueueAddress, { kind: 'postgres' }>;

/** Where BullMQ looks for its tables when it is given a pool. */
const SCHEMA = 'bullmq';
/** Most connections of one process: each worker and queue listens on its own. */
const CONNECTIONS = 20;

/** Jobs in a Postgres server. */
export async function openPostgres(address: PostgresAddress, onError: (error: Error) => void): Promise<Driver> {
  const pool = new Pool({
    connectionString: address.connectionString,
    max: CONNECTIONS,
    keepAlive: true,
    options: `-c search_path=${SCHEMA}`,
  });
  // Every queue and every worker listens for errors: more listeners than Node expects.
  pool.setMaxListeners(0);
  pool.on('error', onError);
  const client = await pool.connect();
  try {
    await runMigrations(client, SCHEMA, {});
  } finally {
    client.release();
  }
  return overPool(pool);
}

/** Checks the server without leaving anything there. @throws Error if it does not answer */
export async function checkPostgres({ connectionString }: PostgresAddress, withinMs: number): Promise<void> {
  const client = new Client({ connectionString, connectionTimeoutMillis: withinMs, query_timeout: withinMs });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end().catch(() => {});
  }
}

/** Like BullMQ's set_rate_limit, but it does not shorten a wait. Times are the processes' own, in ms since 1970. */
const LENGTHEN_WAIT = `
  insert into rate_limit (queue, points, expire_at_ms) values ($1, ${Number.MAX_SAFE_INTEGER}, $2)
  on conflict (queue) do update
  set points = excluded.points, expire_at_ms = greatest(rate_limit.expire_at_ms, excluded.expire_at_ms)`;

/** BullMQ's own `remove` reads first and then deletes: a worker could start the job in between and send what counts as unsent. */
const TAKE_OUT =
  "delete from job where queue = $1 and id = $2 and state in ('waiting', 'delayed') returning data, attempts_started as \"attemptsStarted\", progress";

const READ_NOTE = 'select value from meta where queue = $1 and field = $2';

/** Returns a row if it has written: there was none, or it was as expected. */
const SWAP_NOTE = `
  insert into meta (queue, field, value) values ($1, $2, $4)
  on conflict (queue, field) do update set value = excluded.value where meta.value = $3
  returning value`;

function overPool(pool: Pool): Driver {
  const connection = pool as unknown as PostgresConnectionOptions;
  const readNote: Driver['readNote'] = async ({ name }, note) =>
    (await pool.query(READ_NOTE, [name, note])).rows[0]?.value ?? '';
  return {
    kind: 'postgres',
    shared: true,
    queue: (name, options) =>
      new Queue<unknown, void, string, unknown, void, string, IQueueBackend, PostgresConnectionOptions>(
        name,
        { ...options, connection },
        createPostgresBackend,
      ) as unknown as BullQueue,
    worker: (name, process, options) =>
      new Worker<unknown, void, string, IQueueBackend, number, PostgresConnectionOptions>(
        name,
        process as never,
        { ...options, connection },
        createPostgresBackend,
      ) as unknown as BullWorker,
    lengthenWait: async ({ name }, waitMs) => {
      await pool.query(LENGTHEN_WAIT, [name, Date.now() + waitMs]);
    },
    takeOut: async ({ name }, id) => (await pool.query(TAKE_OUT, [name, id])).rows[0],
    readNote,
    swapNote: async (queue, note, before, after) => {
      const { rows } = await pool.query(SWAP_NOTE, [queue.name, note, before, after]);
      return rows.length > 0 ? after : readNote(queue, note);
    },
    warnings: async () => [],
    close: () => pool.end(),
  };
}

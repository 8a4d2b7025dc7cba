import {
  createPostgresBackend,
  type IQueueBackend,
  type PostgresConnectionOptions,
  Queue,
  runMigrations,
  Worker,
} from 'bullmq';
import { Pool } from 'pg';
import type { QueueAddress } from './address.ts';
import type { Backend, BullQueue, BullWorker } from './backend.ts';
import { openEmbedded } from './embedded.ts';

type PostgresAddress = Extract<QueueAddress, { kind: 'postgres' }>;

/** Where BullMQ looks for its tables when it is given a pool. */
const SCHEMA = 'bullmq';
/** Connections of one process: each worker and queue listens on one of its own. */
const CONNECTIONS = 20;

/** Jobs in a Postgres server. */
export async function openPostgres(address: PostgresAddress, onError: (error: Error) => void): Promise<Backend> {
  const pool = new Pool({
    connectionString: address.connectionString,
    max: CONNECTIONS,
    keepAlive: true,
    options: `-c search_path=${SCHEMA}`,
  });
  pool.on('error', onError);
  const client = await pool.connect();
  try {
    await runMigrations(client, SCHEMA, {});
  } finally {
    client.release();
  }
  return overPool('postgres', pool as unknown as PostgresConnectionOptions, () => pool.end());
}

/** Jobs in the embedded Postgres, in one directory of this process. */
export async function openEmbeddedBackend(directory: string): Promise<Backend> {
  const pool = await openEmbedded(directory);
  return overPool('embedded', pool, () => pool.end());
}

function overPool(
  kind: 'postgres' | 'embedded',
  connection: PostgresConnectionOptions,
  close: () => Promise<void>,
): Backend {
  return {
    kind,
    shared: kind === 'postgres',
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
    warnings: async () => [],
    close,
  };
}

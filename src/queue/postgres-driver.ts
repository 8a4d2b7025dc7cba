import {
  type BackendFactory,
  type PgPool,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  Queue,
  Worker,
} from 'bullmq';
import { Client } from 'pg';
import type { BullQueue, BullWorker, Driver } from './bull-backend.ts';
import { PostgresServer } from './postgres-server.ts';
import type { QueueAddress } from './queue-address.ts';

type PostgresAddress = Extract<QueueAddress, { kind: 'postgres' }>;

/** Jobs in a Postgres server. A server that is away is waited for. @throws DatabaseError if it refuses the login or the tables */
export async function openPostgres(
  { connectionString }: PostgresAddress,
  onError: (error: Error) => void,
): Promise<Driver> {
  return over(await PostgresServer.open(connectionString, onError));
}

/**
 * A queue's or worker's view of the process's connections. BullMQ's own keeps a failed start for good, has a connection for
 * each worker, and gives up a query whose connection breaks.
 */
class SharedConnection extends PostgresConnection {
  readonly #server: PostgresServer;
  readonly #leave: () => void;

  /** @param queue of a worker */
  constructor(server: PostgresServer, queue: string | undefined) {
    const pool: PgPool = {
      query: (text, values) => server.query(text, values),
      connect: () => Promise.reject(new Error('queues and workers have no connection of their own')),
      end: async () => {},
      on: () => pool,
      removeAllListeners: () => pool,
    };
    super(pool);
    this.#server = server;
    this.#leave = queue === undefined ? () => {} : server.listening.enter(queue);
  }

  /** Each query waits until the server is ready. */
  override async waitUntilReady(): Promise<void> {}

  override async getListenClient() {
    return this.#server.listening.notifications;
  }

  /** Several workers share the connection: a lock counts them instead (postgres-server.ts). */
  override async setListenClientName(): Promise<void> {}

  override close(): Promise<void> {
    if (this.isClosing === undefined) this.#leave();
    return super.close();
  }
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

function over(server: PostgresServer): Driver {
  const createBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (name, options, kind) => {
    const worksOn = kind?.withBlockingConnection === true ? name : undefined;
    return new PostgresQueueBackend(new SharedConnection(server, worksOn), name, options);
  };
  // BullMQ asks for one; the backend has it already.
  const connection = {};
  class PostgresQueue extends Queue<
    unknown,
    void,
    string,
    unknown,
    void,
    string,
    PostgresQueueBackend,
    PostgresConnectionOptions
  > {
    override getWorkersCount(): Promise<number> {
      return server.workers(this.name);
    }
  }
  const readNote: Driver['readNote'] = async ({ name }, note) =>
    (await server.query(READ_NOTE, [name, note])).rows[0]?.value ?? '';
  return {
    kind: 'postgres',
    queue: (name, options) =>
      new PostgresQueue(name, { ...options, connection }, createBackend) as unknown as BullQueue,
    worker: (name, process, options) =>
      new Worker<unknown, void, string, PostgresQueueBackend, number, PostgresConnectionOptions>(
        name,
        process as never,
        { ...options, connection },
        createBackend,
      ) as unknown as BullWorker,
    lengthenWait: async ({ name }, waitMs) => {
      await server.query(LENGTHEN_WAIT, [name, Date.now() + waitMs]);
    },
    takeOut: async ({ name }, id) => (await server.query(TAKE_OUT, [name, id])).rows[0],
    readNote,
    swapNote: async (queue, note, before, after) => {
      const { rows } = await server.query(SWAP_NOTE, [queue.name, note, before, after]);
      return rows.length > 0 ? after : readNote(queue, note);
    },
    warnings: async () => {
      await server.query('select 1');
      return [];
    },
    close: () => server.close(),
  };
}

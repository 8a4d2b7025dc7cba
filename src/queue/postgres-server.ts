import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { runMigrations } from 'bullmq';
import { Client, DatabaseError, Pool, type QueryResult } from 'pg';
import { asError, messageOf } from '../errors/message-of.ts';

/** The schema in which BullMQ looks for its tables when it is given a pool. */
const SCHEMA = 'bullmq';
/** Connections of one process: one listens, the others carry queries. */
const MAX_CONNECTIONS = 5;

/** Time in which a connection must be open, in ms. */
const CONNECT_MS = 10_000;
/**
 * A connection that owes an answer for so long, in ms, counts as lost, and the query is sent again. A firewall or load
 * balancer that forgot the connection would never say so.
 */
const SILENT_MS = 15_000;
/** The connection that listens owes no answer, so it is asked for one so often, in ms. */
const ASK_MS = 10_000;
/** Time that open connections get to close, in ms: a server that is away does not close them. */
const CLOSE_MS = 1_000;
/** Time that workers get to be back after an outage, in ms; until then those of before count. */
const RETURN_MS = 5_000;
const retryMs = () => 500 + Math.random() * 250;

/** The server finds out in 25 s that a process is out of reach, and then counts its workers and holds its locks no more. */
const SESSION = {
  search_path: SCHEMA,
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  idle_in_transaction_session_timeout: SILENT_MS,
};

/** The channel on which BullMQ announces new jobs. */
const CHANNEL = 'bullmq_jobs';

/** First key of the advisory locks that show which queues have a worker; the second one is the hash of the queue's name. */
const WORKER_LOCK = 0x726f6c6c;
const HOLD_LOCKS = `
  select pg_try_advisory_lock_shared(${WORKER_LOCK}, hashtext(name)) from unnest($1::text[]) name union all
  select pg_advisory_unlock_shared(${WORKER_LOCK}, hashtext(name)) from unnest($2::text[]) name`;
const COUNT_WORKERS = `
  select count(*)::int as workers from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
    and classid = ${WORKER_LOCK}::oid and objid = hashtext($1)::oid and objsubid = 2`;

type Notifications = EventEmitter & { query(): Promise<{ rows: never[] }> };

/** The connections of one process to a Postgres server. */
export class PostgresServer {
  readonly listening: Listening;
  readonly #pool: Pool;
  readonly #onError: (error: Error) => void;
  readonly #closing = new AbortController();
  /** By queue. */
  readonly #counted = new Map<string, number>();
  #outage: Promise<void> | undefined;
  #backAt = 0;

  /**
   * Connects and makes BullMQ's tables. A server that is away is waited for, also here: this resolves after the first attempt.
   * @param onError is called when the server cannot be reached
   * @throws DatabaseError if the server refuses the login or the tables
   */
  static async open(connectionString: string, onError: (error: Error) => void): Promise<PostgresServer> {
    const server = new PostgresServer(connectionString, onError);
    try {
      await server.#migrate();
    } catch (error) {
      if (!isAway(error)) {
        await server.close();
        throw error;
      }
      server.#away(error);
    }
    return server;
  }

  private constructor(connectionString: string, onError: (error: Error) => void) {
    const settings = {
      connectionString,
      keepAlive: true,
      keepAliveInitialDelayMillis: ASK_MS,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: SILENT_MS,
      options: Object.entries(SESSION)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
    };
    this.#onError = onError;
    this.#pool = new Pool({ ...settings, max: MAX_CONNECTIONS - 1 });
    // An idle connection broke: the next query opens another.
    this.#pool.on('error', () => {});
    this.listening = new Listening({
      open: () => new Client(settings),
      broke: (error) => this.#away(error),
      signal: this.#closing.signal,
    });
  }

  /**
   * Waits for a server that is away, and sends the query again if its connection broke: it may be carried out twice.
   * @throws DatabaseError if the server refuses it
   */
  async query(text: string, values?: readonly unknown[]): Promise<QueryResult> {
    for (;;) {
      await this.#outage;
      try {
        return await this.#pool.query(text, values as unknown[]);
      } catch (error) {
        if (this.#closing.signal.aborted || !isAway(error)) throw error;
        this.#away(error);
      }
    }
  }

  /** Number of processes that have a worker on a queue. */
  async workers(queue: string): Promise<number> {
    const { rows } = await this.query(COUNT_WORKERS, [queue]);
    if (rows[0].workers > 0 || Date.now() - this.#backAt > RETURN_MS) this.#counted.set(queue, rows[0].workers);
    return this.#counted.get(queue) ?? 0;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.race([this.#pool.end(), sleep(CLOSE_MS, undefined, { ref: false })]);
  }

  async #migrate(): Promise<void> {
    const client = await this.#pool.connect();
    const ignored = () => {};
    client.on('error', ignored);
    let broken = true;
    try {
      await runMigrations(client, SCHEMA, {});
      broken = false;
    } finally {
      client.off('error', ignored);
      client.release(broken);
    }
  }

  /** Resolves when the outage is over. */
  #away(error: Error): Promise<void> {
    this.#outage ??= this.#waitUntilBack(error)
      .catch(() => {})
      .finally(() => {
        this.#outage = undefined;
        this.#backAt = Date.now();
      });
    return this.#outage;
  }

  /** Resolves when the server answers or refuses. The tables may be gone by then. */
  async #waitUntilBack(cause: Error): Promise<void> {
    let error = cause;
    for (;;) {
      this.#onError(named(error));
      await sleep(retryMs(), undefined, { signal: this.#closing.signal });
      try {
        return await this.#migrate();
      } catch (again) {
        if (!isAway(again)) return;
        error = again;
      }
    }
  }
}

interface ListeningParts {
  readonly open: () => Client;
  /** The connection broke. Resolves when it is worth while to open another. */
  readonly broke: (error: Error) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The connection that listens for jobs: opened with the first worker, and again whenever it breaks. */
class Listening {
  /**
   * Notifications of new jobs, as BullMQ takes them from a connection that listens. All workers share one. BullMQ asks it to
   * listen, which it does already.
   */
  readonly notifications: Notifications = Object.assign(new EventEmitter(), { query: async () => ({ rows: [] }) });
  readonly #parts: ListeningParts;
  readonly #workers = new Map<symbol, string>();
  #isFirst = true;
  #changed = Promise.withResolvers<void>();

  constructor(parts: ListeningParts) {
    this.#parts = parts;
    // One for each worker that waits for a job.
    this.notifications.setMaxListeners(0);
  }

  /** Counts a worker of a queue. Returns the function that ends the count. */
  enter(queue: string): () => void {
    const key = Symbol(queue);
    this.#workers.set(key, queue);
    this.#change();
    if (this.#isFirst) void this.#keepListening();
    this.#isFirst = false;
    return () => {
      if (this.#workers.delete(key)) this.#change();
    };
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #keepListening(): Promise<void> {
    const { open, broke, signal } = this.#parts;
    while (!signal.aborted) {
      const client = open();
      let cause: Error | undefined;
      client.on('error', (error) => {
        cause = error;
      });
      client.on('notification', (notification) => this.notifications.emit('notification', notification));
      const ended = once(client, 'end');
      // It rejects with the connection's error, also while nothing waits for it.
      ended.catch(() => {});
      try {
        await this.#listen(client, ended);
      } catch (error) {
        if (!signal.aborted) await broke(cause ?? asError(error));
      } finally {
        // It does not wait for the server.
        void client.end().catch(() => {});
      }
    }
  }

  /** Returns when the connection breaks. */
  async #listen(client: Client, ended: Promise<unknown>): Promise<void> {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    // Jobs may have come since the last connection broke.
    for (const payload of this.#workers.values())
      this.notifications.emit('notification', { channel: CHANNEL, payload });
    let held = new Set<string>();
    for (;;) {
      const change = this.#changed.promise;
      const wanted = new Set(this.#workers.values());
      await client.query(HOLD_LOCKS, [[...wanted.difference(held)], [...held.difference(wanted)]]);
      held = wanted;
      await Promise.race([change, ended, sleep(ASK_MS, undefined, { signal: this.#parts.signal, ref: false })]);
    }
  }
}

/** SQLSTATE of a server that cannot be reached or cannot work now, or that undid the query so that it can be sent again. */
const NOT_NOW = /^(08|40|53|57P|25006)/;
const BROKEN =
  /^Connection terminated|connection error and is not queryable|^Query read timeout|^timeout exceeded|closed the connection/;

/** It is worth while to wait and send a query again. */
function isAway(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseError) return NOT_NOW.test(error.code ?? '');
  if (BROKEN.test(error.message)) return true;
  return 'code' in error && /^E(?!RR_)[A-Z_]+$/.test(String(error.code));
}

/** A host with several addresses has an error without a message. */
function named(error: Error): Error {
  return error.message !== ''
    ? error
    : new Error(messageOf((error as AggregateError).errors?.[0] ?? error), { cause: error });
}

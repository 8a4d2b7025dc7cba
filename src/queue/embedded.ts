import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  type PgPool,
  type PgPoolClient,
  type PgQueryResult,
  runMigrations,
} from 'bullmq';

/**
 * The embedded queue: BullMQ's Postgres backend over PGlite, in this process, in one directory.
 * The directory is a cache of the ledger: a damaged one is deleted and made anew. One process at a time may open it.
 */

/** 8 MB of shared buffers instead of 128: 580 MB of process memory become 170. A queue of 2,000 jobs needs no more. */
const START_PARAMS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'];

/**
 * Tables that every job writes to; those that refer to others first. Unlogged: without a write-ahead log a job takes a
 * third less time, and after a crash they are empty, which is as good, because what is to be sent is in the ledger.
 */
const BUSY_TABLES = ['job_log', 'job_dependency', 'job', 'event', 'rate_limit'];

/**
 * PGlite has no background processes: dead rows pile up and slow every job down, and the write-ahead log of the other
 * tables grows, until somebody cleans. That takes some 20 ms.
 */
const QUERIES_BETWEEN_CLEANINGS = 2_000;

export interface EmbeddedPool extends PgPool {
  end(): Promise<void>;
}

/** Opens the queue in `directory`, made first where it is missing. */
export async function openEmbedded(directory: string): Promise<EmbeddedPool> {
  // A directory without this file is a new one to PGlite: it would make the database in this process, without a schema.
  if (existsSync(join(directory, 'PG_VERSION'))) {
    try {
      return await openPool(directory);
    } catch {
      // Killed in the middle of a write, or another version's directory: nothing in it that the ledger does not know.
    }
  }
  await rm(directory, { recursive: true, force: true });
  await createInChild(directory);
  return openPool(directory);
}

/** Creates the directory with BullMQ's schema in it. initdb leaves some 400 MB in its process: run it in one that ends. */
export async function createEmbedded(directory: string): Promise<void> {
  const database = await openDatabase(directory);
  await runMigrations(clientOver(database), 'bullmq', {});
  for (const table of BUSY_TABLES) await database.exec(`ALTER TABLE bullmq.${table} SET UNLOGGED`);
  await database.close();
}

async function createInChild(directory: string): Promise<void> {
  const unfinished = `${directory}.new`;
  await rm(unfinished, { recursive: true, force: true });
  // PGlite's files are for everybody to write; the folder lets nobody else in.
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const script = `import { createEmbedded } from ${JSON.stringify(import.meta.url)}; await createEmbedded(process.argv[1]);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, unfinished], {
    // A signal meant for this process must not leave half a directory behind: the child ends by itself in two seconds.
    detached: true,
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`the embedded queue cannot be created in ${directory}: ${complaint.trim()}`);
  await rename(unfinished, directory);
}

/**
 * One of PGlite's functions, its interpreter of expressions, takes V8's optimizing compiler 3 s and 600 MB; unoptimized
 * code needs neither and is no slower before some ten thousand jobs. V8 asks these flags when it compiles a module.
 */
function openDatabase(directory: string): Promise<PGlite> {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  return PGlite.create({ dataDir: directory, startParams: START_PARAMS });
}

async function openPool(directory: string): Promise<EmbeddedPool> {
  const database = await openDatabase(directory);
  try {
    const version = await assertSchemaCompatibility({ query: queryOver(database) }, 'bullmq');
    if (version !== LATEST_SCHEMA_VERSION)
      throw new Error(`the tables in ${directory} are of another release of BullMQ`);
    await database.exec('SET search_path = bullmq; SET synchronous_commit = off');
    return poolOver(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

function clientOver(database: PGlite): PgPoolClient {
  const emitter = new EventEmitter();
  const unsubscribe = database.onNotification((channel, payload) => emitter.emit('notification', { channel, payload }));
  return Object.assign(emitter, { query: queryOver(database), release: unsubscribe }) as unknown as PgPoolClient;
}

/** What BullMQ uses of a `pg.Pool`, over the one session that PGlite has. */
function poolOver(database: PGlite): EmbeddedPool {
  const query = queryOver(database);
  let untilCleaning = QUERIES_BETWEEN_CLEANINGS;
  let cleaning: Promise<unknown> = Promise.resolve();
  const pool = {
    options: { keepAlive: true },
    query: (text: string, params?: readonly unknown[]) => {
      if (--untilCleaning === 0) {
        untilCleaning = QUERIES_BETWEEN_CLEANINGS;
        cleaning = clean(database);
      }
      return query(text, params);
    },
    connect: async () => clientOver(database),
    end: async () => {
      await cleaning;
      if (!database.closed) await database.close();
    },
  };
  // Every queue and every worker listens for errors: with three regions more of them than Node takes for normal.
  return Object.assign(new EventEmitter().setMaxListeners(0), pool) as unknown as EmbeddedPool;
}

/** Never fails: a database that cannot be cleaned says so in the queries of the jobs, and the next cleaning does more. */
async function clean(database: PGlite): Promise<void> {
  await database
    .exec(`VACUUM ${BUSY_TABLES.join(', ')}`)
    .then(() => database.exec('CHECKPOINT'))
    .catch(() => {});
}

function queryOver(database: PGlite) {
  return async (text: string, params?: readonly unknown[]): Promise<PgQueryResult> => {
    if (params !== undefined) {
      const result = await database.query<object>(text, [...params]);
      return { rows: result.rows, rowCount: result.affectedRows || result.rows.length };
    }
    const last = (await database.exec(text)).at(-1);
    return { rows: last?.rows ?? [], rowCount: last?.affectedRows ?? 0 };
  };
}

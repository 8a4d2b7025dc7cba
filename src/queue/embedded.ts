import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { type PgPool, type PgPoolClient, type PgQueryResult, runMigrations } from 'bullmq';

/**
 * The embedded queue: BullMQ's Postgres backend over PGlite, in this process, in one directory.
 * The directory is a cache of the ledger: a damaged one is deleted and made anew. One process at a time may open it.
 */

/** 8 MB of shared buffers instead of 128: 580 MB of process memory become 170. A queue of 2,000 jobs needs no more. */
const START_PARAMS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'];

/** PGlite has no background processes: dead rows pile up and the write-ahead log grows until somebody cleans. */
const QUERIES_BETWEEN_CLEANINGS = 20_000;

export interface EmbeddedPool extends PgPool {
  end(): Promise<void>;
}

/** Opens the queue in `directory`, made first where it is missing. */
export async function openEmbedded(directory: string): Promise<EmbeddedPool> {
  if (!existsSync(directory)) await createInChild(directory);
  try {
    return await openPool(directory);
  } catch {
    // Killed in the middle of a write, or another version's directory: nothing in it that the ledger does not know.
    await rm(directory, { recursive: true, force: true });
    await createInChild(directory);
    return await openPool(directory);
  }
}

/** Creates the directory with BullMQ's schema in it. initdb leaves some 400 MB in its process: run it in one that ends. */
export async function createEmbedded(directory: string): Promise<void> {
  const database = await PGlite.create({ dataDir: directory, startParams: START_PARAMS });
  await runMigrations(clientOver(database), 'bullmq', {});
  await database.close();
}

async function createInChild(directory: string): Promise<void> {
  const unfinished = `${directory}.new`;
  await rm(unfinished, { recursive: true, force: true });
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

async function openPool(directory: string): Promise<EmbeddedPool> {
  const database = await PGlite.create({ dataDir: directory, startParams: START_PARAMS });
  await database.exec('SET search_path = bullmq; SET synchronous_commit = off');
  return poolOver(database);
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
        cleaning = database.exec('VACUUM').then(() => database.exec('CHECKPOINT'));
      }
      return query(text, params);
    },
    connect: async () => clientOver(database),
    end: async () => {
      await cleaning;
      if (!database.closed) await database.close();
    },
  };
  return Object.assign(new EventEmitter(), pool) as unknown as EmbeddedPool;
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

import { execFile } from 'node:child_process';
import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startPostgresContainer } from './containers.ts';
import { findProgram } from './needs.ts';
import { dockerAnswers, freePort, startServerProgram } from './program.ts';
import type { TestServer } from './server.ts';

const run = promisify(execFile);

/** Speed instead of safety: what is lost when the machine fails is a test's. */
const SETTINGS = ['-c', 'fsync=off', '-c', 'max_connections=200', '-c', 'shared_buffers=16MB'];

/** Starts a Postgres of this process's own: from Docker where that answers, else as a program. */
export async function startPostgres(): Promise<TestServer> {
  return (await dockerAnswers())
    ? startPostgresContainer(SETTINGS, { flush, ask: (url) => ask(url, 'select 1') })
    : startPostgresProgram();
}

/** Makes an empty database, and gives its address. */
export async function createDatabase({ url }: TestServer, name: string): Promise<string> {
  await ask(url, `create database ${name}`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

async function startPostgresProgram(): Promise<TestServer> {
  const path = findProgram('postgres');
  const initdb = join(dirname(path), 'initdb');
  const user = await userToRunAs();
  const dir = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'));
  if (user !== undefined) await chown(dir, user.uid, user.gid);
  const data = join(dir, 'data');
  await run(initdb, ['-D', data, '-U', 'rollcall', '-A', 'trust', '-N', '-E', 'UTF8', '--locale=C'], { ...user });
  const port = await freePort();
  const url = `postgres://rollcall@127.0.0.1:${port}/postgres`;
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', dir, ...SETTINGS];
  const ready = 'ready to accept connections';
  return startServerProgram({ path, args, user, ready, url, dir, flush: () => flush(url) });
}

/** Postgres refuses to run as root. */
export async function userToRunAs(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) => Number((await run('id', [flag, 'nobody'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

/** Empties the queues of every database. */
async function flush(url: string): Promise<void> {
  for (const { datname } of await ask(
    url,
    'select datname from pg_database where datallowconn and not datistemplate',
  )) {
    const database = new URL(url);
    database.pathname = `/${datname}`;
    const [made] = await ask(database.href, "select to_regclass('bullmq.job') as job");
    if (made?.['job'] !== null) await ask(database.href, 'truncate bullmq.job, bullmq.meta, bullmq.rate_limit cascade');
  }
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

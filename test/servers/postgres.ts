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
    ? startPostgresContainer(SETTINGS, { flush: async () => {}, ask })
    : startPostgresProgram();
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
  return startServerProgram({ path, args, user, ready, url, dir, flush: async () => {} });
}

/** Postgres refuses to run as root. */
export async function userToRunAs(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) => Number((await run('id', [flag, 'nobody'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

async function ask(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.end();
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findProgram } from './needs.ts';
import { freePort, startServerProgram } from './program.ts';
import type { TestServer } from './server.ts';

/** Starts a MariaDB of this process's own, with the user root@127.0.0.1 without a password and the database `test`. */
export async function startMariadb(): Promise<TestServer> {
  const path = findProgram('mariadb');
  // Beside the script that starts a fetched one; else where the machine has it.
  const unpacked = join(dirname(dirname(path)), 'root/usr');
  const base = existsSync(unpacked) ? unpacked : dirname(dirname(path));
  const share = ['mysql', 'mariadb'].map((name) => join(base, 'share', name)).find(existsSync) ?? base;
  const dir = await mkdtemp(join(tmpdir(), 'rollcall-mariadb-'));
  await mkdir(join(dir, 'data'));
  const places = ['--no-defaults', `--basedir=${base}`, `--datadir=${join(dir, 'data')}`, `--lc-messages-dir=${share}`];
  const own = [
    ...places,
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
    '--innodb-log-file-size=8M',
    '--skip-log-bin',
  ];
  await prepare(path, own, share);
  const port = await freePort();
  const args = [
    ...own,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${join(dir, 's')}`,
    '--skip-name-resolve',
  ];
  const url = `mysql://root@127.0.0.1:${port}/test`;
  return startServerProgram({ path, args, ready: 'ready for connections', url, dir, flush: async () => {} });
}

/** Makes the tables of the server itself. */
async function prepare(path: string, args: readonly string[], share: string): Promise<void> {
  const child = spawn(path, [...args, '--bootstrap', '--silent-startup'], { stdio: ['pipe', 'ignore', 'pipe'] });
  const said = child.stderr.setEncoding('utf8').toArray();
  const closed = once(child, 'close');
  const tables = ['mysql_system_tables.sql', 'mysql_system_tables_data.sql'];
  const sql = tables.map((name) => readFileSync(join(share, name), 'utf8'));
  child.stdin.on('error', () => {});
  child.stdin.end(['create database test;', 'create database mysql;', 'use mysql;', ...sql].join('\n'));
  const [code] = await closed;
  if (code !== 0) throw new Error(`${path} could not make its tables:\n${(await said).join('')}`);
}

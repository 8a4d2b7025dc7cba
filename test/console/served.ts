import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { LAUNCHER } from '../cli/workplace.ts';
import { endsWithTests } from '../ends-with-tests.ts';

/** `rollcall serve` as a process, with a sandbox and a data directory of its own. */
export interface Served {
  readonly url: string;
  /** Makes a token for the server. */
  token(role: 'viewer' | 'operator', name?: string): Promise<string>;
  /** Runs another command on its data directory, in a folder where it finds `files`; gives what it prints. */
  rollcall(command: readonly string[], files?: Readonly<Record<string, string>>): Promise<string>;
  kill(): Promise<void>;
  /** Starts it anew at the same address. */
  startAgain(): Promise<void>;
}

export interface ServeOptions {
  readonly flags?: readonly string[];
  /** What the sandbox knows. Default: everything. */
  readonly seed?: object;
  /** Settings of the server. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One server for the tests of a file. */
export function useServer({ flags = [], seed, env: settings = {} }: ServeOptions = {}): Served {
  let home = '';
  let url = '';
  let server: ChildProcess | undefined;
  const env = () => ({
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    HOME: home,
    ROLLCALL_DATA_DIR: join(home, 'data'),
    ...settings,
  });
  const start = async (port: string) => {
    const sandbox = seed === undefined ? ['--sandbox'] : ['--sandbox-seed', join(home, 'seed.json')];
    const child = spawn(process.execPath, [LAUNCHER, 'serve', '--port', port, ...sandbox, ...flags], {
      cwd: home,
      env: env(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    endsWithTests(child);
    server = child;
    url = await addressOf(child);
  };
  const kill = async () => {
    const child = server;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'rollcall-console-'));
    if (seed !== undefined) await writeFile(join(home, 'seed.json'), JSON.stringify(seed));
    await start('0');
  });
  afterAll(async () => {
    await kill();
    await rm(home, { recursive: true, force: true });
  });
  const rollcall: Served['rollcall'] = async (command, files = {}) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);
    return (await promisify(execFile)(process.execPath, [LAUNCHER, ...command], { cwd: home, env: env() })).stdout;
  };
  return {
    get url() {
      return url;
    },
    token: async (role, name) =>
      (await rollcall(['token', 'create', '--role', role, ...(name === undefined ? [] : ['--name', name])])).trim(),
    rollcall,
    kill,
    startAgain: () => start(new URL(url).port),
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const address = /Listening on (\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('close', () => reject(new Error(`the server ended: ${said}`)));
  });
}

/** `count` rows of one group, under the usual column names. */
export function memberRows(count: number): string {
  return `guid,uid\n${Array.from({ length: count }, (_, at) => `team,user-${at}`).join('\n')}\n`;
}

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { getContainerRuntimeClient } from 'testcontainers';
import { endsWithTests } from '../ends-with-tests.ts';
import type { TestServer } from './server.ts';

const run = promisify(execFile);

let docker: Promise<boolean> | undefined;

/** Whether Docker is here and answers. DOCKER_HOST may name another engine with the same API, such as Podman. */
export function dockerAnswers(): Promise<boolean> {
  docker ??= (
    process.env['DOCKER_HOST'] === undefined
      ? run('docker', ['info'], { timeout: 10_000 })
      : getContainerRuntimeClient()
  ).then(
    () => true,
    () => false,
  );
  return docker;
}

/**
 * A port on which nothing listens. The system gives ports of this range to no one who asks for any, so that none is taken
 * before its server has started.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(15_000, 32_000);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return isFree ? port : freePort();
}

interface Program {
  readonly path: string;
  readonly args: readonly string[];
  /** User and group to run as. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** The line that it prints when it can be used. */
  readonly ready: string;
}

/** A server in a process of its own, with the processes that it has started. It does not outlive this one. */
interface RunningProgram {
  signal(signal: NodeJS.Signals): void;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

export interface ServerProgram extends Program {
  readonly url: string;
  /** Its data, removed when it stops. */
  readonly dir: string;
  flush(): Promise<void>;
}

/** Starts a program as a server that tests may kill and freeze. */
export async function startServerProgram({ url, dir, flush, ...program }: ServerProgram): Promise<TestServer> {
  let running = await startProgram(program);
  const kill = async () => {
    running.signal('SIGKILL');
    await running.ended;
  };
  return {
    url,
    kill,
    start: async () => {
      running = await startProgram(program);
    },
    freeze: async () => running.signal('SIGSTOP'),
    thaw: async () => running.signal('SIGCONT'),
    flush,
    stop: async () => {
      await kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Resolves when the program says that it is ready. @throws Error with what it said, when it ends instead */
async function startProgram({ path, args, user, ready }: Program): Promise<RunningProgram> {
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], ...user });
  endsWithTests(child);
  const kill = () => signalTree(child, 'SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      process.off('exit', kill);
      resolve();
    });
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const listen = (text: string) => {
      if (said.includes(ready)) return;
      said += text;
      if (said.includes(ready)) resolve();
    };
    child.stdout.setEncoding('utf8').on('data', listen);
    child.stderr.setEncoding('utf8').on('data', listen);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`${path} ended before it was ready:\n${said}`)));
  });
  return { ended, signal: (signal) => signalTree(child, signal) };
}

/** Children first: a Postgres that is frozen or killed leaves its backends as they are. */
function signalTree({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  const pids = signal === 'SIGTERM' ? [pid] : [...childrenOf(pid), pid];
  for (const one of pids) {
    try {
      process.kill(one, signal);
    } catch {
      // It has ended already.
    }
  }
}

/** If the system keeps no such list, there are none. */
export function childrenOf(parent: number): number[] {
  try {
    const text = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

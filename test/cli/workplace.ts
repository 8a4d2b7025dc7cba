import { type ChildProcess, type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { ImportSummary } from '../../src/api/import-summary.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { endsWithTests } from '../ends-with-tests.ts';
import { WAIT_MS } from '../hangs.ts';
import { writeSettled } from '../settled-file.ts';
import { tempDir } from '../temp-dir.ts';
import { type Begun, beginHere, type Ended } from './run-here.ts';

/** The command line as a person has it: in a folder of its own, with nothing inherited. */

export const LAUNCHER = fileURLToPath(new URL('../../bin/rollcall.js', import.meta.url));

const LOOK_MS = 20;

export type { Ended };

/** A command under way, here or in a process of its own. */
export interface Followed extends Begun {
  /** Resolves when this text has come over standard output or standard error. */
  says(text: string): Promise<void>;
  /** Ctrl-C, or another signal: every command of the same process gets it. */
  interrupt(signal?: 'SIGINT' | 'SIGTERM'): void;
}

/** A command in a process of its own. */
export interface Running extends Followed {
  readonly child: ChildProcess;
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. Default: none. */
  readonly input?: string | Buffer | 'open';
  /** The Node that runs it. Default: the one that runs the tests. */
  readonly node?: string;
  readonly cwd?: string;
  /** For a command that is to stay: it ends with its test. */
  readonly stays?: true;
}

export interface Workplace {
  /** The folder that commands run in. */
  readonly root: string;
  readonly dataDir: string;
  /** Settings of every command. */
  readonly env: Record<string, string>;
  /** Writes a file into the folder; gives its name. */
  file(name: string, content: string | Buffer): string;
  /** Starts a process: for a command that is killed, or about what a process does. */
  start(args: readonly string[], options?: StartOptions): Running;
  /** Begins a command: in this process, unless it needs one of its own. */
  begin(args: readonly string[], options?: StartOptions): Followed;
  /** Runs a command to its end: in this process, unless it needs one of its own. */
  run(args: readonly string[], options?: StartOptions): Promise<Ended>;
  /** Runs with --json; gives the exit code and the document. */
  summary(args: readonly string[], options?: StartOptions): Promise<{ code: number | null; summary: ImportSummary }>;
}

export interface WorkplaceOptions {
  /** Name of the data directory, in the folder. */
  readonly dataDir?: string;
  /** An installed rollcall in place of the sources: every command gets a process of its own. */
  readonly launcher?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A folder with a data directory. */
export async function openWorkplace(options: WorkplaceOptions = {}): Promise<Workplace> {
  const root = tempDir();
  const { launcher = LAUNCHER } = options;
  const dataDir = join(root, options.dataDir ?? 'data');
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    HOME: root,
    ROLLCALL_DATA_DIR: dataDir,
    ...options.env,
  };
  const place: Workplace = {
    root,
    dataDir,
    env,
    file: (name, content) => {
      const path = join(root, name);
      mkdirSync(join(path, '..'), { recursive: true });
      writeSettled(path, content);
      return name;
    },
    start: (args, { env: more = {}, input, node = process.execPath, cwd = root, stays } = {}) => {
      const child = spawn(node, [launcher, ...args], {
        cwd,
        env: { ...env, ...more },
        stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
      endsWithTests(child);
      if (input !== undefined && input !== 'open') child.stdin?.end(input);
      return follow(child, args, stays ? 2 ** 31 - 1 : WAIT_MS);
    },
    begin: (args, chosen = {}) => {
      const { input, node, env: more = {}, cwd = root } = chosen;
      // With a queue elsewhere a command may end the process, and standard input that stays open belongs to one.
      const isAlone =
        launcher === LAUNCHER && input !== 'open' && node === undefined && env['ROLLCALL_QUEUE'] === undefined;
      const here = isAlone ? beginHere(args, { cwd, env: { ...env, ...more }, input }) : undefined;
      return here === undefined ? place.start(args, chosen) : followHere(here, args);
    },
    run: (args, chosen) => place.begin(args, chosen).ended,
    summary: async (args, chosen) => {
      const { code, stdout, stderr } = await place.run([...args, '--json'], chosen);
      if (stdout === '') throw new Error(`no document; exit ${code}: ${stderr}`);
      return { code, summary: JSON.parse(stdout) };
    },
  };
  return place;
}

function follow(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
  args: readonly string[],
  limitMs: number,
): Running {
  let stdout = '';
  let stderr = '';
  let over = false;
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`still running after ${limitMs} ms: ${described(args, { stdout, stderr })}`));
    }, limitMs);
    child.on('error', reject);
    child.on('close', (code) => {
      over = true;
      clearTimeout(limit);
      resolve({ code, stdout, stderr });
    });
  });
  onTestFinished(async () => {
    if (!over) child.kill('SIGKILL');
    await ended.catch(() => {});
  });
  const begun = { ended, stdout: () => stdout, stderr: () => stderr };
  return { ...begun, child, says: heardOf(begun, args), interrupt: (signal = 'SIGINT') => void child.kill(signal) };
}

function followHere(begun: Begun, args: readonly string[]): Followed {
  // Does the same as Node on a signal; nothing else in this process listens for it.
  const interrupt: Followed['interrupt'] = (signal = 'SIGINT') => void process.emit(signal);
  let over = false;
  const ended = begun.ended.finally(() => {
    over = true;
  });
  ended.catch(() => {});
  // A test that has failed leaves it running.
  onTestFinished(async () => {
    if (!over) interrupt();
    await ended.catch(() => {});
  });
  return { ...begun, ended, says: heardOf(begun, args), interrupt };
}

function heardOf(begun: Begun, args: readonly string[]): Followed['says'] {
  let over = false;
  const mark = () => {
    over = true;
  };
  // Also: a test that kills it on purpose, or fails before it waits, does not look at the end.
  begun.ended.then(mark, mark);
  return (text) =>
    until(() => {
      const [stdout, stderr] = [begun.stdout(), begun.stderr()];
      if (stdout.includes(text) || stderr.includes(text)) return true;
      if (over) throw new Error(`ended without saying ${JSON.stringify(text)}: ${described(args, { stdout, stderr })}`);
      return false;
    });
}

function described(args: readonly string[], { stdout, stderr }: Omit<Ended, 'code'>): string {
  return `rollcall ${args.join(' ')}\nstdout: ${stdout}\nstderr: ${stderr}`;
}

/** Resolves when the condition holds; the test's own time limit ends the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

export interface SandboxPlace extends Workplace {
  /** In this process, so that a test sees its counters and members. */
  readonly sandbox: Sandbox;
  /** Calls that have arrived, over all regions. */
  calls(): number;
}

/** A workplace whose settings lead to a sandbox, as a person's lead to the service. */
export async function openSandboxPlace(
  sandboxOptions: SandboxOptions = { users: 'any', groups: 'any' },
  options: WorkplaceOptions = {},
): Promise<SandboxPlace> {
  const place = await openWorkplace(options);
  const caFile = join(place.root, 'ca.pem');
  const sandbox = await startSandbox({ randomSeed: 1, ...sandboxOptions, caFile });
  onTestFinished(() => sandbox.close());
  Object.assign(place.env, sandbox.env, options.env);
  return {
    ...place,
    sandbox,
    calls: () => Object.values(sandbox.calls).reduce((sum, { requests }) => sum + requests, 0),
  };
}

/** A CSV file of memberships: `guid,uid,scope`. */
export function members(rows: readonly (readonly [guid: string, uid: string, scope?: string])[]): string {
  return `guid,uid,scope\n${rows.map(([guid, uid, scope = 'participant']) => `${guid},${uid},${scope}`).join('\n')}\n`;
}

/** `count` participants, spread over `groups` groups: calls are of one group each. */
export function manyMembers(count: number, groups = 1): string {
  return members(Array.from({ length: count }, (_, at) => [`g${at % groups}`, `u${at}`]));
}

/** A command that has read the first rows of its file, and waits for the others. */
interface ReadingHalf {
  readonly run: Running;
  /** Gives the command the end of its file, and has a whole one in its place. */
  end(content: string): Promise<void>;
}

/** Starts a command that reads a file: a pipe, because its end comes when a test wants it. */
export async function readingHalf(place: Workplace, name: string, args: readonly string[]): Promise<ReadingHalf> {
  const path = join(place.root, name);
  execFileSync('mkfifo', [path]);
  const run = place.start(args);
  const pipe = await open(path, 'r+');
  onTestFinished(() => pipe.close());
  // More than is looked at to know its format.
  await pipe.write(manyMembers(2_000));
  await until(() => unfinishedLedgers(place.dataDir).length > 0);
  return {
    run,
    end: async (content) => {
      await pipe.close();
      rmSync(path);
      place.file(name, content);
    },
  };
}

/** Ledgers whose rows are still being read. */
export function unfinishedLedgers(dataDir: string): string[] {
  const imports = join(dataDir, 'imports');
  if (!existsSync(imports)) return [];
  return readdirSync(imports, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.part'));
}

/** All files below a folder, with what is in them. */
export function filesBelow(folder: string): { readonly path: string; readonly content: Buffer }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => ({ path, content: readFileSync(path) }));
}

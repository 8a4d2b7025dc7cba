import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { ImportSummary } from '../../src/api/import-summary.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { endsWithTests } from '../ends-with-tests.ts';
import { tempDir } from '../temp-dir.ts';
import { type Ended, runHere } from './run-here.ts';

/** The command line as a person has it: in a folder of its own, with nothing inherited. */

export const LAUNCHER = fileURLToPath(new URL('../../bin/rollcall.js', import.meta.url));

/** A command that runs longer than this hangs; it is killed, and its test fails with what it has said. */
const LIMIT_MS = 240_000;
const LOOK_MS = 20;

export type { Ended };

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What has come over standard output so far. */
  stdout(): string;
  /** What has come over standard error so far. */
  stderr(): string;
  /** Resolves when this text has come over standard output or standard error. */
  says(text: string): Promise<void>;
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
  /** Starts a process. */
  start(args: readonly string[], options?: StartOptions): Running;
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
      writeFileSync(path, content);
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
      return follow(child, args, stays ? 2 ** 31 - 1 : LIMIT_MS);
    },
    run: (args, chosen = {}) => {
      const { input, node, env: more = {}, cwd = root } = chosen;
      // With a queue elsewhere a command may end the process, and standard input belongs to one.
      const isAlone =
        launcher === LAUNCHER && input === undefined && node === undefined && env['ROLLCALL_QUEUE'] === undefined;
      const here = isAlone ? runHere(args, { cwd, env: { ...env, ...more } }) : undefined;
      return here ?? place.start(args, chosen).ended;
    },
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
  const described = () => `rollcall ${args.join(' ')}\nstdout: ${stdout}\nstderr: ${stderr}`;
  const ended = new Promise<Ended>((resolve, reject) => {
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`still running after ${limitMs} ms: ${described()}`));
    }, limitMs);
    child.on('error', reject);
    child.on('close', (code) => {
      over = true;
      clearTimeout(limit);
      resolve({ code, stdout, stderr });
    });
  });
  // A test that kills it on purpose, or fails before it waits, does not look at the end.
  ended.catch(() => {});
  onTestFinished(async () => {
    if (!over) child.kill('SIGKILL');
    await ended.catch(() => {});
  });
  return {
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    says: (text) =>
      until(() => {
        if (stdout.includes(text) || stderr.includes(text)) return true;
        if (over) throw new Error(`ended without saying ${JSON.stringify(text)}: ${described()}`);
        return false;
      }),
  };
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

/** All files below a folder, with what is in them. */
export function filesBelow(folder: string): { readonly path: string; readonly content: Buffer }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => ({ path, content: readFileSync(path) }));
}

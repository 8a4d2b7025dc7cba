/** The common part of benchmarks: each contender runs in a fresh process, by turns, and medians are compared. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR, NODE_FLAGS } from '../bin/process-settings.js';

/** Node's cache of compiled code, as the command line uses it; without it every thread holds the compiler of types. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/rollcall', import.meta.url));

/** The result of one run of a contender. */
export interface Measured {
  /** Wall clock of the work, without starting node, in seconds. */
  readonly seconds: number;
  /** User and system time of the whole process with all its threads, in seconds. */
  readonly cpuSeconds: number;
  /** Most memory that the process ever held, in MB. */
  readonly peakMb: number;
  /** The amount of work, to see that contenders did the same. */
  readonly count: number;
}

/** A contender that runs. */
export interface Started {
  readonly child: ChildProcess;
  /** Resolves at its end. */
  readonly measured: Promise<Measured>;
}

/** Starts `file` of this folder in a process of its own, which prints what it measured as JSON (`report`). */
export function start(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const path = fileURLToPath(new URL(file, import.meta.url));
  // Started like the launcher does it; the others have Node's default, with which V8 keeps the rows of staging for longer.
  const ours = file.startsWith('rollcall-') || file === 'sources.ts' || args.includes('rollcall');
  const child = spawn(process.execPath, [...(ours ? NODE_FLAGS : []), path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(ours && ALLOCATOR), NODE_COMPILE_CACHE, ...env },
  });
  const finish = async (): Promise<Measured> => {
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${output}`);
    return JSON.parse(output) as Measured;
  };
  return { child, measured: finish() };
}

/** Starts it and waits for its end. */
export function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Measured> {
  return start(file, args, env).measured;
}

/** Does the work, and prints what it took for the `run` that waits. The work returns how much it did. */
export async function report(work: () => Promise<number>): Promise<void> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const count = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const measured: Measured = {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakMb: peakKb() / 1000,
    count,
  };
  process.stdout.write(JSON.stringify(measured));
}

/** Of this program alone: on Linux, what the system counts for a process begins with what its parent held when it started it. */
function peakKb(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const [, own] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return own === undefined ? process.resourceUsage().maxRSS : Number(own);
}

/** The median of each measure over several runs. */
export function middle(runs: readonly Measured[]): Measured {
  const median = (name: keyof Measured) => {
    const sorted = runs.map((run) => run[name]).sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? Number.NaN;
  };
  return {
    seconds: median('seconds'),
    cpuSeconds: median('cpuSeconds'),
    peakMb: median('peakMb'),
    count: median('count'),
  };
}

/** A line of a table: the first cell to the left, the others to the right. */
export function line(first: string, ...cells: readonly string[]): string {
  return `${first.padEnd(20)}${cells.map((cell) => cell.padStart(12)).join('')}\n`;
}

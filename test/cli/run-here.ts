import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { main } from '../../src/cli/main.ts';
import { SHARED_READING } from '../imports/shared-reading.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command under way. */
export interface Begun {
  readonly ended: Promise<Ended>;
  /** Returns standard output so far. */
  stdout(): string;
  /** Returns standard error so far. */
  stderr(): string;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard input, which one command at a time may have. */
  readonly input?: string | Buffer | undefined;
}

/** The surroundings of the commands that run here, and what this process had before. */
let entered:
  | {
      readonly inside: Surroundings;
      readonly before: Surroundings & { readonly stdin: PropertyDescriptor | undefined };
      commands: number;
    }
  | undefined;

/**
 * Begins a command line in this process, in a folder and with an environment of its own: it takes a tenth of the time of a
 * process. Undefined while others run in other surroundings: a process has one folder and one environment.
 */
export function beginHere(args: readonly string[], inside: Surroundings): Begun | undefined {
  const { input, ...place } = inside;
  if (entered !== undefined && (input !== undefined || !isDeepStrictEqual(entered.inside, place))) return undefined;
  entered ??= enter(inside);
  entered.commands += 1;
  const [out, err] = [collected(), collected()];
  const terminal = { out: out.stream, err: err.stream, live: false, color: false, width: 80 };
  const ended = main(args, { ...terminal, reading: SHARED_READING })
    .finally(leave)
    .then(async (code) => {
      out.stream.end();
      err.stream.end();
      await Promise.all([finished(out.stream), finished(err.stream)]);
      return { code, stdout: out.text(), stderr: err.text() };
    });
  return { ended, stdout: out.text, stderr: err.text };
}

/** Runs a command line to its end, as `beginHere` does. */
export function runHere(args: readonly string[], surroundings: Surroundings): Promise<Ended> | undefined {
  return beginHere(args, surroundings)?.ended;
}

function enter(inside: Surroundings) {
  const before = { cwd: process.cwd(), env: process.env, stdin: Object.getOwnPropertyDescriptor(process, 'stdin') };
  process.chdir(inside.cwd);
  process.env = { ...inside.env };
  if (inside.input !== undefined) {
    const value = Readable.from([Buffer.from(inside.input)]);
    Object.defineProperty(process, 'stdin', { configurable: true, value });
  }
  return { inside: { cwd: inside.cwd, env: { ...inside.env } }, before, commands: 0 };
}

function leave(): void {
  if (entered === undefined) return;
  entered.commands -= 1;
  if (entered.commands > 0) return;
  process.chdir(entered.before.cwd);
  process.env = entered.before.env;
  Object.defineProperty(process, 'stdin', entered.before.stdin ?? {});
  entered = undefined;
}

function collected() {
  let text = '';
  const stream = new PassThrough();
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return { stream, text: () => text };
}

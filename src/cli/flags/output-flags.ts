import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { badUsage } from '../../errors/rollcall-error.ts';

/** Destination of a command's output. */
export interface OutputFlags {
  readonly output?: string;
  readonly overwrite?: true;
}

/** @param beside what else is said about the file */
export function withOutput(command: Command, beside = '') {
  return command
    .option('--output <file>', `write to a file instead of standard output${beside}`)
    .option('--overwrite', 'with --output: replace a file that exists');
}

/**
 * Before anything is read or asked: what is there may be the only copy of what was imported.
 * @throws BAD_USAGE for a file that exists, unless it may be replaced
 */
export function refuseExisting(paths: readonly string[], { output, overwrite }: OutputFlags) {
  if (overwrite && output === undefined) throw badUsage('--overwrite replaces the file of --output; add --output');
  if (overwrite) return;
  // A device or pipe has nothing to lose.
  const existing = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  if (existing === undefined) return;
  throw existsAlready(existing);
}

export function existsAlready(place: string) {
  return badUsage(`${place} exists already; name another file with --output, or replace it with --overwrite`);
}

import type { Argument, Command } from 'commander';
import type { DataDir } from '../platform/data-dir.ts';
import type { Action } from './exit-codes.ts';

/** A suggestion of a shell. */
export type Name = readonly [word: string, meaning: string];

/** Names that the arguments of a command take. */
export interface Names {
  /** Whether the argument of a command, or of one of its commands, names one. */
  wants(command: Command, argument: Argument): boolean;
  local(dir: DataDir): Promise<readonly Name[]>;
  /** Those that every server has. */
  builtIn?(): readonly Name[];
}

interface CommandEntry {
  /** The words after its name in the list of commands. Default: `[options]`. */
  readonly usage?: string;
  readonly description: string;
  /** For programs: help does not list it. */
  readonly hidden?: true;
  /** Loads the file with `<name>Command`, and only what it needs. */
  readonly load: () => Promise<{ readonly [made: `${string}Command`]: (action: Action) => Command }>;
  /** Returns the completions of its arguments, if these are no imports; loaded when they are needed. */
  readonly names?: () => Promise<Names>;
  readonly settings?: false;
}

export type Commands = Readonly<Record<string, CommandEntry>>;

export type LoadCommand = (name: string) => Promise<Command | undefined>;

import type { Argument, Command } from 'commander';

/** A suggestion of a shell. */
export type Name = readonly [word: string, meaning: string];

/** Names that the arguments of a command take. */
export interface Names {
  /** Whether the argument of a command, or of one of its commands, names one. */
  wants(command: Command, argument: Argument): boolean;
  /** Those of a data directory. */
  local(dataDir: string): Promise<readonly Name[]>;
  /** Those that every server has: no one is asked over the network. */
  builtIn?(dataDir: string): Promise<readonly Name[]>;
  /** The command is about this machine, whatever server there is. */
  readonly ofThisMachine?: true;
}

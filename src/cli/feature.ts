import type { Argument, Command } from 'commander';
import type { ImportView } from '../api/imports.ts';
import type { ImportOptions } from '../imports/import-options.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import type { ByLookup } from '../options/lookups.ts';
import type { Config } from '../platform/config.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { Coordinating } from './coordinate.ts';
import type { ExitCode } from './exit-codes.ts';
import type { ImportFlags } from './flags/import-flags.ts';
import type { RunOptions } from './run-import.ts';
import type { Io } from './screen/io.ts';
import type { Imports, RemoteOptions } from './target/import-place.ts';
import type { Server } from './target/server-client.ts';

/** Additions of features to the commands of imports; each is loaded when it is used. */
export interface CommandFeatures {
  readonly recipes?: () => Promise<UsingRecipes>;
  readonly inspect?: () => Promise<Inspecting>;
  readonly repair?: () => Promise<Editing>;
  readonly check?: () => Promise<Checking>;
  readonly sync?: () => Promise<CarryingOut>;
}

/** `--recipe` */
export interface UsingRecipes {
  /** Like `optionsWithRecipe`. */
  optionsWith(
    config: Config,
    recipe: string,
    options: ImportOptions,
    path: string,
    name: string,
  ): Promise<ImportOptions>;
}

/** After a file was refused. */
export interface Inspecting {
  /** Says what the file is, and a command that would work. */
  sayWhatItIs(io: Io, config: Config, file: string, options: ImportOptions, lookups: ByLookup<string>): Promise<void>;
}

/** `retry --edits` */
export interface Editing {
  /** The text of a corrected report. @throws UsageError */
  read(path: string): Promise<string>;
  /**
   * Keeps the edits and sends what can be sent; the id of the new import, or undefined where there is nothing to send.
   * @throws CannotRepair, WrongState
   */
  send(
    of: { readonly coordinator: Coordinator; readonly dir: DataDir },
    edits: Edits,
    io: Io,
    by: string,
  ): Promise<string | undefined>;
  /** The same at a server. @throws ServerRefused */
  sendTo(server: Server, edits: Edits, io: Io): Promise<string | undefined>;
}

/** The text of a corrected report, the import whose rows it corrects, and the imports that its retry is one of. */
export interface Edits {
  readonly text: string;
  readonly found: ImportView;
  readonly imports: Imports;
}

/** `import --check`, and checks in `status`. */
export interface Checking {
  /** Has a file read in this process, checks it, shows what it finds, and sends nothing. */
  local(options: RunOptions & { readonly maxCalls: number }): Promise<ExitCode>;
  /** The same at a server. */
  remote(options: RemoteOptions, file: string, flags: ImportFlags, maxCalls: number): Promise<ExitCode>;
  /** Returns the check of an import that was not sent; undefined if there is none. */
  status(config: Config, imports: Imports, found: ImportView): Promise<CheckStatus | undefined>;
}

interface CheckStatus {
  /** For programs, as the API shows it. */
  readonly document: object;
  readonly isDone: boolean;
  readonly isUnderWay: boolean;
  /** Prints the result and the next steps. */
  readonly conclude: (io: Io) => void;
}

/** `resume` of an import that carries out a sync, which must be notified of its end. */
export interface CarryingOut {
  beside(config: Config, io: Io, id: string, coordinating: Coordinating): void;
}

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

import { existsSync, statSync } from 'node:fs';
import type { StagingProgress } from '../../jobs/stage-import.ts';
import type { Config } from '../config.ts';
import { type ImportReader, openImportReader } from '../ledger/reading.ts';
import type { Coordinator } from '../pipeline/coordinator.ts';
import { type DataDir, dataDir } from '../pipeline/data-dir.ts';
import { readOptions } from '../pipeline/import-options.ts';
import { conclude } from './conclude.ts';
import { type CoordinateOptions, coordinate } from './coordinate.ts';
import { findImport, findingsOf } from './data.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import { type Io, say } from './io.ts';
import { localImports } from './local-imports.ts';
import { type Progress, showProgress } from './progress.ts';

export interface RunOptions extends Omit<CoordinateOptions, 'goOn'> {
  readonly json: boolean;
  /** Prints nothing at the end. */
  readonly quiet?: boolean;
  /** Starts or goes on with an import, and gives its id; undefined when the signal came before there was one. */
  readonly begin: (coordinator: Coordinator, signal: AbortSignal) => Promise<string | undefined>;
}

/** Runs an import in this process, shows it, and ends with the exit code that it has earned. */
export async function runImport(options: RunOptions): Promise<ExitCode> {
  const { config, io } = options;
  let id: string | undefined;
  let sandbox = '';
  const goOn = () => (id === undefined ? [] : ['Go on with:', `  ${config.command} resume ${id}${sandbox}`]);
  const failure = await coordinate({ ...options, goOn }, async ({ coordinator, dir, signal, until }) => {
    id = await options.begin(coordinator, signal);
    if (id === undefined) return;
    if (readOptions(coordinator.find(id)).sandbox) sandbox = ' --sandbox';
    await until(coordinator.settled(id), followImport(io, dir, coordinator, id));
  });
  if (failure !== undefined) return EXIT.fatal;
  if (id === undefined) return sayNothingBegan(io);
  if (options.quiet) return earned(config, id);
  return conclude(localImports(config), io, id, options.json);
}

function earned(config: Config, id: string): ExitCode {
  const record = findImport(config.dataDir, id);
  return exitCodeOf(record, findingsOf(dataDir(config.dataDir), record).summary.rows);
}

export function sayNothingBegan(io: Io): ExitCode {
  say(io, 'Stopped before an import began; nothing was sent, and nothing is kept.');
  return EXIT.interrupted;
}

export function followImport(io: Io, dir: DataDir, coordinator: Coordinator, id: string): Progress {
  let staging: StagingProgress | undefined;
  let reader: ImportReader | undefined;
  const onStaging = (staged: string, progress: StagingProgress) => {
    if (staged === id) staging = progress;
  };
  coordinator.events.on('staging', onStaging);
  const totalBytes = sizeOf(coordinator.find(id).source);
  const progress = showProgress(io, {
    tallies: () => {
      // There is no ledger while the input is read, nor after an input that was refused.
      if (reader === undefined && existsSync(dir.ledger(id))) reader = openImportReader(dir.ledger(id));
      return reader?.tallies();
    },
    staging: () => (staging === undefined ? undefined : { ...staging, totalBytes }),
    regions: () => coordinator.regions(),
  });
  return {
    stop: () => {
      progress.stop();
      coordinator.events.off('staging', onStaging);
      reader?.close();
    },
  };
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

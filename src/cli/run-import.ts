import { statSync } from 'node:fs';
import type { ImportRecord } from '../imports/catalog.ts';
import { readOptions } from '../imports/import-options.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { ledgerIsThere } from '../imports/lost-ledger.ts';
import { type ImportReader, openImportReader } from '../imports/report/import-reader.ts';
import { writtenBy } from '../imports/report/summarize.ts';
import type { StagingProgress } from '../imports/stage/stage-file.ts';
import { isFinal } from '../membership/import-state.ts';
import { messagesSentence } from '../membership/outcome-words.ts';
import type { Config } from '../platform/config.ts';
import { type DataDir, dataDir } from '../platform/data-dir.ts';
import { intoOneFile } from '../platform/sqlite.ts';
import { localImports } from './client/data-directory.ts';
import { findImport, summaryOfKept } from './client/kept-imports.ts';
import { type CoordinateOptions, type Coordinating, coordinate } from './coordinate.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import { conclude } from './screen/conclude.ts';
import { type Io, say } from './screen/io.ts';
import { type Progress, showProgress } from './screen/show-progress.ts';
import { typedCommand } from './typed-command.ts';

/** One import that a command runs to its end. */
export interface RunOptions extends Omit<CoordinateOptions, 'howToContinue'> {
  readonly json: boolean;
  /** Prints nothing at the end. */
  readonly quiet?: boolean;
  /** Begins what is to run beside the import, before it. */
  readonly beside?: (coordinating: Coordinating) => Promise<void>;
  /** Printed when there was none. Default: that the signal came first. */
  readonly nothingBegan?: () => ExitCode;
  /** The event that progress says it waits for while `begin` lasts. Default: IMPORT_BEGINS. */
  readonly begins?: string;
  /** Progress of `begin`. */
  readonly beginLines?: () => readonly string[];
  /** Starts or continues an import, and returns its id; undefined when the signal came before there was one, or there is none. */
  readonly begin: (coordinator: Coordinator, signal: AbortSignal) => Promise<string | undefined>;
}

export const IMPORT_BEGINS = 'the import to begin';

/** Runs an import in this process, shows its progress, and returns its exit code. */
export async function runImport(options: RunOptions): Promise<ExitCode> {
  const { config, io } = options;
  let id: string | undefined;
  let sandbox = '';
  const howToContinue = () =>
    id === undefined ? [] : ['Continue with:', `  ${typedCommand(config, 'resume', id)}${sandbox}`];
  const failure = await coordinate({ ...options, howToContinue }, async (coordinating) => {
    const { coordinator, dir, signal, until, begun } = coordinating;
    await options.beside?.(coordinating);
    id = await begun(options.begin(coordinator, signal), options.begins ?? IMPORT_BEGINS, options.beginLines);
    if (id === undefined) return;
    if (readOptions(coordinator.find(id)).sandbox) sandbox = ' --sandbox';
    await until(coordinator.settled(id), followImport(io, dir, coordinator, id));
  });
  if (failure !== undefined) return EXIT.fatal;
  if (id === undefined) return options.nothingBegan?.() ?? sayNothingBegan(io);
  if (options.quiet) return earned(config, id);
  return conclude(localImports(config), io, id, options.json);
}

function earned(config: Config, id: string): ExitCode {
  const record = findImport(config.dataDir, id);
  return exitCodeOf(record, summaryOfKept(dataDir(config.dataDir), record).rows);
}

export function sayNothingBegan(io: Io): ExitCode {
  say(io, 'Stopped before anything began; nothing was sent, and nothing was stored.');
  return EXIT.interrupted;
}

export function followImport(io: Io, dir: DataDir, coordinator: Coordinator, id: string): Progress {
  let staging: StagingProgress | undefined;
  let reader: ImportReader | undefined;
  const onStaging = (staged: string, progress: StagingProgress) => {
    if (staged === id) staging = progress;
  };
  coordinator.events.on('staging', onStaging);
  const onStart = ({ id: started, state }: Pick<ImportRecord, 'id' | 'state'>) => {
    if (started !== id || state !== 'running') return;
    coordinator.events.off('state', onStart);
    announce(io, dir.ledger(id));
  };
  coordinator.events.on('state', onStart);
  const totalBytes = sizeOf(coordinator.find(id).source);
  const progress = showProgress(io, {
    counters: () => {
      // There is no ledger while the input is read, or if it was refused.
      if (reader === undefined && ledgerIsThere(dir.ledger(id))) reader = openImportReader(dir.ledger(id));
      return reader?.counters();
    },
    staging: () => (staging === undefined ? undefined : { ...staging, totalBytes }),
    regions: () => coordinator.regions.status(),
  });
  return {
    stop: () => {
      progress.stop();
      coordinator.events.off('staging', onStaging);
      coordinator.events.off('state', onStart);
      reader?.close();
      if (isFinal(coordinator.find(id).state)) intoOneFile(dir.ledger(id));
    },
  };
}

/** Says before the first call what other users will see of it. */
function announce(io: Io, ledger: string): void {
  let reader: ImportReader;
  try {
    reader = openImportReader(ledger);
  } catch {
    // Such as for want of a file handle: what is only shown does not end an import.
    return;
  }
  const { writes } = writtenBy(reader.counters());
  reader.close();
  if (writes !== undefined) say(io, messagesSentence(writes));
}

function sizeOf(path: string): number | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  return status?.isFile() ? status.size : undefined;
}

import { existsSync, statSync } from 'node:fs';
import type { StagingProgress } from '../../jobs/stage-import.ts';
import type { Config } from '../config.ts';
import { type ImportReader, openImportReader } from '../ledger/reading.ts';
import { createLifecycle, firstSignal, leaveWithoutQueue } from '../lifecycle.ts';
import { openLog } from '../log.ts';
import { isUnderWay } from '../membership/import-state.ts';
import { serveControl } from '../pipeline/control.ts';
import type { Coordinator } from '../pipeline/coordinator.ts';
import { type DataDir, dataDir, makeDataDir } from '../pipeline/data-dir.ts';
import { summaryText } from '../report/summary.ts';
import { composeCoordinator, type Service } from './compose.ts';
import { findImport, findingsOf } from './data.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import { type Io, say } from './io.ts';
import { nextSteps } from './next-steps.ts';
import { showProgress } from './progress.ts';

export interface RunOptions {
  readonly config: Config;
  readonly io: Io;
  readonly json: boolean;
  /** Prints nothing at the end. */
  readonly quiet?: boolean;
  /** What the calls go to; opened before the coordinator, closed after it. */
  readonly openService: () => Promise<Service & { close(): Promise<void> }>;
  /** Starts or goes on with an import, and gives its id; undefined when the signal came before there was one. */
  readonly begin: (coordinator: Coordinator, signal: AbortSignal) => Promise<string | undefined>;
}

/** Runs an import in this process, shows it, and ends with the exit code that it has earned. */
export async function runImport(options: RunOptions): Promise<ExitCode> {
  const { config, io } = options;
  const dir = dataDir(config.dataDir);
  const life = createLifecycle();
  let id: string | undefined;
  let failure: Error | undefined;
  const goOn = () => (id === undefined ? [] : ['Go on with:', `  ${config.command} resume ${id}`]);
  const signal = firstSignal(EXIT.interrupted, () => say(io, 'Left at once.', ...goOn()));
  try {
    const service = await options.openService();
    life.onStop(() => service.close());
    // Made once in each data directory; it takes a few seconds, and silence would look like a fault.
    if (config.queue === undefined && !existsSync(dir.queue)) say(io, 'Preparing the queue for its first use …');
    makeDataDir(dir);
    const log = openLog(dir.root);
    const coordinator = await composeCoordinator(config, service, log, (text) => {
      log.warn(text);
      say(io, `Warning: ${text}.`);
    });
    life.onStop((deadlineMs) => coordinator.stop(deadlineMs));
    const failed = new Promise<void>((resolve) => {
      coordinator.events.once('failure', (error) => {
        failure = error;
        resolve();
      });
    });
    const control = await serveControl(dir, coordinator);
    life.onStop(() => control.close());
    id = await options.begin(coordinator, signal.signal);
    if (id === undefined) return sayNothingBegan(io);
    const progress = followImport(io, dir, coordinator, id);
    const interrupted = await Promise.race([
      coordinator.settled(id).then(() => false),
      failed.then(() => false),
      signal.arrived.then(() => true),
    ]);
    progress.stop();
    if (interrupted) say(io, '', 'Stopping: calls under way may finish. Ctrl-C again leaves at once.');
  } finally {
    const leave = () => say(io, 'The queue does not answer; left without it.', ...goOn());
    const stay = config.queue === undefined ? () => {} : leaveWithoutQueue(EXIT.interrupted, leave);
    await life.stop();
    stay();
    signal.ignore();
  }
  if (failure !== undefined) {
    say(io, '', `rollcall cannot go on: ${failure.message}`, 'When it is mended:', ...goOn().slice(1));
    return EXIT.fatal;
  }
  if (options.quiet) return earned(config, id);
  return conclude(config, io, id, options.json);
}

function earned(config: Config, id: string): ExitCode {
  const record = findImport(config.dataDir, id);
  return exitCodeOf(record, findingsOf(dataDir(config.dataDir), record).summary.rows);
}

function sayNothingBegan(io: Io): ExitCode {
  say(io, 'Stopped before an import began; nothing was sent, and nothing is kept.');
  return EXIT.interrupted;
}

/** Prints what an import has come to and what comes next; gives its exit code. */
export function conclude(config: Config, io: Io, id: string, json: boolean): ExitCode {
  const dir = dataDir(config.dataDir);
  const record = findImport(config.dataDir, id);
  const { summary, problems } = findingsOf(dir, record);
  if (json) io.out.write(`${JSON.stringify(summary)}\n`);
  else if (summary.rows.read > 0)
    io.out.write(
      `\n${summaryText(summary, { color: io.color, width: io.width, problems, interrupted: isUnderWay(record.state) })}`,
    );
  say(io, '', ...nextSteps(config, record, summary));
  return exitCodeOf(record, summary.rows);
}

function followImport(io: Io, dir: DataDir, coordinator: Coordinator, id: string) {
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

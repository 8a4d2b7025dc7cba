import { existsSync, statSync } from 'node:fs';
import type { StagingProgress } from '../../jobs/stage-import.ts';
import type { Config } from '../config.ts';
import { type ImportReader, openImportReader } from '../ledger/reading.ts';
import { createLifecycle, firstSignal } from '../lifecycle.ts';
import { openLog } from '../log.ts';
import { serveControl } from '../pipeline/control.ts';
import type { Coordinator } from '../pipeline/coordinator.ts';
import { type DataDir, dataDir } from '../pipeline/data-dir.ts';
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
  /** Starts or goes on with an import, and gives its id. */
  readonly begin: (coordinator: Coordinator) => Promise<string>;
}

/** Runs an import in this process, shows it, and ends with the exit code that it has earned. */
export async function runImport(options: RunOptions): Promise<ExitCode> {
  const { config, io } = options;
  const dir = dataDir(config.dataDir);
  const life = createLifecycle();
  const signal = firstSignal(EXIT.interrupted);
  let id: string | undefined;
  let failure: Error | undefined;
  try {
    const service = await options.openService();
    life.onStop(() => service.close());
    // Made once in each data directory; it takes a few seconds, and silence would look like a fault.
    if (!existsSync(dir.queue)) say(io, 'Preparing the queue for its first use …');
    const log = openLog(dir.root);
    const coordinator = await composeCoordinator(config, service, log);
    life.onStop((deadlineMs) => coordinator.stop(deadlineMs));
    const failed = new Promise<void>((resolve) => {
      coordinator.events.once('failure', (error) => {
        failure = error;
        resolve();
      });
    });
    const control = await serveControl(dir, coordinator);
    life.onStop(() => control.close());
    id = await options.begin(coordinator);
    const progress = followImport(io, dir, coordinator, id);
    const interrupted = await Promise.race([
      coordinator.settled(id).then(() => false),
      failed.then(() => false),
      signal.arrived.then(() => true),
    ]);
    progress.stop();
    if (interrupted) say(io, '', 'Stopping: calls under way may finish. Ctrl-C again leaves at once.');
  } finally {
    await life.stop();
    signal.ignore();
  }
  if (failure !== undefined) {
    say(io, '', `rollcall cannot go on: ${failure.message}`, `Mend it, then: ${config.command} resume ${id}`);
    return EXIT.fatal;
  }
  if (options.quiet) return exitCodeOf(...stateOf(config, id));
  return conclude(config, io, id, options.json);
}

function stateOf(config: Config, id: string): Parameters<typeof exitCodeOf> {
  const record = findImport(config.dataDir, id);
  return [record.state, findingsOf(dataDir(config.dataDir), record).summary.rows];
}

/** Prints what an import has come to and what comes next; gives its exit code. */
export function conclude(config: Config, io: Io, id: string, json: boolean): ExitCode {
  const dir = dataDir(config.dataDir);
  const record = findImport(config.dataDir, id);
  const { summary, problems } = findingsOf(dir, record);
  if (json) io.out.write(`${JSON.stringify(summary)}\n`);
  else if (summary.rows.read > 0)
    io.out.write(`\n${summaryText(summary, { color: io.color, width: io.width, problems })}`);
  say(io, '', ...nextSteps(config, record, summary));
  const withoutApp = record.state === 'staged' && record.reason.includes('_APP_ID');
  return withoutApp ? EXIT.usage : exitCodeOf(record.state, summary.rows);
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
      if (coordinator.find(id).state === 'staging') return undefined;
      reader ??= openImportReader(dir.ledger(id));
      return reader.tallies();
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

import { Command } from 'commander';
import { serviceOpener } from '../../../app/open-service.ts';
import { noteHere } from '../../../cli/audit.ts';
import type { Coordinating } from '../../../cli/coordinate.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { UsageError } from '../../../cli/errors.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { type RunningFlags, type ServerFlags, withRunning, withServer } from '../../../cli/flags/flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { runSync } from '../../sync/commands/run-sync.ts';
import type { SyncRunner } from '../../sync/run/runner-port.ts';
import { readSyncOptions } from '../../sync/sync-options.ts';
import type { ScheduleRunView } from '../api.ts';
import { scheduleRunsOptions } from '../compose-schedules.ts';
import { scheduleOperations } from '../operations.ts';
import { ScheduleRuns } from '../schedule-runs.ts';
import { askToRun } from './schedule-control.ts';
import { openSchedules, runDocument, withSchedules } from './schedule-target.ts';

type Flags = RunningFlags & ServerFlags;

/** `rollcall schedule run`: runs a schedule now, by the server where there is one, else in this process. */
export function scheduleRunCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('run')
    .description('run a schedule now, even if it is paused or not due; on the server if one is running')
    .argument('<name>', 'as `schedule list` shows it');
  withServer(withRunning(command));
  return command.action((name: string, flags: Flags) => end(run(io, name, flags)));
}

async function run(io: Io, name: string, flags: Flags): Promise<ExitCode> {
  const { config, server, command } = await openSchedules(flags);
  const begun =
    server === undefined ? await runByOwner(config, name) : await server.call(scheduleOperations.run, { name });
  if (begun !== undefined) {
    if (flags.json) io.out.write(`${JSON.stringify(runDocument(name, begun))}\n`);
    say(io, `The server runs schedule ${name} now. See what comes of it with:`);
    say(io, `  ${command('schedule', 'history', name)}`);
    return EXIT.ok;
  }
  const { sandbox } = withSchedules(config, name, ({ find }) => readSyncOptions(find(name)));
  if (sandbox !== (flags.sandbox === true)) {
    throw new UsageError(
      sandbox
        ? `schedule ${name} was meant for the sandbox; type: ${typedCommand(config, 'schedule', 'run', name)} --sandbox`
        : `schedule ${name} was not meant for the sandbox; leave out --sandbox`,
    );
  }
  return runHere(io, config, name, flags);
}

/** Undefined where no process serves the data directory. */
async function runByOwner(config: Config, name: string): Promise<ScheduleRunView | undefined> {
  const begun = await askToRun(config, name);
  if (begun === undefined) return undefined;
  noteHere(dataDir(config.dataDir), 'schedule.run', name);
  return withSchedules(config, name, (views) => views.run(begun));
}

async function runHere(io: Io, config: Config, name: string, flags: Flags): Promise<ExitCode> {
  const json = flags.json === true;
  let id = 0;
  let syncId: string | undefined;
  const code = await runSync({
    config,
    io,
    json,
    openService: serviceOpener(config, flags),
    begin: async (syncs, here) => {
      const runs = openRuns(config, syncs, here);
      await runs.noteInterrupted();
      ({ id } = runs.begin(name, currentUser()));
      noteHere(dataDir(config.dataDir), 'schedule.run', name);
      syncId = await syncOf(runs, id, here.signal);
      return syncId;
    },
  });
  const over = findRun(config, name, id);
  const { state, reason } = over;
  if (syncId !== undefined) {
    say(io, '', `Schedule ${name}: ${reason}.`);
    return code;
  }
  if (json) io.out.write(`${JSON.stringify(runDocument(name, over))}\n`);
  if (state === 'running') {
    say(io, 'Stopped before the plan was ready; nothing was sent.');
    return EXIT.interrupted;
  }
  say(io, `Nothing was sent: ${reason}.`);
  return state === 'failed' ? EXIT.usage : EXIT.ok;
}

/** Stops the runs before the syncs that they follow. */
function openRuns(config: Config, syncs: SyncRunner, here: Coordinating): ScheduleRuns {
  const options = scheduleRunsOptions(config, { ...here, sendsTo: here.coordinator.sendsTo, syncs });
  const runs = new ScheduleRuns(options);
  here.onStop(async () => {
    await runs.stop();
    options.catalog.close();
  });
  return runs;
}

/** The sync that a run makes; undefined when it ends without one, or a signal comes first. */
function syncOf(runs: ScheduleRuns, id: number, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    runs.events.on('run', (run) => {
      if (run.id !== id) return;
      if (run.state !== 'running') resolve(undefined);
      else if (run.syncId !== null) resolve(run.syncId);
    });
    signal.addEventListener('abort', () => resolve(undefined));
  });
}

function findRun(config: Config, name: string, id: number): ScheduleRunView {
  return withSchedules(config, name, ({ catalog, run }) => {
    const found = catalog.findRun(id);
    if (found === undefined) throw new Error(`the run ${id} has left no record`);
    return run(found);
  });
}

import { serviceOpener } from '../../../app/open-service.ts';
import { askOwner } from '../../../app/owner-socket.ts';
import { askedHere } from '../../../cli/audit.ts';
import type { Imports } from '../../../cli/client/import-place.ts';
import { handledLocally } from '../../../cli/client/local-client.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import type { RunningFlags } from '../../../cli/flags/flags.ts';
import { type Here, run } from '../../../cli/run.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { syncsOf } from '../../sync/commands/sync-client.ts';
import { syncWork } from '../../sync/commands/sync-work.ts';
import type { SyncRunner } from '../../sync/run/sync-runner.ts';
import { scheduleRunsOptions } from '../compose-schedules.ts';
import { scheduleOperations } from '../operations.ts';
import { runningHandlers } from '../routes/handlers.ts';
import { ScheduleRuns } from '../schedule-runs.ts';
import { schedulesHere } from './schedule-client.ts';

/** A schedule that a command runs. */
interface RunOfSchedule {
  readonly io: Io;
  readonly config: Config;
  readonly imports: Imports;
  readonly name: string;
  readonly flags: RunningFlags;
}

/** Runs a schedule: by a server or the process that owns the data directory, else here, to its end. */
export async function runSchedule(wanted: RunOfSchedule): Promise<ExitCode> {
  const { io, config, imports, name, flags } = wanted;
  const { server } = imports;
  const begun = server
    ? await server.call(scheduleOperations.run, { name })
    : await askOwner(dataDir(config.dataDir), scheduleOperations.run, { name }, currentUser());
  if (begun === undefined) return runAlone(wanted);
  if (flags.json) io.out.write(`${JSON.stringify(begun)}\n`);
  say(io, `The server runs schedule ${name} now. See what comes of it with:`);
  say(io, `  ${imports.command('schedule', 'history', name)}`);
  return EXIT.ok;
}

async function runAlone({ io, config, imports, name, flags }: RunOfSchedule): Promise<ExitCode> {
  const client = schedulesHere(config, flags.sandbox === true);
  const { sandbox } = await client.call(scheduleOperations.one, { name });
  if (sandbox !== (flags.sandbox === true)) {
    throw new UsageError(
      sandbox
        ? `schedule ${name} was meant for the sandbox; type: ${imports.command('schedule', 'run', name)} --sandbox`
        : `schedule ${name} was not meant for the sandbox; leave out --sandbox`,
    );
  }
  const json = flags.json === true;
  let id = 0;
  let syncId: string | undefined;
  const running = { config, io, imports, openService: async () => serviceOpener(config, flags)() };
  const work = syncWork(running, {
    shown: { io, json, syncs: syncsOf(config, imports) },
    isNew: true,
    begin: async ({ here }, syncs) => {
      if (here === undefined || syncs === undefined) throw new Error('a server runs its schedules itself');
      const { runs, client } = openRuns(config, syncs, here);
      await runs.noteInterrupted();
      ({ id } = await client.call(scheduleOperations.run, { name }));
      syncId = await syncOf(runs, id, here.signal);
      return syncId === undefined ? { code: EXIT.ok } : { id: syncId };
    },
  });
  const code = await run(running, work);
  const { runs } = await client.call(scheduleOperations.history, { name, limit: '100' });
  const over = runs.find((run) => run.id === id);
  if (over === undefined) throw new Error(`the run ${id} has left no record`);
  const { state, reason } = over;
  if (syncId !== undefined) {
    say(io, '', `Schedule ${name}: ${reason}.`);
    return code;
  }
  if (json) io.out.write(`${JSON.stringify(over)}\n`);
  if (state === 'running') {
    say(io, 'Stopped before the plan was ready; nothing was sent.');
    return EXIT.interrupted;
  }
  say(io, `Nothing was sent: ${reason}.`);
  return state === 'failed' ? EXIT.usage : EXIT.ok;
}

/** Opens the runs, which are stopped before the syncs that they follow, and the client that begins them. */
function openRuns(config: Config, syncs: SyncRunner, here: Here) {
  const { dir, coordinator } = here;
  const options = scheduleRunsOptions(config, { ...here, sendsTo: coordinator.sendsTo, syncs });
  const { catalog } = options;
  const runs = new ScheduleRuns(options);
  here.onStop(async () => {
    await runs.stop();
    catalog.close();
  });
  const handlers = runningHandlers(runs);
  return { runs, client: handledLocally(scheduleOperations, handlers, askedHere(dir, coordinator.sendsTo)) };
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

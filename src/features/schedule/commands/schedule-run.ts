import { serviceOpener } from '../../../app/open-service.ts';
import { askOwner } from '../../../app/owner-socket.ts';
import { askedHere } from '../../../cli/audit.ts';
import { handledLocally } from '../../../cli/client/local-client.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import type { RunningFlags } from '../../../cli/flags/flags.ts';
import { type Running, run } from '../../../cli/run.ts';
import { printJson, say } from '../../../cli/screen/io.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { syncsOf } from '../../sync/commands/sync-client.ts';
import { syncWork } from '../../sync/commands/sync-work.ts';
import { openSchedules } from '../compose-schedules.ts';
import { scheduleOperations } from '../operations.ts';
import { runningHandlers } from '../routes/handlers.ts';
import type { ScheduleRuns } from '../schedule-runs.ts';
import { schedulesHere } from './schedule-client.ts';

/** A schedule that a command runs. */
interface RunOfSchedule extends Pick<Running, 'io' | 'config' | 'imports'> {
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
  if (flags.json) printJson(io, begun);
  say(
    io,
    `The server runs schedule ${name} now. See what comes of it with:`,
    `  ${imports.command('schedule', 'history', name)}`,
  );
  return EXIT.ok;
}

async function runAlone({ name, flags, ...place }: RunOfSchedule) {
  const { io, config, imports } = place;
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
  const running = { ...place, openService: async () => serviceOpener(config, flags)() };
  const work = syncWork(running, {
    shown: { io, json, syncs: syncsOf(config, imports) },
    isNew: true,
    begin: async ({ here }, syncs) => {
      if (here === undefined || syncs === undefined) throw new Error('a server runs its schedules itself');
      const { dir, coordinator, onStop, signal } = here;
      const { sendsTo } = coordinator;
      const { runs, stop } = openSchedules(config, { ...here, sendsTo, syncs });
      onStop(stop);
      await runs.noteInterrupted();
      const own = handledLocally(scheduleOperations, runningHandlers(runs), askedHere(dir, sendsTo));
      ({ id } = await own.call(scheduleOperations.run, { name }));
      syncId = await syncOf(runs, id, signal);
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
  if (json) printJson(io, over);
  if (state === 'running') {
    say(io, 'Stopped before the plan was ready; nothing was sent.');
    return EXIT.interrupted;
  }
  say(io, `Nothing was sent: ${reason}.`);
  return state === 'failed' ? EXIT.usage : EXIT.ok;
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

import { handledLocally } from '../../../cli/client/local-client.ts';
import { EXIT } from '../../../cli/exit-codes.ts';
import type { RunningFlags } from '../../../cli/flags/flags.ts';
import { openRunning, type Running, run } from '../../../cli/run.ts';
import { type Io, printJson, say } from '../../../cli/screen/io.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import { syncsOf } from '../../sync/commands/sync-client.ts';
import { syncWork } from '../../sync/commands/sync-work.ts';
import { openSchedules } from '../compose-schedules.ts';
import { scheduleOperations } from '../operations.ts';
import { runningHandlers } from '../routes/handlers.ts';
import type { ScheduleRuns } from '../schedule-runs.ts';
import { schedulesHere } from './schedule-client.ts';

/** Runs a schedule: by a server or the process that owns the data directory, else here, to its end. */
export async function runSchedule(io: Io, name: string, flags: RunningFlags) {
  const running = await openRunning(io, flags);
  const { imports, json } = running;
  const begun = await imports.ask(scheduleOperations.run, { name });
  if (begun === undefined) return runAlone(running, name, flags.sandbox === true);
  if (json) printJson(io, begun);
  say(
    io,
    `The server runs schedule ${name} now. See what comes of it with:`,
    `  ${imports.command('schedule', 'history', name)}`,
  );
  return EXIT.ok;
}

async function runAlone(running: Running, name: string, isSandbox: boolean) {
  const { io, config, imports, json } = running;
  const client = schedulesHere(config, isSandbox);
  const { sandbox } = await client.call(scheduleOperations.one, { name });
  if (sandbox !== isSandbox) {
    throw badUsage(
      sandbox
        ? `schedule ${name} was meant for the sandbox; type: ${imports.command('schedule', 'run', name)} --sandbox`
        : `schedule ${name} was not meant for the sandbox; leave out --sandbox`,
    );
  }
  let id = 0;
  let syncId: string | undefined;
  const work = syncWork(running, {
    shown: { ...running, syncs: syncsOf(config, imports) },
    isNew: true,
    begin: async ({ here }, syncs) => {
      if (here === undefined || syncs === undefined) throw new Error('a server runs its schedules itself');
      const { onStop, signal } = here;
      const { sendsTo } = here.coordinator;
      const { runs, stop } = openSchedules(config, { ...here, sendsTo, syncs });
      onStop(stop);
      await runs.noteInterrupted();
      const own = handledLocally(scheduleOperations, runningHandlers(runs), here);
      ({ id } = await own.call(scheduleOperations.run, { name }));
      syncId = await syncOf(runs, id, signal);
      return syncId === undefined ? { code: EXIT.ok } : { id: syncId };
    },
  });
  const code = await run(running, { ...work, owner: undefined });
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

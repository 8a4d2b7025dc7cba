import { serviceTarget } from '../../../app/chat-service.ts';
import { isAlone } from '../../../cli/client/imports.ts';
import { changeCatalog, ownerElse } from '../../../cli/client/local-client.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import { EXIT } from '../../../cli/exit-codes.ts';
import type { RunningFlags } from '../../../cli/flags/flags.ts';
import { checkTarget, type Doing, openRunning, run, type Work } from '../../../cli/run.ts';
import { followSteps } from '../../../cli/screen/follow.ts';
import { type Io, printJson, say } from '../../../cli/screen/io.ts';
import { badUsage, RollcallError } from '../../../errors/rollcall-error.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import type { Config } from '../../../platform/config.ts';
import { hasCatalog } from '../../../platform/data-dir.ts';
import { handled } from '../../../server/perform.ts';
import { printable } from '../../../text/wording.ts';
import { syncWork } from '../../sync/commands/sync-work.ts';
import { openSchedules } from '../compose-schedules.ts';
import { type ScheduleRun, scheduleOperations } from '../operations.ts';
import { changingHandlers, lookingHandlers, runningHandlers } from '../routes/handlers.ts';
import { openScheduleCatalog, openScheduleCatalogReader } from '../schedule-catalog.ts';

/** Does operations on the schedules of a data directory: the process that owns it changes them, else this one. */
export function schedulesHere(config: Config, sandbox: boolean): Client {
  const { dir } = config;
  const at = { ...config, sendsTo: { sandbox, target: serviceTarget({ ...config, sandbox }) } };
  return ownerElse(dir, async (operation, input, perform) => {
    const isThere = hasCatalog(dir);
    if (!isThere && operation === scheduleOperations.list) return { schedules: [] };
    if (!isThere && operation !== scheduleOperations.add)
      throw new RollcallError('UNKNOWN_SCHEDULE', { name: input['name'] ?? '' });
    if (operation.method !== 'GET') {
      return changeCatalog(dir, openScheduleCatalog, (catalog) =>
        perform(handled(scheduleOperations, changingHandlers({ catalog, dir, at }, true))),
      );
    }
    using catalog = openScheduleCatalogReader(dir.catalog);
    return await perform(handled(scheduleOperations, lookingHandlers(catalog)));
  });
}

type Flags = RunningFlags & { readonly detach?: true };

/** Runs a schedule: by a server or the process that owns the data directory, else here, to its end. */
export async function runSchedule(io: Io, name: string, { detach, ...flags }: Flags) {
  const running = await openRunning(io, flags);
  const { config, imports, json } = running;
  const isSandbox = flags.sandbox === true;
  const schedules = imports.server ?? schedulesHere(config, isSandbox);
  if (await isAlone(imports)) {
    const { sandbox } = await schedules.call(scheduleOperations.one, { name });
    const again = imports.command('schedule', 'run', name);
    checkTarget(again, `schedule ${name}`, sandbox, isSandbox);
    if (detach) throw badUsage('--detach leaves the run to a server, and none is running; leave it out');
  }
  const history = `  ${imports.command('schedule', 'history', name)}`;
  if (detach) {
    const begun = await schedules.call(scheduleOperations.run, { name });
    if (json) printJson(io, begun);
    say(io, `The server runs schedule ${name} now. See what comes of it with:`, history);
    return EXIT.ok;
  }
  const look = async (client: Doing['client'], id: string) => {
    const { runs } = await client.call(scheduleOperations.history, { name, limit: '100' });
    const found = runs.find((one) => `${one.id}` === id);
    if (found === undefined) throw new Error(`the run ${id} of schedule ${name} has left no record`);
    return found;
  };
  const follow = ({ client, imports, signal }: Doing, id: string, goesOn: (run: ScheduleRun) => boolean) =>
    followSteps({
      id: name,
      io,
      imports,
      signal,
      goesOn,
      look: () => look(client, id),
      linesOf: ({ reason }) => [printable(reason)],
      begins: 'the run to begin',
    });
  let begun: ScheduleRun | undefined;
  const syncing = syncWork(
    running,
    {},
    {
      isNew: true,
      opens: async (here, syncs) => {
        const { catalog, runs } = openSchedules(config, { ...here, syncs });
        await runs.noteInterrupted();
        return handled(scheduleOperations, { ...lookingHandlers(catalog), ...runningHandlers(runs) });
      },
      begin: async ({ client }) => {
        begun = await client.call(scheduleOperations.run, { name });
        return { id: `${begun.id}` };
      },
    },
  );
  const work: Work = {
    ...syncing,
    named: () => `Schedule ${name}`,
    follow: async (doing, id) => {
      begun = await follow(doing, id, ({ state, sync }) => state === 'running' && sync === null);
      if (begun.sync === null) return begun.state === 'running' ? 'left' : 'over';
      if ((await syncing.follow(doing, begun.sync.id)) === 'left') return 'left';
      // Its end is noted just after that of its sync.
      await follow(doing, id, ({ state, sync }) => state === 'running' && sync !== null && !isSyncUnderWay(sync.state));
      return 'over';
    },
    howToContinue: () => ['See how far it came:', history],
    howToFollow: (_, where) =>
      begun?.sync
        ? syncing.howToFollow(begun.sync.id, where)
        : [`Schedule ${name} continues ${where}. See what comes of it with:`, history],
    conclude: async (ended) => {
      const over = await look(schedules, ended.id);
      const { state, reason, sync } = over;
      if (sync !== null) {
        const code = await syncing.conclude({ ...ended, id: sync.id });
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
    },
  };
  return run(running, work);
}

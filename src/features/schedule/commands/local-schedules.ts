import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { serviceTarget } from '../../../app/chat-service.ts';
import { serviceOpener } from '../../../app/open-service.ts';
import { askOwner } from '../../../app/owner-socket.ts';
import { noteCommand } from '../../../cli/audit.ts';
import { changeCatalog } from '../../../cli/client/data-directory.ts';
import type { Imports } from '../../../cli/client/import-place.ts';
import { handledLocally } from '../../../cli/client/operation-client.ts';
import type { Coordinating } from '../../../cli/coordinate.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import type { RunningFlags } from '../../../cli/flags/flags.ts';
import { importOptionsOf } from '../../../cli/flags/import-flags.ts';
import { sourceSettingsOf } from '../../../cli/flags/source-flags.ts';
import { optionsWithRecipe } from '../../../cli/recipe-options.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { mapLookupsInTurn } from '../../../options/lookups.ts';
import { keptOf } from '../../../options/option.ts';
import { GIVING_UP } from '../../../options/sending-options.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir, hasCatalog, readCatalog } from '../../../platform/data-dir.ts';
import { isAddressOrName } from '../../../sources/named.ts';
import { isPattern, wholeSource } from '../../../sources/obtain.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { isRemote } from '../../../text/address-text.ts';
import { requireNeeds, withRecipe } from '../../recipes/apply-recipe.ts';
import { findRecipeOrFile } from '../../recipes/recipe-store.ts';
import { runSync } from '../../sync/commands/local-syncs.ts';
import { syncFlagsOf } from '../../sync/commands/sync-flags.ts';
import { syncsOf } from '../../sync/commands/target-syncs.ts';
import type { SyncRunner } from '../../sync/run/sync-runner.ts';
import { openSyncCatalogReader } from '../../sync/sync-catalog.ts';
import { syncReadingOf } from '../../sync/sync-options.ts';
import type { ScheduleRunView } from '../api.ts';
import { changeSchedule, changeText, ownerOperations, type ScheduleChange } from '../change-schedule.ts';
import { scheduleRunsOptions } from '../compose-schedules.ts';
import { scheduleOperations } from '../operations.ts';
import { requestedSchedule } from '../routes/requested-schedule.ts';
import {
  openScheduleCatalog,
  openScheduleCatalogReader,
  type ScheduleCatalogReader,
  ScheduleError,
  type ScheduleRecord,
  type ScheduleRequest,
} from '../schedule-catalog.ts';
import { ScheduleRuns } from '../schedule-runs.ts';
import { type ScheduleViews, scheduleViews } from '../schedule-views.ts';
import { type AddFlags, type Schedules, sayBegun } from './target-schedules.ts';

/** The schedules of a data directory. The process that owns it changes them: the server if one runs, else the command. */
export function localSchedules(config: Config, imports: Imports): Schedules {
  const viewOf = (record: ScheduleRecord) => withSchedules(config, record.name, ({ view }) => view(record));
  const change = async (wanted: ScheduleChange) => viewOf((await changeSchedules(config, wanted)).record);
  return {
    client: handledLocally(scheduleOperations, {
      list: async () => {
        if (!hasCatalog(dataDir(config.dataDir))) return { schedules: [] };
        return withSchedules(config, '', ({ list }) => list());
      },
      one: async ({ name }) => withSchedules(config, name, ({ one }) => one(name)),
      history: async ({ name, limit }) => withSchedules(config, name, ({ history }) => history(name, limit)),
      edit: async ({ name, version, ...given }) => {
        const before = withSchedules(config, name, (_, catalog) => catalog.get(name));
        // A person who can log in here may name any file.
        const anyFile = (file: string) => wholeSource(file, process.cwd(), { named: config.namedSources });
        const request = await requestedSchedule(given, name, before, { ...before.options, anyFile });
        return change({ verb: 'edit', request, version });
      },
      pause: ({ name }) => change({ verb: 'pause', name }),
      resume: ({ name }) => change({ verb: 'resume', name }),
      remove: async ({ name }) => void (await changeSchedules(config, { verb: 'remove', name })),
    }),
    add: async (name, flags) => {
      const request = await requestOf(config, name, flags);
      const { record, isServed } = await changeSchedules(config, { verb: 'add', request });
      const { source } = record;
      const isThere = isRemote(source) || isPattern(source) || existsSync(source);
      return { made: viewOf(record), source, isThere, isServed };
    },
    run: async (io, name, flags) => {
      const begun = await askToRun(config, name);
      if (begun === undefined) return runAlone(config, imports, io, name, flags);
      return sayBegun(io, imports, name, begun, flags);
    },
  };
}

async function requestOf(config: Config, name: string, flags: AddFlags): Promise<ScheduleRequest> {
  const { cron, tz, file, maxSource, protect, limit = {}, ...rest } = flags;
  const { headers = {}, ...settings } = await sourceSettingsOf(flags);
  const given = { ...settings, headers };
  const source = await wholeSource(file, process.cwd(), { named: config.namedSources, given });
  const whole = async (name: string) => {
    const { namedSources: named } = config;
    return isAddressOrName(name, named) ? wholeSource(name, process.cwd(), { named }) : resolve(name);
  };
  const lookups = await mapLookupsInTurn(rest, async (name) => ({
    path: await whole(name),
    name: shownFile({ file: name }),
  }));
  const options = await recipeOptions(config, flags, source);
  return {
    name,
    cron,
    tz,
    file,
    maxSource,
    source,
    headers,
    settings,
    protectFile: protect === undefined ? null : await whole(protect),
    repair: flags.repair === true,
    catchUp: flags.catchUp === true,
    restricted: false,
    options: {
      reading: syncReadingOf(options, lookups),
      flags: await syncFlagsOf(rest),
      create: options.create,
      limits: limit,
      ...keptOf(GIVING_UP, flags),
      apply: flags.apply === true,
      sandbox: flags.sandbox === true,
      target: serviceTarget({ ...config, sandbox: flags.sandbox === true }),
    },
  };
}

/** A file that is there is looked at; of another one, what the recipe says of the kind holds. @throws as optionsWithRecipe */
async function recipeOptions(config: Config, flags: AddFlags, source: string): Promise<ImportOptions> {
  const chosen = importOptionsOf(config, flags);
  if (flags.recipe === undefined || existsSync(source)) {
    return optionsWithRecipe(config, flags.recipe, chosen, source, flags.file);
  }
  const recipe = findRecipeOrFile(dataDir(config.dataDir), flags.recipe);
  const options = withRecipe(recipe, chosen);
  requireNeeds(recipe, options);
  return options;
}

/**
 * Asks the owner, or changes the catalog here. Returns the schedule as it is now, or was before it was removed, and whether a
 * server starts its runs.
 */
export async function changeSchedules(config: Config, wanted: ScheduleChange) {
  const dir = dataDir(config.dataDir);
  const owned = await askOwner(dir, ownerOperations.change, wanted, currentUser());
  if (owned !== undefined) return { record: owned, isServed: true };
  const record = await changeCatalog(dir, openScheduleCatalog, (catalog) =>
    changeSchedule({ catalog, folder: dir.schedule, clock: Date.now }, wanted),
  );
  noteCommand<typeof scheduleOperations>(dir, `schedule.${wanted.verb}`, record.name, changeText(wanted));
  return { record, isServed: false };
}

/** Has the owner start a run; undefined when there is no owner. */
async function askToRun(config: Config, name: string): Promise<ScheduleRunView | undefined> {
  const dir = dataDir(config.dataDir);
  return existsSync(dir.catalog) ? askOwner(dir, scheduleOperations.run, { name }, currentUser()) : undefined;
}

/** Reads the schedules of a data directory. @throws ScheduleError where it has none, not `name` either */
function withSchedules<Result>(
  { dataDir }: Pick<Config, 'dataDir'>,
  name: string,
  read: (views: ScheduleViews, catalog: ScheduleCatalogReader) => Result,
): Result {
  return readCatalog(dataDir, openScheduleCatalogReader, (catalog) =>
    readCatalog(dataDir, openSyncCatalogReader, (syncs) => {
      if (catalog === undefined || syncs === undefined) throw ScheduleError.unknown(name);
      return read(
        scheduleViews(catalog, syncs, ({ file }) => file),
        catalog,
      );
    }),
  );
}

async function runAlone(
  config: Config,
  imports: Imports,
  io: Io,
  name: string,
  flags: RunningFlags,
): Promise<ExitCode> {
  const { sandbox } = withSchedules(config, name, (_, catalog) => catalog.get(name).options);
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
  const code = await runSync({
    config,
    io,
    json,
    syncs: syncsOf(config, imports),
    openService: serviceOpener(config, flags),
    begin: async (syncs, coordinating) => {
      const runs = openRuns(config, syncs, coordinating);
      await runs.noteInterrupted();
      ({ id } = runs.begin(name, currentUser()));
      noteCommand<typeof scheduleOperations>(dataDir(config.dataDir), 'schedule.run', name);
      syncId = await syncOf(runs, id, coordinating.signal);
      return syncId;
    },
  });
  const over = runOf(config, name, id);
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

/** Stops the runs before the syncs that they follow. */
function openRuns(config: Config, syncs: SyncRunner, coordinating: Coordinating): ScheduleRuns {
  const options = scheduleRunsOptions(config, { ...coordinating, sendsTo: coordinating.coordinator.sendsTo, syncs });
  const runs = new ScheduleRuns(options);
  coordinating.onStop(async () => {
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

function runOf(config: Config, name: string, id: number): ScheduleRunView {
  return withSchedules(config, name, ({ runView }, catalog) => {
    const found = catalog.findRun(id);
    if (found === undefined) throw new Error(`the run ${id} has left no record`);
    return runView(found);
  });
}

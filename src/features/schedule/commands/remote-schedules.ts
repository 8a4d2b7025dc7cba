import { RECIPE_NAME } from '../../../api/recipes.ts';
import { shapeOf } from '../../../cli/flags/shape-flags.ts';
import { addressFlagOf } from '../../../cli/flags/source-flags.ts';
import type { Imports } from '../../../cli/target/import-place.ts';
import type { Server } from '../../../cli/target/server-client.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { createOptionsOf, createSettingsOf } from '../../../options/create-options.ts';
import { LOOKUP_NAMES } from '../../../options/lookups.ts';
import { keptOf } from '../../../options/option.ts';
import { READING, SHAPE } from '../../../options/reading-options.ts';
import { EXPECTING, GIVING_UP } from '../../../options/sending-options.ts';
import { defined } from '../../../platform/defined.ts';
import { headersFrom } from '../../../sources/secrets.ts';
import { requireNeeds, withRecipe } from '../../recipes/apply-recipe.ts';
import { recipeOperations } from '../../recipes/operations.ts';
import { recipeOfFile } from '../../recipes/recipe-store.ts';
import { syncFlagsOf } from '../../sync/commands/sync-flags.ts';
import type { NewSchedule, ScheduleSettings, ScheduleView } from '../api.ts';
import { scheduleOperations } from '../operations.ts';
import { type AddFlags, changesOf, type EditFlags, type Schedules, sayBegun } from './target-schedules.ts';

/** The schedules of a server. */
export function remoteSchedules(server: Server, imports: Imports): Schedules {
  const find = (name: string) => server.call(scheduleOperations.one, { name });
  return {
    client: server,
    add: async (name, flags) => {
      const lookup = LOOKUP_NAMES.find((name) => flags[name] !== undefined);
      if (lookup !== undefined) {
        throw new UsageError(`--${lookup} is for schedules that are added on the server's machine, without --server`);
      }
      const { header: _, ...others } = flags;
      const flag = addressFlagOf(others);
      if (flag !== undefined) {
        throw new UsageError(
          `${flag} is for schedules that are added on the server's machine, without --server; name the source in the server's settings instead`,
        );
      }
      const made = await server.call(scheduleOperations.add, await newSchedule(server, name, flags));
      return { made, source: made.file, isThere: true, isServed: true };
    },
    edit: async (name, flags) => {
      const before = await find(name);
      return server.call(scheduleOperations.edit, { ...changed(before, flags), name, version: before.version });
    },
    run: async (io, name, flags) =>
      sayBegun(io, imports, name, await server.call(scheduleOperations.run, { name }), flags),
  };
}

/** The schedule as the API takes it. */
async function newSchedule(server: Server, name: string, flags: AddFlags): Promise<NewSchedule> {
  const { cron, tz, file, header = [], maxSource, limit = {}, apply, repair, catchUp } = flags;
  const { mode, includeUncertain: _, removeByName: removeNamed, ...decided } = await syncFlagsOf(flags);
  const create = createOptionsOf(flags);
  return {
    name,
    cron,
    tz,
    file,
    maxSource,
    ...decided,
    mode,
    removeNamed,
    headers: headersFrom(header),
    reading: await readingOf(server, flags),
    ...(create && createSettingsOf(create)),
    limits: limit,
    ...keptOf(GIVING_UP, flags),
    apply: apply === true,
    repair: repair === true,
    catchUp: catchUp === true,
  };
}

/**
 * Returns the server's options for reading the file. The name of a recipe is one of the server's, a file is one of this
 * machine; the schedule keeps the settings.
 */
async function readingOf(server: Server, flags: AddFlags): Promise<NewSchedule['reading']> {
  const given = keptOf({ ...READING, ...SHAPE, ...EXPECTING }, { ...flags, shape: shapeOf(flags) });
  if (flags.recipe === undefined) return given as NewSchedule['reading'];
  const known = RECIPE_NAME.test(flags.recipe)
    ? await server.call(recipeOperations.one, { name: flags.recipe })
    : recipeOfFile(flags.recipe);
  const { recipe: _, ...reading } = withRecipe(known, given as Partial<ImportOptions>);
  requireNeeds(known, reading);
  return reading as NewSchedule['reading'];
}

function changed(before: ScheduleView, flags: EditFlags): ScheduleSettings {
  const { cron, tz, file, apply, repair, catchUp } = flags;
  const settings = settingsOfView(before);
  return {
    ...settings,
    ...defined({ cron, tz, file, apply, repair, catchUp }),
    ...(flags.giveUpAfter !== undefined && { giveUpAfterMs: flags.giveUpAfter || null }),
    reading: { ...settings.reading, ...changesOf(EXPECTING, flags) },
  };
}

/** The settings of a schedule as they are made and edited. */
function settingsOfView(view: ScheduleView): ScheduleSettings {
  const { cron, tz, file, headers, maxSource, reading, flags, create, limits, apply, repair, catchUp } = view;
  const { mode, removeByName, includeUncertain: _, ...decided } = flags;
  return {
    cron,
    tz,
    file,
    headers,
    maxSource,
    reading,
    limits,
    apply,
    repair,
    catchUp,
    ...decided,
    mode: mode === 'mirror' ? mode : 'add',
    removeNamed: removeByName,
    ...create?.settings,
  };
}

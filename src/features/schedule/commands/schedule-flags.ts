import { existsSync } from 'node:fs';
import { RECIPE_NAME } from '../../../api/recipes.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import {
  addressFlagOf,
  keptSourceOf,
  type ShapeFlags,
  type SourceFlags,
  shapeOf,
} from '../../../cli/flags/file-flags.ts';
import type { CommonFlags, RecipeFlags } from '../../../cli/flags/flags.ts';
import { importOptionsOf } from '../../../cli/import-file.ts';
import { optionsWithRecipe } from '../../../cli/input-files.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { APPLYING, PROTECTING, RUNNING, SCHEDULING } from '../../../options/deciding-options.ts';
import { LOOKUP_NAMES, mapLookupsInTurn } from '../../../options/lookups.ts';
import { type Given, givenOf, keptOf, writtenOf } from '../../../options/option.ts';
import { EXPECTING, RUNS_WAIT } from '../../../options/sending-options.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { defined } from '../../../platform/defined.ts';
import { wholeSource } from '../../../sources/obtain.ts';
import { requireNeeds, withRecipe } from '../../recipes/apply-recipe.ts';
import { recipeOperations } from '../../recipes/operations.ts';
import { findRecipeOrFile, recipeOfFile } from '../../recipes/recipe-store.ts';
import { type ModeFlags, syncFlagsOf } from '../../sync/commands/sync-flags.ts';
import { type NewSchedule, READ, RUNS, type ScheduleSettings } from '../operations.ts';

/** Flags that say where the schedules are. */
export type PlaceFlags = Pick<CommonFlags, 'dataDir' | 'server' | 'profile' | 'plainHttp' | 'json'> & {
  readonly sandbox?: true;
};

export interface AddFlags
  extends PlaceFlags,
    RecipeFlags,
    ShapeFlags,
    SourceFlags,
    ModeFlags,
    Omit<Given<typeof RUNS & typeof RUNNING>, 'protect'> {
  readonly cron: string;
  readonly tz: string;
  readonly file: string;
}

/** The options that `schedule edit` changes. */
export const EDITED = { ...SCHEDULING, ...APPLYING, ...RUNNING, ...RUNS_WAIT, ...EXPECTING };

/** False where `--no-…` takes a setting away. */
export type EditFlags = PlaceFlags & { readonly file?: string } & {
  readonly [Name in keyof typeof EDITED]?: Given<typeof EDITED>[Name] | false;
};

/** The schedule that the flags describe. @param server where it is made; undefined: on this machine */
export async function scheduleOf(
  name: string,
  flags: AddFlags,
  config: Config,
  server: Client | undefined,
): Promise<NewSchedule> {
  const { cron, tz, limit, protect, ...options } = flags;
  const { source, settings: sourceSettings } = await keptSourceOf(flags);
  const given = {
    ...writtenOf({ ...RUNS, ...RUNNING }, { ...options, shape: shapeOf(flags), ...limit }),
    name,
    cron,
    tz,
    ...source,
  };
  if (server !== undefined) {
    refuseFilesHere(flags);
    const uids = await syncFlagsOf({ ...flags, syncName: name });
    const read = await recipeReading(flags, config, server);
    return { ...given, ...writtenOf(PROTECTING, uids), ...read, file: flags.file };
  }
  const whole = (file: string) => wholeSource(file, process.cwd(), { named: config.namedSources });
  const file = await wholeSource(flags.file, process.cwd(), {
    named: config.namedSources,
    given: { ...sourceSettings, headers: source.headers },
  });
  return {
    ...given,
    ...(await recipeReading(flags, config, undefined, file)),
    file,
    ...(await mapLookupsInTurn(flags, whole)),
    protectFile: protect && (await whole(protect)),
    sourceSettings,
    sandbox: flags.sandbox === true,
  };
}

/**
 * The options for reading the file with those of the recipe. The schedule keeps them, whatever becomes of the recipe.
 * @param server has the recipe, if that is named @param file is looked at, if it is there
 */
async function recipeReading(flags: AddFlags, config: Config, server: Client | undefined, file?: string) {
  const { recipe: name } = flags;
  if (name === undefined) return {};
  if (file !== undefined && existsSync(file))
    return readingIn(await optionsWithRecipe(config, name, importOptionsOf(config, flags), file, flags.file));
  const recipe = await recipeOf(name, config, server);
  const options = withRecipe(recipe, keptOf(READ, { ...flags, shape: shapeOf(flags) }));
  requireNeeds(recipe, options);
  return readingIn(options);
}

/** The name of a recipe is one of the server's, a file is one of this machine. */
async function recipeOf(recipe: string, config: Config, server: Client | undefined) {
  if (server === undefined) return findRecipeOrFile(dataDir(config.dataDir), recipe);
  return RECIPE_NAME.test(recipe) ? server.call(recipeOperations.one, { name: recipe }) : recipeOfFile(recipe);
}

function readingIn({ exportOf, ...options }: Partial<ImportOptions>) {
  return { ...writtenOf(READ, givenOf(READ, options)), exportOf };
}

function refuseFilesHere({ header: _, ...flags }: AddFlags) {
  const lookup = LOOKUP_NAMES.find((name) => flags[name] !== undefined);
  if (lookup !== undefined) {
    throw badUsage(`--${lookup} is for schedules that are added on the server's machine, without --server`);
  }
  const flag = addressFlagOf(flags);
  if (flag === undefined) return;
  throw badUsage(
    `${flag} is for schedules that are added on the server's machine, without --server; name the source in the server's settings instead`,
  );
}

/** Returns the settings that the flags change; undefined: one that is taken away. @throws BAD_USAGE where that is nothing */
export function changesIn({ file, ...flags }: EditFlags): Partial<ScheduleSettings> {
  const given = Object.entries(flags).filter(([, value]) => value !== false);
  const taken = Object.entries(flags).filter(([, value]) => value === false);
  const changes: Partial<ScheduleSettings> = {
    ...defined(writtenOf(EDITED, Object.fromEntries(given))),
    ...Object.fromEntries(taken.map(([name]) => [name, undefined])),
    ...defined({ file }),
  };
  if (Object.keys(changes).length > 0) return changes;
  throw badUsage('there is nothing to change; give a setting, such as --cron or --file');
}

/** "2027-03-28 03:30" in a time zone. @param at ISO 8601 */
export function localTime(at: string, tz: string) {
  const form = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' });
  return form.format(Date.parse(at));
}

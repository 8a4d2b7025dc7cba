import { existsSync } from 'node:fs';
import { RECIPE_NAME } from '../../../api/recipes.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import type { CommonFlags } from '../../../cli/flags/flags.ts';
import { importOptionsOf } from '../../../cli/flags/import-flags.ts';
import type { RecipeFlags } from '../../../cli/flags/option-flags.ts';
import { type ShapeFlags, shapeOf } from '../../../cli/flags/shape-flags.ts';
import { addressFlagOf, type SourceFlags, sourceSettingsOf } from '../../../cli/flags/source-flags.ts';
import { optionsWithRecipe } from '../../../cli/recipe-options.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { CREATION, type CreateChoices } from '../../../options/create-options.ts';
import type { APPLYING, RUNNING, SCHEDULING } from '../../../options/deciding-options.ts';
import { LOOKUP_NAMES, mapLookupsInTurn } from '../../../options/lookups.ts';
import { type Given, type Kept, keptOf, type Options } from '../../../options/option.ts';
import { READING, type ReadingChoices, SHAPE } from '../../../options/reading-options.ts';
import { EXPECTING, type ExpectingChoices, RUNS_WAIT } from '../../../options/sending-options.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { wholeSource } from '../../../sources/obtain.ts';
import { requireNeeds, withRecipe } from '../../recipes/apply-recipe.ts';
import { recipeOperations } from '../../recipes/operations.ts';
import { findRecipeOrFile, recipeOfFile } from '../../recipes/recipe-store.ts';
import { type ModeFlags, syncFlagsOf } from '../../sync/commands/sync-flags.ts';
import { type NewSchedule, type ScheduleReading, scheduleSettings } from '../operations.ts';

export interface AddFlags
  extends CommonFlags,
    ReadingChoices,
    RecipeFlags,
    ShapeFlags,
    CreateChoices,
    ModeFlags,
    ExpectingChoices,
    Given<typeof SCHEDULING & typeof RUNS_WAIT & typeof APPLYING & typeof RUNNING>,
    SourceFlags {
  readonly cron: string;
  readonly tz: string;
  readonly file: string;
  readonly sandbox?: true;
}

/** False where `--no-…` takes a setting away. */
type Clearable<Choices> = { readonly [Name in keyof Choices]: Choices[Name] | false };

export interface EditFlags
  extends Omit<CommonFlags, keyof typeof RUNS_WAIT>,
    Clearable<ExpectingChoices & Given<typeof RUNS_WAIT>>,
    Given<typeof SCHEDULING & typeof APPLYING & typeof RUNNING> {
  readonly file?: string;
}

/** The schedule that the flags describe. @param server where it is made; undefined: on this machine */
export async function scheduleOf(
  name: string,
  flags: AddFlags,
  config: Config,
  server: Client | undefined,
): Promise<NewSchedule> {
  const { createMap, maxCreate, limit = {} } = flags;
  const { headers = {}, ...sourceSettings } = await sourceSettingsOf(flags);
  const written = {
    createMap: createMap && CREATION.createMap.print(createMap).join(','),
    maxCreate: maxCreate && CREATION.maxCreate.print(maxCreate).join(','),
  };
  const given = { ...settingsIn(flags), ...written, ...keptOf(RUNS_WAIT, flags), name, limits: limit, headers };
  if (server !== undefined) {
    refuseFilesHere(flags);
    const { protect } = await syncFlagsOf({ ...flags, syncName: name });
    return { ...given, protect, reading: await readingOf(flags, config, server) };
  }
  const whole = (file: string) => wholeSource(file, process.cwd(), { named: config.namedSources });
  const file = await wholeSource(flags.file, process.cwd(), {
    named: config.namedSources,
    given: { ...sourceSettings, headers },
  });
  return {
    ...given,
    file,
    reading: await readingOf(flags, config, undefined, file),
    ...(await mapLookupsInTurn(flags, whole)),
    protectFile: flags.protect && (await whole(flags.protect)),
    sourceSettings,
    sandbox: flags.sandbox === true,
  };
}

/**
 * The options for reading the file. The schedule keeps them, whatever becomes of the recipe.
 * @param server has the recipe, if that is named @param file is looked at, if it is there
 */
async function readingOf(flags: AddFlags, config: Config, server: Client | undefined, file?: string) {
  const { recipe: name } = flags;
  const given = keptOf({ ...READING, ...SHAPE, ...EXPECTING }, { ...flags, shape: shapeOf(flags) });
  if (name === undefined) return given as ScheduleReading;
  if (file !== undefined && existsSync(file))
    return readingIn(await optionsWithRecipe(config, name, importOptionsOf(config, flags), file, flags.file));
  const recipe = await recipeOf(name, config, server);
  const options = withRecipe(recipe, given as Partial<ImportOptions>);
  requireNeeds(recipe, options);
  return readingIn(options);
}

/** The name of a recipe is one of the server's, a file is one of this machine. */
async function recipeOf(recipe: string, config: Config, server: Client | undefined) {
  if (server === undefined) return findRecipeOrFile(dataDir(config.dataDir), recipe);
  return RECIPE_NAME.test(recipe) ? server.call(recipeOperations.one, { name: recipe }) : recipeOfFile(recipe);
}

/** Without what is the default. */
function readingIn({ recipe: _, map = {}, format, ...options }: Partial<ImportOptions>) {
  const chosen = {
    map: Object.keys(map).length === 0 ? undefined : map,
    format: format === 'auto' ? undefined : format,
  };
  return scheduleSettings.shape.reading
    .unwrap()
    .strip()
    .parse({ ...options, ...chosen });
}

/** Settings that have a flag with their name and value. */
function settingsIn(flags: AddFlags | EditFlags) {
  const { protect: _, createMap: __, maxCreate: ___, ...plain } = scheduleSettings.partial().shape;
  const names = Object.keys(plain);
  return Object.fromEntries(
    Object.entries(flags).filter(([name, value]) => names.includes(name) && value !== undefined),
  ) as Pick<AddFlags, 'cron' | 'tz' | 'file'>;
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

/** Returns the settings that the flags change, and those of reading the file. @throws BAD_USAGE where that is nothing */
export function changesIn(flags: EditFlags) {
  const changes = { ...settingsIn(flags), ...changed(RUNS_WAIT, flags) };
  const read = changed(EXPECTING, flags);
  if (Object.keys({ ...changes, ...read }).length === 0) {
    throw badUsage('there is nothing to change; give a setting, such as --cron or --file');
  }
  return { changes, read };
}

/** Undefined: a setting that is taken away. */
function changed<All extends Options>(options: All, flags: Clearable<Given<NoInfer<All>>>) {
  const kept = Object.entries(keptOf(options, flags as Given<All>));
  return Object.fromEntries(kept.map(([name, value]) => [name, value === false ? undefined : value])) as Kept<All>;
}

/** "2027-03-28 03:30" in a time zone. @param at ISO 8601 */
export function localTime(at: string, tz: string) {
  const form = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' });
  return form.format(Date.parse(at));
}

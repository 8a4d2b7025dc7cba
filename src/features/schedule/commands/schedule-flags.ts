import { existsSync } from 'node:fs';
import { RECIPE_NAME } from '../../../api/recipes.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import { addressFlagOf, type FileFlags, keptSourceOf } from '../../../cli/flags/file-flags.ts';
import type { CommonFlags } from '../../../cli/flags/flags.ts';
import { importOptionsOf } from '../../../cli/import-file.ts';
import { recipeFor } from '../../../cli/input-files.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { APPLYING, PROTECTING, RUNNING, SCHEDULING } from '../../../options/deciding-options.ts';
import { LOOKUP_NAMES, mapLookupsInTurn } from '../../../options/lookups.ts';
import { type Given, givenOf, keptOf, writtenOf } from '../../../options/option.ts';
import { EXPECTING, RUNS_WAIT } from '../../../options/sending-options.ts';
import { shapeOf } from '../../../options/shape-flags.ts';
import type { Config } from '../../../platform/config.ts';
import { defined } from '../../../platform/defined.ts';
import { wholeSource } from '../../../sources/obtain.ts';
import { requireNeeds } from '../../recipes/apply-recipe.ts';
import { recipeOperations } from '../../recipes/operations.ts';
import { findRecipeOrFile } from '../../recipes/recipe-store.ts';
import { choicesOf, type DecidingFlags } from '../../sync/commands/sync-flags.ts';
import { type NewSchedule, READ, RUNS, type ScheduleSettings } from '../operations.ts';

export type PlaceFlags = Pick<CommonFlags, 'dataDir' | 'server' | 'profile' | 'plainHttp' | 'json'> & {
  readonly sandbox?: true;
};

export interface AddFlags
  extends PlaceFlags,
    FileFlags,
    DecidingFlags,
    Omit<Given<typeof RUNS & typeof RUNNING>, 'protect'> {
  readonly cron: string;
  readonly tz: string;
  readonly file: string;
}

/** Options that `schedule edit` changes. */
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
  if (server !== undefined) refuseFilesHere(flags);
  const file = await wholeFile(flags.file, config, server, { ...sourceSettings, headers: source.headers });
  return {
    ...writtenOf({ ...RUNS, ...RUNNING }, { ...options, shape: shapeOf(flags), ...limit }),
    name,
    cron,
    tz,
    ...source,
    ...(await recipeReading(flags, config, server, file)),
    file,
    ...(server === undefined
      ? {
          ...(await mapLookupsInTurn(flags, (one) => wholeFile(one, config))),
          protectFile: protect && (await wholeFile(protect, config)),
          sourceSettings,
          sandbox: flags.sandbox === true,
        }
      : writtenOf(PROTECTING, await choicesOf(flags))),
  };
}

/** A file of this machine with its whole path; that of a server as it is given. @throws BAD_SOURCE */
async function wholeFile(file: string, { namedSources: named }: Config, server?: Client, given = {}) {
  return server === undefined ? wholeSource(file, process.cwd(), { named, given }) : file;
}

/** The options for reading with those of the recipe, which may be changed later. @param file is looked at, if it is there */
async function recipeReading(flags: AddFlags, config: Config, server: Client | undefined, file: string) {
  const { recipe: name } = flags;
  if (name === undefined) return {};
  if (server === undefined && existsSync(file)) {
    const optionsFor = await recipeFor(config, name, importOptionsOf(config, flags));
    return readingIn(await optionsFor(file, flags.file));
  }
  // The name of a recipe is one of the server's, a file is one of this machine.
  const recipe =
    server !== undefined && RECIPE_NAME.test(name)
      ? await server.call(recipeOperations.one, { name })
      : findRecipeOrFile(config.dir, name);
  const options = requireNeeds(recipe, keptOf(READ, { ...flags, shape: shapeOf(flags) }));
  return readingIn(options);
}

function readingIn({ exportOf, ...options }: Partial<ImportOptions>) {
  return { ...writtenOf(READ, givenOf(READ, options)), exportOf };
}

function refuseFilesHere({ header: _, ...flags }: AddFlags) {
  const lookup = LOOKUP_NAMES.find((name) => flags[name] !== undefined);
  const flag = lookup === undefined ? addressFlagOf(flags) : `--${lookup}`;
  if (flag === undefined) return;
  const instead = lookup === undefined ? "; name the source in the server's settings instead" : '';
  throw badUsage(`${flag} is for schedules that are added on the server's machine, without --server${instead}`);
}

/** Returns the settings that the flags change; undefined: one that is taken away. @throws BAD_USAGE where that is nothing, BAD_SOURCE */
export async function changesIn({ file: path, ...flags }: EditFlags, config: Config, server: Client | undefined) {
  const file = path && (await wholeFile(path, config, server));
  const { given = [], taken = [] } = Object.groupBy(Object.entries(flags), ([, value]) =>
    value === false ? 'taken' : 'given',
  );
  const changes: Partial<ScheduleSettings> = {
    ...defined({ ...writtenOf(EDITED, Object.fromEntries(given)), file }),
    ...Object.fromEntries(taken.map(([name]) => [name, undefined])),
  };
  if (Object.keys(changes).length > 0) return changes;
  throw badUsage('there is nothing to change; give a setting, such as --cron or --file');
}

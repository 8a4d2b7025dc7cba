import { RECIPE_NAME } from '../../../api/recipes.ts';
import type { Imports } from '../../../cli/client/import-place.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import type { Server } from '../../../cli/client/server-client.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import type { CommonFlags, RunningFlags, ServerFlags } from '../../../cli/flags/flags.ts';
import type { RecipeFlags } from '../../../cli/flags/option-flags.ts';
import { type ShapeFlags, shapeOf } from '../../../cli/flags/shape-flags.ts';
import { addressFlagOf, type SourceFlags } from '../../../cli/flags/source-flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { type CreateChoices, createOptionsOf, createSettingsOf } from '../../../options/create-options.ts';
import type { APPLYING, RUNNING, SCHEDULING } from '../../../options/deciding-options.ts';
import { LOOKUP_NAMES } from '../../../options/lookups.ts';
import { type Given, type Kept, keptOf, type Options } from '../../../options/option.ts';
import { READING, type ReadingChoices, SHAPE } from '../../../options/reading-options.ts';
import { EXPECTING, type ExpectingChoices, GIVING_UP } from '../../../options/sending-options.ts';
import { headersFrom } from '../../../sources/secrets.ts';
import { requireNeeds, withRecipe } from '../../recipes/apply-recipe.ts';
import { recipeOperations } from '../../recipes/operations.ts';
import { recipeOfFile } from '../../recipes/recipe-store.ts';
import { type ModeFlags, syncFlagsOf } from '../../sync/commands/sync-flags.ts';
import type { NewSchedule, ScheduleRunView, ScheduleSettings, ScheduleView } from '../api.ts';
import { scheduleOperations } from '../operations.ts';

/** The schedules that commands are about: those of a data directory (local-schedules.ts), or of a server. */
export interface Schedules {
  /** Lists and shows them, edits them, and lets them pause, continue and go. */
  readonly client: Client;
  add(name: string, flags: AddFlags): Promise<Added>;
  /** Begins a run of one; where no server does, this process runs it to its end. */
  run(io: Io, name: string, flags: RunningFlags): Promise<ExitCode>;
}

/** After a server has begun a run. */
export function sayBegun(
  io: Io,
  { command }: Pick<Imports, 'command'>,
  name: string,
  begun: ScheduleRunView,
  { json }: CommonFlags,
): ExitCode {
  if (json) io.out.write(`${JSON.stringify(begun)}\n`);
  say(io, `The server runs schedule ${name} now. See what comes of it with:`);
  say(io, `  ${command('schedule', 'history', name)}`);
  return EXIT.ok;
}

interface Added {
  readonly made: ScheduleView;
  readonly source: string;
  /** Whether the file is there already, as far as can be said. */
  readonly isThere: boolean;
  /** Whether a server starts its runs. */
  readonly isServed: boolean;
}

export interface AddFlags
  extends CommonFlags,
    ServerFlags,
    ReadingChoices,
    RecipeFlags,
    ShapeFlags,
    CreateChoices,
    ModeFlags,
    ExpectingChoices,
    Given<typeof GIVING_UP & typeof APPLYING & typeof RUNNING>,
    SourceFlags {
  readonly cron: string;
  readonly tz: string;
  readonly file: string;
  /** In bytes. */
  readonly maxSource: number;
  readonly sandbox?: true;
}

/** False where `--no-…` takes a setting away. */
type Clearable<Choices> = { readonly [Name in keyof Choices]: Choices[Name] | false };

export interface EditFlags
  extends CommonFlags,
    ServerFlags,
    Clearable<ExpectingChoices & Given<typeof GIVING_UP>>,
    Given<typeof SCHEDULING & typeof APPLYING & typeof RUNNING> {
  readonly file?: string;
}

/** The settings of a schedule with those that are given. */
export function editedSettings(view: ScheduleView, flags: EditFlags): ScheduleSettings {
  const { file, headers, maxSource, reading, flags: decided, create, limits } = view;
  const { cron = view.cron, tz = view.tz, apply = view.apply, repair = view.repair, catchUp = view.catchUp } = flags;
  const { mode, removeByName, includeUncertain: _, ...others } = decided;
  return {
    ...others,
    ...create?.settings,
    cron,
    tz,
    file: flags.file ?? file,
    headers,
    maxSource,
    reading: { ...reading, ...changesOf(EXPECTING, flags) },
    mode: mode === 'mirror' ? mode : 'add',
    removeNamed: removeByName,
    limits,
    apply,
    repair,
    catchUp,
    ...(flags.giveUpAfter !== undefined && { giveUpAfterMs: flags.giveUpAfter || null }),
  };
}

/** The given settings as they are kept; undefined: one that is taken away. */
function changesOf<All extends Options>(options: All, flags: Clearable<Given<NoInfer<All>>>): Kept<All> {
  const kept = Object.entries(keptOf(options, flags as Given<All>));
  return Object.fromEntries(kept.map(([name, value]) => [name, value === false ? undefined : value])) as Kept<All>;
}

/** "2027-03-28 03:30" in a time zone. @param at ISO 8601 */
export function localTime(at: string, tz: string): string {
  const form = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' });
  return form.format(Date.parse(at));
}

/** The schedules of a server. */
export function remoteSchedules(server: Server, imports: Imports): Schedules {
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

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { serviceTarget } from '../../../app/chat-service.ts';
import { UsageError } from '../../../cli/errors.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { FEATURES } from '../../../cli/features.ts';
import { type CreateFlags, withCreate } from '../../../cli/flags/create-flags.ts';
import { type CommonFlags, type ServerFlags, withDataDir, withJson, withServer } from '../../../cli/flags/flags.ts';
import { importOptionsOf } from '../../../cli/flags/import-options.ts';
import {
  type ExpectRowsFlags,
  type ReadingFlags,
  withExpectRows,
  withReading,
} from '../../../cli/flags/reading-flags.ts';
import { type RecipeFlags, withRecipeFlag } from '../../../cli/flags/recipe-flags.ts';
import { type ReportFlags, reportTargetOf, withReportTo } from '../../../cli/flags/report-flags.ts';
import { settingFlag } from '../../../cli/flags/setting-flag.ts';
import { type ShapeFlags, shapeOf, withShape } from '../../../cli/flags/shape-flags.ts';
import { addressFlagOf, type SourceFlags, sourceSettingsOf, withSource } from '../../../cli/flags/source-flags.ts';
import { optionsWithRecipe } from '../../../cli/recipe-options.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { localTime } from '../../../cli/screen/local-time.ts';
import type { Server } from '../../../cli/target/server-client.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { createOptionsOf, createSettingsOf } from '../../../options/create-options.ts';
import { LOOKUP_NAMES, mapLookupsInTurn } from '../../../options/lookups.ts';
import { keptOf } from '../../../options/option.ts';
import { READING, SHAPE } from '../../../options/reading-options.ts';
import { EXPECTING, GIVING_UP } from '../../../options/sending-options.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { headersFrom } from '../../../sources/headers.ts';
import { isElsewhere } from '../../../sources/named.ts';
import { isPattern, wholeSource } from '../../../sources/obtain.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { isRemote } from '../../../text/address-text.ts';
import { printable } from '../../../text/wording.ts';
import { requireNeeds, withRecipe } from '../../recipes/apply-recipe.ts';
import { recipeOperations } from '../../recipes/operations.ts';
import { findRecipe } from '../../recipes/recipe-store.ts';
import { type ModeFlags, syncFlagsOf, syncReading, withDeciding, withMode } from '../../sync/commands/sync-flags.ts';
import { syncOptionsToJson } from '../../sync/sync-options.ts';
import type { NewSchedule, ScheduleView } from '../api.ts';
import { scheduleOperations } from '../operations.ts';
import { changeSchedules } from './schedule-control.ts';
import { openSchedules, scheduleDocument, withSchedules } from './schedule-target.ts';

interface Flags
  extends CommonFlags,
    ServerFlags,
    ReadingFlags,
    RecipeFlags,
    ShapeFlags,
    CreateFlags,
    ModeFlags,
    ExpectRowsFlags,
    ReportFlags,
    SourceFlags {
  readonly cron: string;
  readonly tz: string;
  readonly file: string;
  /** In bytes. */
  readonly maxSource: number;
  /** In ms. */
  readonly giveUpAfter?: number;
  readonly apply?: true;
  readonly repair?: true;
  readonly catchUp?: true;
  readonly sandbox?: true;
}

export const TIME_ZONE = 'time zone of the expression, such as Europe/Rome';
export const CATCH_UP = 'when the server starts, run once if a run was missed';
export const HOW_LONG_A_RUN_WAITS = 'how long a run waits for a service that answers nothing, such as 30m';

/** `rollcall schedule add`: a sync that starts by itself. */
export function scheduleAddCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('add')
    .description('sync a file regularly, at the times of a cron expression')
    .argument('<name>', 'name of the schedule, for the other commands')
    .requiredOption(
      '--cron <expression>',
      'minute, hour, day of month, month, weekday: "30 2 * * *" is every night at 2:30',
    )
    .addOption(new Option('--tz <zone>', TIME_ZONE).default(systemZone(), 'the time zone of this machine'))
    .requiredOption(
      '--file <path|pattern|url>',
      'a file, a pattern such as exports/*.csv (the newest match is used), or https://…',
    )
    .addOption(settingFlag('giveUpAfter', HOW_LONG_A_RUN_WAITS))
    .option('--apply', 'carry out each plan at once, unless a guard objects; otherwise runs only plan')
    .option('--repair', 'check the groups even if the file is unchanged, to reverse changes made by hand')
    .option('--catch-up', CATCH_UP);
  if (FEATURES.deliver !== undefined) withReportTo(command);
  withExpectRows(withSource(command));
  withShape(withRecipeFlag(withReading(withCreate(withDeciding(withMode(command))))));
  withServer(withDataDir(withJson(command))).option(
    '--sandbox',
    'run it against the sandbox of a server that was started with --sandbox',
  );
  return command.action((name: string, flags: Flags) => end(add(io, name, flags)));
}

async function add(io: Io, name: string, flags: Flags): Promise<ExitCode> {
  const { config, server, command } = await openSchedules(flags);
  const added = server === undefined ? await addHere(config, name, flags) : await addThere(server, name, flags);
  const { made, isServed, isThere } = added;
  if (flags.json) io.out.write(`${JSON.stringify(scheduleDocument(made))}\n`);
  const sandbox = flags.sandbox ? ' --sandbox' : '';
  say(
    io,
    `Schedule ${name} is added. It is next due at (${made.tz}):`,
    ...made.next.map((at) => `  ${localTime(at, made.tz)}`),
    ...(isThere
      ? []
      : [`There is no file ${printable(added.source)} yet; until there is one, runs fail and change nothing.`]),
    ...(flags.apply ? [] : ['Its runs only plan; with --apply they carry the plan out.']),
    ...(isServed
      ? []
      : ['It runs as long as a server does, which is started with:', `  ${typedCommand(config, 'serve')}${sandbox}`]),
    'Try it now with:',
    `  ${command('schedule', 'run', name)}${sandbox}`,
  );
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

async function addHere(config: Config, name: string, flags: Flags): Promise<Added> {
  const { cron, tz, file, maxSource, protect, limit = {}, ...rest } = flags;
  const { headers = {}, ...settings } = await sourceSettingsOf(flags);
  const given = { ...settings, headers };
  const source = await wholeSource(file, process.cwd(), { named: config.namedSources, given });
  const whole = async (name: string) => {
    const { namedSources: named } = config;
    return isElsewhere(name, named) ? wholeSource(name, process.cwd(), { named }) : resolve(name);
  };
  const lookups = await mapLookupsInTurn(rest, async (name) => ({
    path: await whole(name),
    name: shownFile({ file: name }),
  }));
  const options = await recipeOptions(config, flags, source);
  const { record, isServed } = await changeSchedules(config, {
    verb: 'add',
    request: {
      ...{ name, cron, tz, file, maxSource },
      source,
      headers,
      settings,
      protectFile: protect === undefined ? null : await whole(protect),
      repair: flags.repair === true,
      catchUp: flags.catchUp === true,
      options: syncOptionsToJson({
        reading: syncReading(options, lookups),
        flags: await syncFlagsOf(rest),
        create: options.create,
        limits: limit,
        ...keptOf(GIVING_UP, flags),
        ...(await reportingHere(config, flags)),
        apply: flags.apply === true,
        sandbox: flags.sandbox === true,
        target: serviceTarget({ ...config, sandbox: flags.sandbox === true }),
      }),
    },
  });
  const made = withSchedules(config, name, (views) => views.of(record));
  return { made, source, isThere: isThere(record.source), isServed };
}

async function addThere(server: Server, name: string, flags: Flags): Promise<Added> {
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
}

/** The flags of addresses are for the file: what the reports need is in the settings, by name. */
export async function reportingHere(
  config: Config,
  { reportTo }: ReportFlags,
): Promise<Pick<ImportOptions, 'reportTo'>> {
  return reportTo === undefined ? {} : reportTargetOf(config, { reportTo });
}

/** The schedule as the API takes it. */
async function newSchedule(server: Server, name: string, flags: Flags): Promise<NewSchedule> {
  const { cron, tz, file, header = [], maxSource, limit = {}, apply, repair, catchUp } = flags;
  const { mode, includeUncertain: _, removeByName: removeNamed, ...decided } = await syncFlagsOf(flags);
  const create = createOptionsOf(flags);
  return {
    ...{ name, cron, tz, file, maxSource, ...decided, mode, removeNamed },
    headers: headersFrom(header),
    reading: await readingThere(server, flags),
    ...(create && createSettingsOf(create)),
    limits: limit,
    ...keptOf(GIVING_UP, flags),
    reportTo: flags.reportTo?.place,
    ...{ apply: apply === true, repair: repair === true, catchUp: catchUp === true },
  };
}

/**
 * Returns the server's options for reading the file; a recipe is one of the server's, and the schedule keeps its
 * settings.
 */
async function readingThere(server: Server, flags: Flags): Promise<NewSchedule['reading']> {
  const { delimiter, ...kept } = keptOf({ ...READING, ...SHAPE, ...EXPECTING }, { ...flags, shape: shapeOf(flags) });
  const given = { ...kept, ...(delimiter !== undefined && { delimiter: delimiter === '\t' ? 'tab' : delimiter }) };
  if (flags.recipe === undefined) return given as NewSchedule['reading'];
  const known = await server.call(recipeOperations.one, { name: flags.recipe });
  const { recipe: _, ...reading } = withRecipe(known, given as Partial<ImportOptions>);
  requireNeeds(known, reading);
  return reading as NewSchedule['reading'];
}

/** A file that is there is looked at; of another one, what the recipe says of the kind holds. @throws as optionsWithRecipe */
async function recipeOptions(config: Config, flags: Flags, source: string): Promise<ImportOptions> {
  const chosen = importOptionsOf(config, flags);
  if (flags.recipe === undefined || existsSync(source)) {
    return optionsWithRecipe(config, flags.recipe, chosen, source, flags.file);
  }
  const recipe = findRecipe(dataDir(config.dataDir), flags.recipe);
  const options = withRecipe(recipe, chosen);
  requireNeeds(recipe, options);
  return options;
}

function isThere(source: string): boolean {
  return isRemote(source) || isPattern(source) || existsSync(source);
}

function systemZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

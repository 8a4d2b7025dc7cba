import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { serviceOpener } from '../../app/open-service.ts';
import { newImportId } from '../../imports/import-id.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { checkInput } from '../../imports/read/open-input.ts';
import { inputNames } from '../../options/input-kinds.ts';
import { mapLookups } from '../../options/lookups.ts';
import { HELD } from '../../options/sending-options.ts';
import { type Config, readConfig } from '../../platform/config.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { inShort } from '../../text/wording.ts';
import { noteHere } from '../audit.ts';
import { currentUser } from '../current-user.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { FEATURES } from '../features.ts';
import { expectedRows, type Fetched, type FetchedFile, fileToFetch, standardInput } from '../fetched-file.ts';
import { withBans } from '../flags/ban-flags.ts';
import { maxCallsOf, withCheckCost } from '../flags/check-flags.ts';
import { withCreate } from '../flags/create-flags.ts';
import { withDataDir, withJson, withPace, withSandbox, withServer, withWorkers } from '../flags/flags.ts';
import { type ImportFlags, importOptionsOf } from '../flags/import-options.ts';
import { tagFlag, tagsOf } from '../flags/list-flags.ts';
import { withOptions } from '../flags/option-flags.ts';
import { withExpectRows, withMaxErrors, withReading } from '../flags/reading-flags.ts';
import { type RecipeFlags, withRecipeFlag } from '../flags/recipe-flags.ts';
import { reportTargetOf, withReportTo } from '../flags/report-flags.ts';
import { settingFlag } from '../flags/setting-flag.ts';
import { withShape, withTrial } from '../flags/shape-flags.ts';
import { withSource } from '../flags/source-flags.ts';
import { type LookupFiles, lookupFiles } from '../lookup-files.ts';
import { optionsWithRecipe } from '../recipe-options.ts';
import { type RunOptions, runImport } from '../run-import.ts';
import type { Io } from '../screen/io.ts';
import { openImports } from '../target/open-imports.ts';

/** `rollcall import`: reads a file, sends its memberships, and accounts for every row. */
export function importCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('import').argument(
    '<file>',
    `${inputNames('or')}, also compressed; a folder or ZIP of these; an address; - reads standard input`,
  );
  withBans(withCreate(withReading(command)));
  if (FEATURES.recipes !== undefined) withRecipeFlag(command);
  command.addOption(tagFlag('tag to find the import by; may be repeated'));
  withExpectRows(withSource(command));
  withOptions(command, HELD);
  if (FEATURES.check !== undefined) {
    const says = 'read the file, ask the service which rows would fail, and send nothing';
    withCheckCost(command.addOption(new Option('--check', says).conflicts('dryRun')));
  }
  withPace(withMaxErrors(command)).addOption(settingFlag('giveUpAfter'));
  withTrial(withShape(command));
  if (FEATURES.deliver !== undefined) withReportTo(command);
  command.addOption(
    new Option('--detach', 'send in the background').conflicts(['sandbox', 'sandboxSeed', 'dryRun', 'check']),
  );
  withSandbox(withWorkers(withServer(withDataDir(withJson(command)))));
  return command.action((file: string, flags: ImportFlags) => end(importFile(io, file, flags)));
}

async function importFile(io: Io, file: string, flags: ImportFlags): Promise<ExitCode> {
  const { config, imports } = await openImports(flags);
  const { server } = imports;
  const json = flags.json === true;
  const there = server && { io, imports, server, json };
  let code: ExitCode;
  // Only what this import needs is loaded.
  if (there === undefined) code = await importHere(io, file, flags);
  else if (flags.check && FEATURES.check !== undefined) {
    code = await (await FEATURES.check()).there(there, file, flags, maxCallsOf(flags));
  } else {
    const { importThere } = await import('../target/import-there.ts');
    code = await importThere(there, file, flags);
  }
  if (code === EXIT.usage) {
    const inspecting = await FEATURES.inspect?.();
    await inspecting?.sayWhatItIs(
      io,
      config,
      file,
      importOptionsOf(config, flags),
      mapLookups(flags, (name) => name),
    );
  }
  return code;
}

/** Imports a file in this process. */
export async function importHere(io: Io, file: string, flags: ImportFlags): Promise<ExitCode> {
  const config = readConfig(flags);
  const chosen = { ...importOptionsOf(config, flags), ...(await reportTargetOf(config, flags)) };
  // Report what can be known before anything is opened.
  const fetched = await (file === '-' ? standardInput(io) : fileToFetch(config, file, flags));
  const isPath = fetched === undefined;
  if (isPath) await checkInput(file);
  const options = isPath ? await optionsWithRecipe(config, flags.recipe, chosen, file) : chosen;
  const about = { createdBy: currentUser(), tags: await tagsOf(flags) };
  const lookups = await lookupFiles(config, flags);
  const send = {
    config,
    io,
    about,
    ...(flags.recipe !== undefined && { recipe: flags.recipe }),
    json: flags.json === true,
    openService: serviceOpener(config, flags),
    ...(file === '-' && { begins: 'standard input to end' }),
    ...(fetched && { fetched }),
    beginLines: () => [...(fetched?.lines() ?? []), ...lookups.lines()],
  };
  if (flags.check && FEATURES.check !== undefined) {
    const begin = beginning(send, file, options, true, lookups);
    return (await FEATURES.check()).here({ ...send, maxCalls: maxCallsOf(flags), begin });
  }
  if (flags.detach !== true) {
    return runImport({ ...send, begin: beginning(send, file, options, true, lookups) });
  }
  const { openService } = send;
  await openService().then((service) => service.close());
  const { detach } = await import('../detach.ts');
  return detach({ ...send, begin: beginning(send, file, options, false, lookups) }, flags);
}

/** The user who imports, and the tags to find the import by. */
interface About {
  readonly createdBy: string;
  readonly tags: readonly string[];
}

function beginning(
  {
    config,
    recipe,
    about,
    fetched,
  }: Pick<RunOptions, 'config'> & RecipeFlags & { readonly about: About; readonly fetched?: FetchedFile },
  given: string,
  chosen: ImportOptions,
  start: boolean,
  lookups: LookupFiles,
): RunOptions['begin'] {
  return async (coordinator, signal) => {
    const id = newImportId();
    let file = given;
    const input = join(dataDir(config.dataDir).folder(id), 'input');
    let options = chosen;
    if (fetched !== undefined) {
      const found = await fetched.fetch(input, signal);
      if (found === undefined) return undefined;
      if (given !== '-') file = found.name;
      options = await optionsOfInput(config, recipe, chosen, input, found);
    }
    const source = fetched === undefined ? resolve(given) : input;
    const found = await lookups.obtain(dirname(input), signal);
    if (found === undefined) return undefined;
    await coordinator.create({ id, file, source, options, start, ...about, lookups: found });
    noteHere(dataDir(config.dataDir), 'import.create', id, inShort({ file, ...options }), coordinator.sendsTo);
    return id;
  };
}

/** Returns the options for a file or standard input, which is stored before it is read. */
async function optionsOfInput(
  config: Config,
  recipe: string | undefined,
  chosen: ImportOptions,
  path: string,
  fetched: Fetched,
): Promise<ImportOptions> {
  try {
    const whole = { ...chosen, ...expectedRows(chosen.expectRows, fetched) };
    return await optionsWithRecipe(config, recipe, whole, path, fetched.name);
  } catch (error) {
    await rm(dirname(path), { recursive: true, force: true });
    throw error;
  }
}

import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { serviceOpener } from '../app/open-service.ts';
import { newImportId } from '../imports/import-id.ts';
import type { ImportOptions } from '../imports/import-options.ts';
import { checkInput } from '../imports/read/open-input.ts';
import { type Config, readConfig } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';
import { inShort } from '../text/wording.ts';
import { noteCommand } from './audit.ts';
import { currentUser } from './current-user.ts';
import type { ExitCode } from './exit-codes.ts';
import { expectedRows, type Fetched, type FetchedFile, fileToFetch, standardInput } from './fetched-file.ts';
import { maxCallsOf } from './flags/check-flags.ts';
import type { RunningFlags } from './flags/flags.ts';
import { type ImportFlags, importOptionsOf } from './flags/import-flags.ts';
import { tagsOf } from './flags/list-flags.ts';
import type { RecipeFlags } from './flags/option-flags.ts';
import { type Again, type ImportRuns, retryRows } from './import-runs.ts';
import { type LookupFiles, lookupFiles } from './lookup-files.ts';
import { optionsWithRecipe } from './recipe-options.ts';
import { type RunOptions, runImport } from './run-import.ts';
import type { Io } from './screen/io.ts';

/** Imports that this process runs. */
export function localImportRuns(io: Io, config: Config, flags: RunningFlags): ImportRuns {
  return {
    file: (file, flags) => importLocally(io, file, flags),
    retry: (id, again) => retry(io, config, flags, id, again),
  };
}

function retry(io: Io, config: Config, flags: RunningFlags, id: string, again: Again): Promise<ExitCode> {
  const { edits, nothingBegan } = again;
  const dir = dataDir(config.dataDir);
  return runImport({
    config,
    io,
    json: flags.json === true,
    openService: serviceOpener(config, flags),
    nothingBegan,
    begin: async (coordinator) => {
      if (edits !== undefined) {
        const { sendEdits } = await import('../features/repair/commands/retry-edits.ts');
        return sendEdits({ coordinator, dir }, edits, io, currentUser());
      }
      const { ownImports } = await import('./owner.ts');
      return retryRows(ownImports({ dir, coordinator }), id, again);
    },
  });
}

/** Imports a file in this process. */
export async function importLocally(io: Io, file: string, flags: ImportFlags): Promise<ExitCode> {
  const config = readConfig(flags);
  const chosen = importOptionsOf(config, flags);
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
  if (flags.check) {
    const begin = beginning(send, file, options, true, lookups);
    const { runCheck } = await import('../features/check/commands/local-check.ts');
    return runCheck({ ...send, maxCalls: maxCallsOf(flags), begin });
  }
  if (flags.detach !== true) {
    return runImport({ ...send, begin: beginning(send, file, options, true, lookups) });
  }
  const { openService } = send;
  await openService().then((service) => service.close());
  const { detach } = await import('./detach.ts');
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
    noteCommand(dataDir(config.dataDir), 'import.create', id, inShort({ file, ...options }), coordinator.sendsTo);
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
    const whole = { ...chosen, ...expectedRows(chosen, fetched) };
    return await optionsWithRecipe(config, recipe, whole, path, fetched.name);
  } catch (error) {
    await rm(dirname(path), { recursive: true, force: true });
    throw error;
  }
}

import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { importOperations } from '../api/operations/import-operations.ts';
import { newImportId } from '../imports/import-id.ts';
import type { ImportOptions } from '../imports/import-options.ts';
import { checkInput } from '../imports/read/open-input.ts';
import { BANS } from '../options/ban-options.ts';
import { textsOf } from '../options/option.ts';
import { SENDING } from '../options/sending-options.ts';
import type { Config } from '../platform/config.ts';
import { inShort } from '../text/wording.ts';
import { currentUser, noteCommand } from './audit.ts';
import type { Server, Upload } from './client/server-client.ts';
import { expectedRows, type Fetched } from './fetched-file.ts';
import { maxCallsOf } from './flags/check-flags.ts';
import { type ImportFlags, importOptionsOf, readingQuery } from './flags/import-flags.ts';
import { tagsOf } from './flags/list-flags.ts';
import { IMPORT_BEGINS, importWork } from './import-work.ts';
import { inputFiles } from './input-files.ts';
import { optionsWithRecipe } from './recipe-options.ts';
import { type Here, type Running, run, sayNothingBegan, type Work } from './run.ts';

type Begin = Pick<Work, 'begin' | 'begins' | 'beginLines'>;

/** Imports a file, or what is at an address or on standard input. */
export async function importFile(running: Running, file: string, flags: ImportFlags) {
  const { server } = running.imports;
  const begin = server === undefined ? await beginHere(running, file, flags) : beginThere(running, server, file, flags);
  if (flags.check) {
    const { checkWork } = await import('../features/check/commands/check-work.ts');
    return run(running, checkWork(running, { ...begin, maxCalls: maxCallsOf(flags) }));
  }
  const work = importWork(running, begin);
  if (flags.detach !== true) return run(running, work);
  const { detached } = await import('./detach.ts');
  return detached(running, work, flags);
}

function beginThere(running: Running, server: Server, file: string, flags: ImportFlags): Begin {
  return {
    begins: IMPORT_BEGINS,
    begin: async ({ signal }) => {
      const { sendFile } = await import('./client/send-file.ts');
      const query = await readingQuery(file, flags);
      const dryRun = flags.check ?? flags.dryRun;
      // Its regions and budgets are the server's.
      for (const [name, text] of textsOf({ ...BANS, ...SENDING }, { ...flags, dryRun })) query.append(name, text);
      const tags = await tagsOf(flags);
      if (tags.length > 0) query.set('tags', tags.join(','));
      const make = async (upload: Upload) => (await server.upload(importOperations.create, query, upload)).id;
      return sendFile({ ...running, signal, server, file, flags, make, howToSee: running.imports.command('list') });
    },
  };
}

/** Refuses before anything is opened whatever can be known then. */
async function beginHere(running: Running, given: string, flags: ImportFlags): Promise<Begin> {
  const { config, io } = running;
  const chosen = importOptionsOf(config, flags);
  const { fetched, lines, obtain } = await inputFiles(running, given, flags);
  if (fetched === undefined) await checkInput(given);
  const ofPath = fetched === undefined ? await optionsWithRecipe(config, flags.recipe, chosen, given) : chosen;
  const about = { createdBy: currentUser(), tags: await tagsOf(flags), start: flags.detach !== true };
  const create = async (here: Here) => {
    const { dir, coordinator, signal } = here;
    const id = newImportId();
    const input = join(dir.folder(id), 'input');
    const found = await obtain(input, signal);
    if (found === undefined) return undefined;
    const file = given === '-' ? given : found.name;
    const options = fetched === undefined ? ofPath : await optionsOfInput(config, flags.recipe, chosen, input, found);
    const source = fetched === undefined ? resolve(given) : input;
    await coordinator.create({ id, file, source, options, ...about, lookups: found.lookups });
    noteCommand(here, 'import.create', id, inShort({ file, ...options }));
    return id;
  };
  return {
    begins: given === '-' ? 'standard input to end' : IMPORT_BEGINS,
    beginLines: lines,
    begin: async ({ here }) => {
      const id = here && (await create(here));
      return id === undefined ? { code: sayNothingBegan(io) } : { id };
    },
  };
}

/** Returns the options for a file or standard input, which is stored before it is read. */
async function optionsOfInput(
  config: Config,
  recipe: string | undefined,
  chosen: ImportOptions,
  path: string,
  fetched: Fetched,
) {
  try {
    const whole = { ...chosen, ...expectedRows(chosen, fetched) };
    return await optionsWithRecipe(config, recipe, whole, path, fetched.name);
  } catch (error) {
    await rm(dirname(path), { recursive: true, force: true });
    throw error;
  }
}

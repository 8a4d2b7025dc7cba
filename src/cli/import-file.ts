import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { importOperations } from '../api/imports.ts';
import { aimOf } from '../app/open-service.ts';
import { reserveImport } from '../imports/import-id.ts';
import { chosenOptions, type ImportOptions } from '../imports/import-options.ts';
import { checkInput } from '../imports/read/byte-source.ts';
import { textsOf } from '../options/option.ts';
import { BANS, SENDING } from '../options/sending-options.ts';
import type { Config } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';
import { fileOperations } from '../server/import-handlers.ts';
import type { Server } from './client/server-client.ts';
import { type ImportFlags, maxCallsOf, shapeOf } from './flags/file-flags.ts';
import { tagsOf } from './flags/flags.ts';
import { expectedRows, inputFiles, optionsWithRecipe, requireCount } from './input-files.ts';
import { IMPORT_BEGINS, importWork, type Running, run, sayNothingBegan, type Work } from './run.ts';

type Begin = Pick<Work, 'begin' | 'begins' | 'beginLines'>;

/** Imports a file, or what is at an address or on standard input. */
export async function importFile(running: Running, file: string, flags: ImportFlags) {
  const { server } = running.imports;
  const begin = server === undefined ? await beginHere(running, file, flags) : beginThere(running, server, file, flags);
  if (flags.check) {
    const { checkWork } = await import('../features/check/commands/check-command.ts');
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
      // Its regions and budgets are the server's.
      const more = textsOf({ ...BANS, ...SENDING }, { ...flags, dryRun: flags.check ?? flags.dryRun });
      const tags = await tagsOf(flags);
      if (tags.length > 0) more.push(['tags', tags.join(',')]);
      const howToSee = running.imports.command('list');
      return sendFile({ ...running, signal, server, file, flags, operation: importOperations.create, more, howToSee });
    },
  };
}

/** Refuses before anything is opened whatever can be known then. */
async function beginHere(running: Running, given: string, flags: ImportFlags): Promise<Begin> {
  const { config, io } = running;
  const { lines, obtain } = await givenFile(running, given, flags, { check: checkInput, mustBeWhole: false });
  const tags = await tagsOf(flags);
  const dir = dataDir(config.dataDir);
  return {
    begins: given === '-' ? 'standard input to end' : IMPORT_BEGINS,
    beginLines: lines,
    begin: async ({ client, signal, here }) => {
      const id = await reserveImport(dir);
      const found = await obtain(dir.folder(id), signal);
      if (found === undefined) return { code: sayNothingBegan(io) };
      const { name: file, source, options, lookups } = found;
      const aimed = { ...options, ...aimOf(config, flags) };
      // Another process of this command sends what this one only reads.
      const start = flags.detach !== true || here === undefined;
      return client.call(fileOperations.create, { id, file, source, options: aimed, tags, lookups, start });
    },
  };
}

/**
 * The file of which this machine makes an import or a sync, with the options of its flags and recipe.
 * @param check refuses a path, before anything is opened @param mustBeWhole standard input must say so
 */
export async function givenFile(
  running: Pick<Running, 'config' | 'io'>,
  file: string,
  flags: ImportFlags,
  { check, mustBeWhole }: { readonly check: (path: string) => Promise<unknown>; readonly mustBeWhole: boolean },
) {
  const { config } = running;
  const chosen = importOptionsOf(config, flags);
  const { fetched, lines, obtain } = await inputFiles(running, file, flags);
  if (fetched === undefined) await check(file);
  const ofPath = fetched === undefined ? await optionsWithRecipe(config, flags.recipe, chosen, file) : chosen;
  return {
    lines,
    /** Fetches it into a folder, which goes where it is not had. Undefined where the signal came first. */
    obtain: async (folder: string, signal: AbortSignal) => {
      const input = join(folder, 'input');
      const found = await obtain(input, signal);
      if (found === undefined) return undefined;
      const { name, lookups } = found;
      if (fetched === undefined) return { name, source: resolve(file), from: resolve(file), options: ofPath, lookups };
      try {
        const whole = { ...chosen, ...expectedRows(chosen, found) };
        if (file === '-' && mustBeWhole) requireCount(whole);
        const options = await optionsWithRecipe(config, flags.recipe, whole, input, name);
        return { name: file === '-' ? file : name, source: input, from: fetched.name, options, lookups };
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    },
  };
}

/** The options of an import, as its flags and the settings say. */
export function importOptionsOf(config: Config, flags: ImportFlags): ImportOptions {
  return chosenOptions(
    { ...flags, shape: shapeOf(flags), dryRun: flags.dryRun === true || flags.check === true },
    { region: config.defaultRegion, sandbox: flags.sandbox === true },
  );
}

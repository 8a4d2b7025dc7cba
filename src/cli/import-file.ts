import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { importOperations } from '../api/imports.ts';
import { aimOf } from '../app/open-service.ts';
import { reserveImport } from '../imports/import-id.ts';
import { chosenOptions, type ImportOptions } from '../imports/import-options.ts';
import { checkInput } from '../imports/read/byte-source.ts';
import { mapLookups } from '../options/lookups.ts';
import { BANS, SENDING } from '../options/sending-options.ts';
import { shapeOf } from '../options/shape-flags.ts';
import type { Config } from '../platform/config.ts';
import { fileOperations } from '../server/import-handlers.ts';
import type { Server } from './client/server-client.ts';
import { EXIT } from './exit-codes.ts';
import { type FileFlags, type ImportFlags, maxCallsOf } from './flags/file-flags.ts';
import { tagsOf } from './flags/flags.ts';
import { inputFiles, recipeFor } from './input-files.ts';
import { IMPORT_BEGINS, importWork, type Running, run, sayNothingBegan, type Work } from './run.ts';

type Begin = Pick<Work, 'begin' | 'begins' | 'beginLines'>;

/** Imports a file, or what is at an address or on standard input. Where the file cannot be used, it says what the file is. */
export async function importInput(running: Running, file: string, flags: ImportFlags) {
  const { config, io, imports } = running;
  const options = importOptionsOf(config, flags);
  const tags = tagsOf(flags.tag);
  const begin =
    imports.server === undefined
      ? await beginHere(running, file, flags, options, tags)
      : beginThere(running, imports.server, file, flags, tags);
  const code = await work(running, begin, flags);
  if (code === EXIT.usage) {
    const { sayWhatItIs } = await import('../features/inspect/commands/inspect-file.ts');
    await sayWhatItIs(io, config, file, options, {
      lookups: mapLookups(flags, (name) => name),
      recipe: flags.recipe,
      typed: (...words) => `${imports.command(...words)}${flags.sandbox ? ' --sandbox' : ''}`,
    });
  }
  return code;
}

async function work(running: Running, begin: Begin, flags: ImportFlags) {
  if (flags.check) {
    const { checkWork } = await import('../features/check/commands/check-command.ts');
    return run(running, checkWork(running, { ...begin, maxCalls: maxCallsOf(flags) }));
  }
  const importing = importWork(running, begin);
  if (flags.detach !== true) return run(running, importing);
  const { detached } = await import('./detach.ts');
  return detached(running, importing, flags);
}

function beginThere(
  running: Running,
  server: Server,
  file: string,
  flags: ImportFlags,
  tags: readonly string[],
): Begin {
  return {
    begins: IMPORT_BEGINS,
    begin: async ({ signal }) => {
      const { sendFile } = await import('./client/send-file.ts');
      return sendFile(running, {
        signal,
        server,
        file,
        flags: { ...flags, dryRun: flags.check ?? flags.dryRun },
        operation: importOperations.create,
        // Its regions and budgets are the server's.
        options: { ...BANS, ...SENDING },
        more: tags.length > 0 ? [['tags', tags.join(',')]] : [],
        howToSee: running.imports.command('list'),
      });
    },
  };
}

/** Refuses before anything is opened whatever can be known then. */
async function beginHere(
  running: Running,
  given: string,
  flags: ImportFlags,
  chosen: ImportOptions,
  tags: readonly string[],
): Promise<Begin> {
  const { config, io } = running;
  const { dir } = config;
  const { lines, obtain } = await givenFile(running, given, flags, { chosen, check: checkInput, mustBeWhole: false });
  return {
    begins: given === '-' ? 'standard input to end' : IMPORT_BEGINS,
    beginLines: lines,
    begin: async ({ client, signal, here }) => {
      const id = await reserveImport(dir);
      const found = await obtain(dir.folder(id), signal);
      if (found === undefined) return sayNothingBegan(io);
      const { name: file, source, options, lookups } = found;
      const aimed = { ...options, ...aimOf(config, options) };
      // Another process of this command sends what this one only reads.
      const start = flags.detach !== true || here === undefined;
      return client.call(fileOperations.create, { id, file, source, options: aimed, tags, lookups, start });
    },
  };
}

interface GivenFile {
  readonly chosen: ImportOptions;
  /** Refuses a path, before anything is opened. */
  readonly check: (path: string) => Promise<unknown>;
  /** Standard input must say that it is whole. */
  readonly mustBeWhole: boolean;
}

/** The file of which this machine makes an import or a sync, with the options of its flags and recipe. */
export async function givenFile(
  running: Pick<Running, 'config' | 'io'>,
  file: string,
  flags: FileFlags,
  { chosen, check, mustBeWhole }: GivenFile,
) {
  const optionsFor = await recipeFor(running.config, flags.recipe, chosen);
  const { fetched, lines, obtain } = await inputFiles(running, file, flags, mustBeWhole ? 'whole' : 'stored');
  if (fetched === undefined) await check(file);
  const ofPath = fetched === undefined ? await optionsFor(file) : undefined;
  return {
    lines,
    /** Fetches it into a folder, which is removed where that fails. Undefined where the signal came first. */
    obtain: async (folder: string, signal: AbortSignal) => {
      let isObtained = false;
      try {
        const found = await obtain(folder, signal);
        if (found === undefined) return undefined;
        const { name, path, lookups, expectRows } = found;
        const options = ofPath ?? (await optionsFor(path, name));
        isObtained = true;
        const source = resolve(path);
        return {
          name: file === '-' ? file : name,
          source,
          from: fetched?.name ?? source,
          options: { ...options, ...(expectRows !== undefined && { expectRows }) },
          lookups,
        };
      } finally {
        if (!isObtained) await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

export function importOptionsOf(config: Config, flags: ImportFlags): ImportOptions {
  return chosenOptions(
    { ...flags, shape: shapeOf(flags), dryRun: flags.dryRun === true || flags.check === true },
    { region: config.defaultRegion, sandbox: flags.sandbox === true },
  );
}

import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileStateOf } from '../imports/read/file-state.ts';
import { lookupCopy } from '../imports/stage/lookup-copies.ts';
import type { LookupSource } from '../imports/stage/lookup-file.ts';
import { type ByLookup, mapLookupsInTurn } from '../options/lookups.ts';
import { defined } from '../platform/defined.ts';
import {
  expectedRows,
  type Fetched,
  type FetchedFile,
  fileToFetch,
  requireCount,
  standardInput,
} from './fetched-file.ts';
import { type ImportFlags, importOptionsOf } from './flags/import-flags.ts';
import type { SourceFlags } from './flags/source-flags.ts';
import { optionsWithRecipe } from './recipe-options.ts';
import type { Running } from './run.ts';

/** The file of a command, its identity file and its group file, each at a path or to be fetched. */
interface InputFiles {
  /** The file itself, where it is not at a path. */
  readonly fetched: FetchedFile | undefined;
  /** Whether one of them comes from an address. */
  readonly areFetched: boolean;
  /** Progress of fetching. */
  lines(): readonly string[];
  /** Fetches what is elsewhere: the file to `path`, the others into its folder. Undefined where the signal came first. @throws BAD_SOURCE */
  obtain(path: string, signal: AbortSignal): Promise<Obtained | undefined>;
}

interface Obtained extends Fetched {
  readonly lookups: ByLookup<LookupSource>;
}

/**
 * @param isStored standard input is stored as a file first
 * @throws IntakeError, BAD_SOURCE, BAD_USAGE for what can be refused without asking anyone
 */
export async function inputFiles(
  { config, io }: Pick<Running, 'config' | 'io'>,
  file: string,
  flags: ByLookup<string> & SourceFlags,
  isStored = true,
): Promise<InputFiles> {
  const fetched = file === '-' && isStored ? standardInput(io) : await fileToFetch(config, file, flags);
  const beside = defined({ maxSource: flags.maxSource });
  const others = await mapLookupsInTurn(flags, async (name) => {
    // What leads to the address of the file does not count for them.
    const itself = await fileToFetch(config, name, beside);
    if (itself === undefined) await fileStateOf(resolve(name), name);
    return { name, fetched: itself };
  });
  const all = [fetched, ...Object.values(others).map((one) => one.fetched)].filter((one) => one !== undefined);
  return {
    fetched,
    areFetched: all.length > 0,
    lines: () => all.flatMap((one) => one.lines()),
    obtain: async (path, signal) => {
      const own = fetched === undefined ? { name: file } : await fetched.fetch(path, signal);
      let isStopped = own === undefined;
      const lookups = await mapLookupsInTurn(others, async (one, lookup) => {
        if (isStopped) return undefined;
        if (one.fetched === undefined) return { path: resolve(one.name), name: one.name };
        const copy = lookupCopy(dirname(path), lookup);
        const found = await one.fetched.fetch(copy, signal);
        isStopped = found === undefined;
        return found && { path: copy, name: found.name };
      });
      return own === undefined || isStopped ? undefined : { ...own, lookups };
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

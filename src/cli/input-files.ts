import { mkdir, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sourceContextOf } from '../app/ca-file.ts';
import { badUsage, RollcallError } from '../errors/rollcall-error.ts';
import type { ImportOptions } from '../imports/import-options.ts';
import { fileStateOf } from '../imports/read/byte-source.ts';
import { lookupCopy } from '../imports/stage/lookup-copies.ts';
import type { LookupSource } from '../imports/stage/lookup-file.ts';
import { type ByLookup, mapLookupsInTurn } from '../options/lookups.ts';
import type { ExpectingChoices } from '../options/sending-options.ts';
import type { Config } from '../platform/config.ts';
import { temporaryFolder, writeWhole } from '../platform/files.ts';
import { firstSignal } from '../platform/lifecycle.ts';
import type { SpoolProgress } from '../sources/spool.ts';
import { isAddress, sourceName } from '../text/address-text.ts';
import { grouped, sizeSoFar } from '../text/wording.ts';
import { EXIT } from './exit-codes.ts';
import { addressFlagOf, type SourceFlags, sourceSettingsOf } from './flags/file-flags.ts';
import type { Running } from './run.ts';
import { type Io, say } from './screen/io.ts';

/**
 * The file of a command, its identity file and its group file, each at a path or to be fetched.
 * @param standardInput it is stored as a file first, and must say that it is `whole`; or it is `sent` as it comes
 * @throws IntakeError, BAD_SOURCE, BAD_USAGE for what can be refused without asking anyone
 */
export async function inputFiles(
  { config, io }: Pick<Running, 'config' | 'io'>,
  file: string,
  flags: ByLookup<string> & SourceFlags & ExpectingChoices,
  standardInput: 'stored' | 'whole' | 'sent',
) {
  const isStored = file === '-' && standardInput !== 'sent';
  const stored = isStored ? storedInput(io, flags.expectRows, standardInput === 'whole') : undefined;
  const fetched = (await fileToFetch(config, file, flags)) ?? stored;
  const others = await mapLookupsInTurn(flags, async (name) => {
    // What leads to the address of the file does not count for those beside it.
    const itself = await fileToFetch(config, name, { maxSource: flags.maxSource });
    if (itself === undefined) await fileStateOf(resolve(name), name);
    return { name, fetched: itself };
  });
  const all = [fetched, ...Object.values(others).map((one) => one.fetched)].filter((one) => one !== undefined);
  return {
    /** The file itself, where it is not at a path. */
    fetched,
    /** Whether one of them comes from an address. */
    areFetched: all.length > 0,
    lines: () => all.flatMap((one) => one.lines()),
    /** Fetches what is elsewhere into the folder. Undefined where the signal came first. @throws BAD_SOURCE */
    obtain: (folder: string, signal: AbortSignal) =>
      unlessStopped(signal, async () => {
        const path = fetched === undefined ? file : join(folder, 'input');
        const own: Fetched = (await fetched?.fetch(path, signal)) ?? { name: file };
        const lookups = await mapLookupsInTurn(
          others,
          async ({ name, fetched: one }, lookup): Promise<LookupSource> => {
            if (one === undefined) return { path: resolve(name), name };
            const copy = lookupCopy(folder, lookup);
            return { path: copy, name: (await one.fetch(copy, signal)).name };
          },
        );
        return { ...own, path, lookups };
      }),
  };
}

/** Undefined where the signal ends it. */
async function unlessStopped<Done>(signal: AbortSignal, work: () => Promise<Done>): Promise<Done | undefined> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/**
 * Finds a recipe by its name or its file. The returned function adds its settings to the options, for an input at a path.
 * @throws UNKNOWN_RECIPE, BAD_RECIPE, RECIPE_NEEDS; IntakeError RECIPE_MISFIT for the file
 */
export async function recipeFor(
  config: Config,
  recipe: string | undefined,
  options: ImportOptions,
): Promise<(path: string, name?: string) => Promise<ImportOptions>> {
  if (recipe === undefined) return async () => options;
  const [{ findRecipeOrFile }, { requireNeeds }, { useRecipe }] = await Promise.all([
    import('../features/recipes/recipe-store.ts'),
    import('../features/recipes/apply-recipe.ts'),
    import('../features/recipes/use-recipe.ts'),
  ]);
  const known = findRecipeOrFile(config.dir, recipe);
  requireNeeds(known, options);
  return (path, name = path) => useRecipe({ recipe: known, options, file: { path }, name });
}

/** The end of a pipe and the Ctrl-C that caused it come in any order, within this time in ms. */
export const TOGETHER_MS = 100;

/** Name of standard input in an import of a server. */
export const STANDARD_INPUT = 'standard-input';

/** An input that is stored as a file first, for a command in this process: from an address, or standard input. */
export interface FetchedFile {
  /** The name that is shown and stored: without the query, which may be as good as a password. */
  readonly name: string;
  /** Fetches it to `path`, whole or not at all. @throws BAD_SOURCE; anything where the signal came first */
  fetch(path: string, signal: AbortSignal): Promise<Fetched>;
  /** Progress; none before the first piece has come. */
  lines(): readonly string[];
}

interface Fetched {
  /** The name that is shown; for a pattern, that of the newest match. */
  readonly name: string;
  /** The number of rows that it must have, as a flag or its last line says. */
  readonly expectRows?: number;
}

/** Works with a file that is fetched for it, and kept no longer. Undefined where a signal came first. */
export async function withFetched<Done>(
  { fetch }: FetchedFile,
  work: (path: string, name: string) => Promise<Done>,
): Promise<Done | undefined> {
  await using folder = await temporaryFolder('fetched');
  const path = join(folder.path, 'input');
  const signal = firstSignal(EXIT.interrupted);
  try {
    const found = await unlessStopped(signal.signal, () => fetch(path, signal.signal));
    return found && (await work(path, found.name));
  } finally {
    signal.ignore();
  }
}

/** Undefined for a path. @throws IntakeError BAD_ADDRESS, BAD_SOURCE, BAD_USAGE before anyone is asked */
export async function fileToFetch(
  config: Config,
  file: string,
  { maxSource = Number.MAX_SAFE_INTEGER, ...flags }: SourceFlags,
): Promise<FetchedFile | undefined> {
  const source = await sourceNamed(config, file, flags, 'the file');
  if (source === undefined) return undefined;
  const { spool } = await import('../sources/spool.ts');
  let lines: readonly string[] = [];
  const onProgress = ({ bytes, rows, of }: SpoolProgress) => {
    lines = [`fetching  ${sizeSoFar(bytes, of)}${rows === undefined ? '' : `  ${grouped(rows)} rows`}`];
  };
  return {
    name: source.name,
    lines: () => lines,
    fetch: async (path, signal) => {
      const { name } = await spool(source, { path, maxBytes: maxSource, signal, onProgress });
      return { name };
    },
  };
}

/**
 * The source at an address, or that has a name in the settings; undefined for a path, which takes none of their flags.
 * @param place where a flag would have a meaning, for the refusal  @throws IntakeError BAD_ADDRESS, BAD_SOURCE, BAD_USAGE, FLAG_FOR_ADDRESS
 */
export async function sourceNamed(config: Config, text: string, flags: SourceFlags, place: string) {
  if (isAddress(text) || sourceName(text) !== undefined) {
    const [{ sourceAt }, { isAddressOrName, requestOf }] = await Promise.all([
      import('../sources/schemes.ts'),
      import('../sources/named.ts'),
    ]);
    if (isAddressOrName(text, config.namedSources))
      return sourceAt(requestOf(text, await sourceSettingsOf(flags), sourceContextOf(config)));
  }
  const flag = addressFlagOf(flags);
  if (flag !== undefined) throw new RollcallError('FLAG_FOR_ADDRESS', { flag, place });
  return undefined;
}

export function sayHowToEnd(io: Io) {
  if (process.stdin.isTTY) say(io, 'Reading from the keyboard; end with Ctrl-D on a line of its own.');
}

/**
 * Standard input cannot be read again after a crash, so it is kept first. When a signal comes meanwhile, it is not: the
 * same Ctrl-C ends the writer of the pipe, and half an input must not pass for a whole one.
 * @param flag the number of rows that it must have  @param mustBeWhole for a sync: members who are missing from half a file would lose their groups
 */
function storedInput(io: Io, flag: number | undefined, mustBeWhole: boolean): FetchedFile {
  return {
    name: '-',
    lines: () => [],
    fetch: async (path, signal) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      sayHowToEnd(io);
      await writeWhole(path, process.stdin, { signal });
      await sleep(TOGETHER_MS, undefined, { signal });
      const own = await takeCount(path);
      if (flag !== undefined && own !== undefined && flag !== own) {
        throw badUsage(
          `standard input ends with "# rows=${own}", and --expect-rows is ${flag}; correct the one that is wrong`,
        );
      }
      const expectRows = flag ?? own;
      if (expectRows !== undefined) return { name: STANDARD_INPUT, expectRows };
      if (!mustBeWhole) return { name: STANDARD_INPUT };
      throw badUsage(
        'standard input does not say that it is whole: a program that breaks off looks like one that has ended; let its last line be "# rows=40", with as many rows as it has, or give --expect-rows',
      );
    },
  };
}

/** Maximum length of the last line with a count, in bytes. */
const COUNT_BYTES = 64;
const COUNT = /(?:^|\n)# rows=(\d{1,15})\r?\n?$/;

/**
 * Takes a last line `# rows=40` off a file: its writer has come to its end. No program sees how the other end of a pipe
 * has ended, so this is the way in which standard input says that it is whole.
 */
async function takeCount(path: string) {
  await using file = await open(path, 'r+');
  const { size } = await file.stat();
  const start = Math.max(0, size - COUNT_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(COUNT_BYTES), 0, COUNT_BYTES, start);
  // Bytes, so that a place in the text is one in the file.
  const found = COUNT.exec(buffer.subarray(0, bytesRead).toString('latin1'));
  if (found === null) return undefined;
  await file.truncate(start + found.index + (found[0].startsWith('\n') ? 1 : 0));
  return Number(found[1]);
}

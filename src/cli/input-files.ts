import { mkdir, open, rm } from 'node:fs/promises';
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
import { dataDir } from '../platform/data-dir.ts';
import { temporaryFolder, writeWhole } from '../platform/files.ts';
import { firstSignal } from '../platform/lifecycle.ts';
import type { SpoolProgress } from '../sources/spool.ts';
import { isAddress, sourceName } from '../text/address-text.ts';
import { grouped } from '../text/wording.ts';
import { EXIT } from './exit-codes.ts';
import { addressFlagOf, type SourceFlags, sourceSettingsOf } from './flags/file-flags.ts';
import type { Running } from './run.ts';
import { type Io, say } from './screen/io.ts';

/**
 * The file of a command, its identity file and its group file, each at a path or to be fetched.
 * @param isStored standard input is stored as a file first
 * @throws IntakeError, BAD_SOURCE, BAD_USAGE for what can be refused without asking anyone
 */
export async function inputFiles(
  { config, io }: Pick<Running, 'config' | 'io'>,
  file: string,
  flags: ByLookup<string> & SourceFlags,
  isStored = true,
) {
  const fetched = file === '-' && isStored ? standardInput(io) : await fileToFetch(config, file, flags);
  const others = await mapLookupsInTurn(flags, async (name) => {
    const itself = await fileToFetch(config, name, flags, true);
    if (itself === undefined) await fileStateOf(resolve(name), name);
    return { name, fetched: itself };
  });
  const all = [fetched, ...Object.values(others).map((one) => one.fetched)].filter((one) => one !== undefined);
  return {
    /** The file itself, where it is not at a path. */
    fetched,
    /** Whether one of them comes from an address. */
    areFetched: all.length > 0,
    /** Progress of fetching. */
    lines: () => all.flatMap((one) => one.lines()),
    /** Fetches what is elsewhere: the file to `path`, the others into its folder. Undefined where the signal came first. @throws BAD_SOURCE */
    obtain: async (path: string, signal: AbortSignal) => {
      const own: Fetched | undefined = fetched === undefined ? { name: file } : await fetched.fetch(path, signal);
      let isStopped = own === undefined;
      const lookups = await mapLookupsInTurn(others, async (one, lookup): Promise<LookupSource | undefined> => {
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
 * The options with those of a recipe, where one is named, or a file that has one.
 * @param path of the file @param name as the user knows it
 * @throws UNKNOWN_RECIPE, BAD_RECIPE, RECIPE_NEEDS, IntakeError RECIPE_MISFIT
 */
export async function optionsWithRecipe(
  config: Config,
  recipe: string | undefined,
  options: ImportOptions,
  path: string,
  name = path,
): Promise<ImportOptions> {
  if (recipe === undefined) return options;
  const [{ findRecipeOrFile }, { requireNeeds, withRecipe }, { useRecipe }] = await Promise.all([
    import('../features/recipes/recipe-store.ts'),
    import('../features/recipes/apply-recipe.ts'),
    import('../features/recipes/use-recipe.ts'),
  ]);
  const known = findRecipeOrFile(dataDir(config.dataDir), recipe);
  requireNeeds(known, withRecipe(known, options));
  return useRecipe({ recipe: known, options, file: { path }, name });
}

/** The end of a pipe and the Ctrl-C that caused it come in any order, within this time in ms. */
export const TOGETHER_MS = 100;

/** Name of standard input in an import of a server. */
export const STANDARD_INPUT = 'standard-input';

/** An input that is stored as a file first, for a command in this process: from an address, or standard input. */
export interface FetchedFile {
  /** The name that is shown and stored: without the query, which may be as good as a password. */
  readonly name: string;
  /**
   * Fetches it to `path`, whole or not at all: in a folder that is its own, and is removed where it is not had. Undefined
   * where the signal came first. @throws BAD_SOURCE
   */
  fetch(path: string, signal: AbortSignal): Promise<Fetched | undefined>;
  /** Progress; none before the first piece has come. */
  lines(): readonly string[];
}

interface Fetched {
  /** The name that is shown; for a pattern, that of the newest match. */
  readonly name: string;
  /** The number of rows that the file itself announces. */
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
    const found = await fetch(path, signal.signal);
    return found && (await work(path, found.name));
  } finally {
    signal.ignore();
  }
}

/**
 * Returns the input that has to be fetched; undefined for a path. Refuses wrong ones here, as far as that is possible
 * without asking anyone.
 * @param isBeside it is looked at beside the file that the flags are about
 * @throws IntakeError BAD_ADDRESS, BAD_SOURCE, BAD_USAGE
 */
export async function fileToFetch(
  config: Config,
  file: string,
  { maxSource = Number.MAX_SAFE_INTEGER, ...given }: SourceFlags,
  isBeside = false,
): Promise<FetchedFile | undefined> {
  // What leads to the address of the file does not count for those beside it.
  const flags = isBeside ? {} : given;
  if (!isAddress(file) && sourceName(file) === undefined) return refuseFlags(flags);
  // Loaded for those alone who need them.
  const [{ sourceAt }, { isAddressOrName, requestOf }, { spool }] = await Promise.all([
    import('../sources/schemes.ts'),
    import('../sources/named.ts'),
    import('../sources/spool.ts'),
  ]);
  const { namedSources: named } = config;
  if (!isAddressOrName(file, named)) return refuseFlags(flags);
  const context = sourceContextOf(config);
  const source = await sourceAt(requestOf(file, await sourceSettingsOf(flags), context));
  let line: string | undefined;
  return {
    name: source.name,
    lines: () => (line === undefined ? [] : [line]),
    fetch: (path, signal) =>
      orNothing(path, signal, async () => {
        const onProgress = (progress: SpoolProgress) => {
          line = fetchingLine(progress);
        };
        const { name } = await spool(source, { path, maxBytes: maxSource, signal, onProgress });
        return { name };
      }),
  };
}

function refuseFlags(flags: SourceFlags): undefined {
  const flag = addressFlagOf(flags);
  if (flag !== undefined) throw new RollcallError('FLAG_FOR_ADDRESS', { flag, place: 'the file' });
}

function fetchingLine({ bytes, rows, of }: SpoolProgress) {
  const share = of === undefined || of === 0 ? '' : `  ${Math.floor((bytes / of) * 100)} %`;
  const many = rows === undefined ? '' : `  ${grouped(rows)} rows`;
  return `fetching  ${grouped(Math.ceil(bytes / 1024))} KiB${share}${many}`;
}

/** Leaves no folder where the file is not had. */
async function orNothing(path: string, signal: AbortSignal, fetch: () => Promise<Fetched>) {
  try {
    return await fetch();
  } catch (error) {
    await rm(dirname(path), { recursive: true, force: true });
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Says how to end standard input, where a person types it. */
export function sayHowToEnd(io: Io) {
  if (process.stdin.isTTY) say(io, 'Reading from the keyboard; end with Ctrl-D on a line of its own.');
}

/**
 * Standard input cannot be read again after a crash, so it is kept first. Undefined when a signal came meanwhile: the
 * same Ctrl-C ends the writer of the pipe, and half an input must not pass for a whole one.
 */
function standardInput(io: Io): FetchedFile {
  return {
    name: '-',
    lines: () => [],
    fetch: (path, signal) =>
      orNothing(path, signal, async () => {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        sayHowToEnd(io);
        await writeWhole(path, process.stdin, { signal });
        await sleep(TOGETHER_MS, undefined, { signal });
        const expectRows = await takeCount(path);
        return { name: STANDARD_INPUT, ...(expectRows !== undefined && { expectRows }) };
      }),
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

/** The number of rows that an input must have, where that is said. */
export type Expected = Pick<Fetched, 'expectRows'>;

/**
 * Returns the number of rows that it must have.
 * @throws BAD_USAGE where the flag and the file say different numbers
 */
export function expectedRows(flags: Expected | ExpectingChoices, found: Expected): Expected {
  const { expectRows: flag } = flags;
  const { expectRows: own } = found;
  if (flag !== undefined && own !== undefined && flag !== own) {
    throw badUsage(
      `standard input ends with "# rows=${own}", and --expect-rows is ${flag}; correct the one that is wrong`,
    );
  }
  const rows = flag ?? own;
  return rows === undefined ? {} : { expectRows: rows };
}

/** For a sync: members who are missing from half a file would lose their groups. @throws BAD_USAGE */
export function requireCount({ expectRows }: Expected | ExpectingChoices) {
  if (expectRows !== undefined) return;
  throw badUsage(
    'standard input does not say that it is whole: a program that breaks off looks like one that has ended; let its last line be "# rows=40", with as many rows as it has, or give --expect-rows',
  );
}

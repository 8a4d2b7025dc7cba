import { dirname, resolve } from 'node:path';
import { fileStateOf } from '../imports/read/byte-source.ts';
import { lookupCopy } from '../imports/stage/lookup-copies.ts';
import type { LookupSource } from '../imports/stage/lookup-file.ts';
import { type ByLookup, mapLookupsInTurn } from '../options/lookups.ts';
import { type Fetched, fileToFetch, standardInput } from './fetched-file.ts';
import type { SourceFlags } from './flags/source-flags.ts';
import type { Running } from './run.ts';

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

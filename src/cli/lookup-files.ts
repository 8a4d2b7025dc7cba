import { resolve } from 'node:path';
import { fileStateOf } from '../imports/read/file-state.ts';
import { lookupCopy } from '../imports/stage/lookup-copies.ts';
import type { LookupSource } from '../imports/stage/lookup-file.ts';
import { type ByLookup, mapLookupsInTurn } from '../options/lookups.ts';
import type { Config } from '../platform/config.ts';
import { fileBesideToFetch } from './fetched-file.ts';
import type { SourceFlags } from './flags/source-flags.ts';

/** The identity and the group file of a command, each at a path or to be fetched as the file itself is. */
export interface LookupFiles {
  /** Whether there is one to be fetched. */
  readonly areFetched: boolean;
  /** Progress of fetching. */
  lines(): readonly string[];
  /** Fetches what is elsewhere into `folder`, under the name of its copy; undefined where the signal came first. @throws SourceError */
  obtain(folder: string, signal: AbortSignal): Promise<ByLookup<LookupSource> | undefined>;
}

/** @throws IntakeError, SourceError for what can be refused without asking anyone */
export async function lookupFiles(config: Config, flags: ByLookup<string> & SourceFlags): Promise<LookupFiles> {
  const files = await mapLookupsInTurn(flags, async (name) => {
    const fetched = await fileBesideToFetch(config, name, flags);
    if (fetched === undefined) await fileStateOf(resolve(name), name);
    return { name, fetched };
  });
  const fetched = Object.values(files).flatMap((file) => file.fetched ?? []);
  return {
    areFetched: fetched.length > 0,
    lines: () => fetched.flatMap((file) => file.lines()),
    obtain: async (folder, signal) => {
      let isStopped = false;
      const obtained = await mapLookupsInTurn(files, async (file, lookup) => {
        if (file.fetched === undefined) return { path: resolve(file.name), name: file.name };
        if (isStopped) return undefined;
        const path = lookupCopy(folder, lookup);
        const found = await file.fetched.fetch(path, signal);
        isStopped = found === undefined;
        return found && { path, name: found.name };
      });
      return isStopped ? undefined : obtained;
    },
  };
}

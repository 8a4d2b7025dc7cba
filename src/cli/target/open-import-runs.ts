import type { RunningFlags, ServerFlags } from '../flags/flags.ts';
import type { ImportRuns } from '../import-runs.ts';
import { localImportRuns } from '../local-import.ts';
import type { Io } from '../screen/io.ts';
import { openImports } from './open-imports.ts';

/** The imports that a command is about, and the process or server that it has more of them made by. @throws as openImports */
export async function openImportRuns(io: Io, flags: RunningFlags & ServerFlags) {
  const { config, imports } = await openImports(flags);
  const { server } = imports;
  const open = async (): Promise<ImportRuns> => {
    if (server === undefined) return localImportRuns(io, config, flags);
    // Loaded for those who need an HTTP client.
    const { remoteImportRuns } = await import('./remote-import.ts');
    return remoteImportRuns({ io, imports, server, json: flags.json === true });
  };
  return { config, imports, runs: await open() };
}

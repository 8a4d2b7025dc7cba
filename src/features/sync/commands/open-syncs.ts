import { openImports } from '../../../cli/target/open-imports.ts';
import { localSyncs } from './local-syncs.ts';
import type { Syncs } from './syncs.ts';

/** The syncs that a command is about, where its imports are. @throws as openImports */
export async function openSyncs(flags: Parameters<typeof openImports>[0]) {
  const { config, imports } = await openImports(flags);
  const { server } = imports;
  const syncs: Syncs =
    server === undefined ? localSyncs(config) : (await import('./remote-syncs.ts')).remoteSyncs(server, imports);
  return { config, server, syncs };
}

import { openImports } from '../../../cli/client/open-imports.ts';
import type { RunningFlags, ServerFlags } from '../../../cli/flags/flags.ts';
import type { Io } from '../../../cli/screen/io.ts';
import type { Config } from '../../../platform/config.ts';
import { localSyncRuns } from './local-syncs.ts';
import { remoteSyncRuns } from './remote-syncs.ts';
import type { Shown } from './sync-outcome.ts';
import { type SyncRuns, type Syncs, syncsOf } from './target-syncs.ts';

/** The syncs that a command is about, where its imports are. @throws as openImports */
export async function openSyncs(flags: Parameters<typeof openImports>[0]): Promise<Syncs> {
  const { config, imports } = await openImports(flags);
  return syncsOf(config, imports);
}

/** The same for a command that has one planned, carried out or rejected. */
export async function openSyncRuns(
  io: Io,
  flags: RunningFlags & ServerFlags & Pick<Shown, 'markdown' | 'planCsv'>,
): Promise<{ readonly config: Config; readonly syncs: Syncs; readonly runs: SyncRuns }> {
  const { config, imports } = await openImports(flags);
  const { server } = imports;
  const syncs = syncsOf(config, imports);
  const shown = { io, syncs, json: flags.json === true, markdown: flags.markdown, planCsv: flags.planCsv };
  const runs = server === undefined ? localSyncRuns(config, flags, shown) : remoteSyncRuns({ ...shown, server });
  return { config, syncs, runs };
}

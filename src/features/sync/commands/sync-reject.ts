import { Command } from 'commander';
import { noteHere } from '../../../cli/audit.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { type CommonFlags, type ServerFlags, withDataDir, withServer } from '../../../cli/flags/flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { whenLeft } from '../../../imports/life/control-socket.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir, ownDataDir } from '../../../platform/data-dir.ts';
import { syncOperations } from '../operations.ts';
import { openSyncCatalog } from '../sync-catalog.ts';
import { SyncRefused } from '../sync-errors.ts';
import { askToDecide } from './sync-control.ts';
import { findSync, openSyncs } from './sync-target.ts';

type Flags = CommonFlags & ServerFlags & { readonly reason: string };

/** `rollcall sync reject`: rejects a plan. */
export function syncRejectCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('reject')
    .description('reject a plan: it can no longer be carried out')
    .argument('<id>', 'as `sync list` shows it')
    .requiredOption('--reason <text>', 'why you reject it');
  return withServer(withDataDir(command)).action((id: string, flags: Flags) => end(reject(io, id, flags)));
}

async function reject(io: Io, id: string, flags: Flags): Promise<ExitCode> {
  const { config, server } = await openSyncs(flags);
  const { reason } = flags;
  if (server === undefined) await rejectHere(config, id, reason);
  else await server.call(syncOperations.reject, { id, reason });
  say(io, `Sync ${id} is rejected: ${reason}`);
  return EXIT.ok;
}

async function rejectHere(config: Config, id: string, reason: string): Promise<void> {
  findSync(config.dataDir, id);
  if (reason.trim() === '') throw SyncRefused.reason('reject', id);
  if ((await askToDecide(config.dataDir, id, 'reject', { reason, note: reason })) !== undefined) return;
  const dir = dataDir(config.dataDir);
  // Nothing is sent, so it needs neither queue nor service.
  const release = await whenLeft(dir, () => ownDataDir(dir));
  const catalog = openSyncCatalog(dir.catalog);
  try {
    catalog.move(id, 'rejected', { who: currentUser(), reason });
    noteHere(dir, 'sync.reject', id, reason);
  } finally {
    catalog.close();
    release();
  }
}

import { Command } from 'commander';
import { readConfig } from '../../platform/config.ts';
import { dataDir, ownDataDir } from '../../platform/data-dir.ts';
import { openSyncCatalog } from '../../syncs/sync-catalog.ts';
import { SyncRefused } from '../../syncs/sync-errors.ts';
import { noteHere } from '../audit.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, withDataDir } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { currentUser, findSync } from '../target/sync-data.ts';

/** `rollcall sync reject`: rejects a plan. */
export function syncRejectCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('reject')
    .description('reject a plan: it can no longer be carried out')
    .argument('<id>', 'as `sync list` shows it')
    .requiredOption('--reason <text>', 'why you reject it');
  return withDataDir(command).action((id: string, flags: CommonFlags & { readonly reason: string }) =>
    end(reject(io, id, flags)),
  );
}

async function reject(io: Io, id: string, flags: CommonFlags & { readonly reason: string }): Promise<ExitCode> {
  const config = readConfig(flags);
  findSync(config.dataDir, id);
  const { reason } = flags;
  if (reason.trim() === '') throw SyncRefused.reason('reject', id);
  const dir = dataDir(config.dataDir);
  // Nothing is sent, so it needs neither queue nor service.
  const release = ownDataDir(dir);
  const catalog = openSyncCatalog(dir.catalog);
  try {
    catalog.move(id, 'rejected', { who: currentUser(), reason });
    noteHere(dir, 'sync.reject', id, reason);
  } finally {
    catalog.close();
    release();
  }
  say(io, `Sync ${id} is rejected: ${reason}`);
  return EXIT.ok;
}

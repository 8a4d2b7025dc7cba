import { Command } from 'commander';
import { serviceOpener } from '../../../app/open-service.ts';
import { noteHere } from '../../../cli/audit.ts';
import { checkTarget } from '../../../cli/check-target.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { type RunningFlags, type ServerFlags, withRunning, withServer } from '../../../cli/flags/flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { sayServerSendsTo } from '../../../cli/target/sends-to.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { syncOperations } from '../operations.ts';
import type { SyncRunner } from '../run/runner-port.ts';
import { readSyncOptions } from '../sync-options.ts';
import { runSync } from './run-sync.ts';
import { askToDecide } from './sync-control.ts';
import { documentOf } from './sync-outcome.ts';
import { findSync, openSyncs } from './sync-target.ts';
import { followSyncThere } from './sync-there.ts';

type Flags = RunningFlags & ServerFlags;

/** `rollcall sync apply`: carries out a stored plan, or continues it. */
export function syncApplyCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('apply')
    .description('carry out a stored plan, or continue it; refused if file or groups have changed too much since')
    .argument('<id>', 'as `sync list` shows it');
  return withServer(withRunning(command)).action((id: string, flags: Flags) =>
    end(applyStored(io, 'apply', id, flags, (syncs) => syncs.apply(id, currentUser()))),
  );
}

/** `rollcall sync approve`: lets a held plan through, this once. */
export function syncApproveCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('approve')
    .description('approve a plan that a guard holds, this once and on record, and carry it out')
    .argument('<id>', 'as `sync list` shows it')
    .requiredOption('--reason <text>', 'why the plan is right');
  return withServer(withRunning(command)).action((id: string, flags: Flags & { readonly reason: string }) =>
    end(applyStored(io, 'approve', id, flags, async (syncs) => syncs.approve(id, currentUser(), flags.reason))),
  );
}

async function applyStored(
  io: Io,
  verb: 'apply' | 'approve',
  id: string,
  flags: Flags & { readonly reason?: string },
  begin: (syncs: SyncRunner) => Promise<unknown>,
): Promise<ExitCode> {
  const { config, syncs: kept, server } = await openSyncs(flags);
  const json = flags.json === true;
  if (server !== undefined) {
    await sayServerSendsTo(io, server);
    if (flags.reason === undefined) await server.call(syncOperations.apply, { id });
    else await server.call(syncOperations.approve, { id, reason: flags.reason });
    return followSyncThere({ io, syncs: kept, server, json }, id);
  }
  const record = findSync(config.dataDir, id);
  const note = flags.reason ?? record.file;
  if ((await askToDecide(config.dataDir, id, verb, { reason: flags.reason, note })) !== undefined) {
    if (json) io.out.write(`${JSON.stringify(await documentOf(kept, await kept.find(id)))}\n`);
    say(io, `The server that uses the data directory carries out sync ${id}. See how far it is with:`);
    say(io, `  ${typedCommand(config, 'sync', 'show', id)}`);
    return EXIT.ok;
  }
  const { sandbox } = readSyncOptions(record);
  checkTarget(typedCommand(config, 'sync', verb, id), id, sandbox, flags.sandbox === true);
  return runSync({
    config,
    io,
    json,
    openService: serviceOpener(config, flags),
    begin: async (syncs, { coordinator }) => {
      await begin(syncs);
      noteHere(dataDir(config.dataDir), `sync.${verb}`, id, note, coordinator.sendsTo);
      return id;
    },
  });
}

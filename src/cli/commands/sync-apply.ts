import { Command } from 'commander';
import { serviceOpener } from '../../app/open-service.ts';
import { readConfig } from '../../platform/config.ts';
import { dataDir } from '../../platform/data-dir.ts';
import type { SyncRunner } from '../../syncs/run/sync-runner.ts';
import { readSyncOptions } from '../../syncs/sync-options.ts';
import { noteHere } from '../audit.ts';
import { checkTarget } from '../check-target.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type RunningFlags, withRunning } from '../flags/flags.ts';
import { runSync } from '../run-sync.ts';
import type { Io } from '../screen/io.ts';
import { currentUser, findSync } from '../target/sync-data.ts';

type Flags = RunningFlags;

/** `rollcall sync apply`: carries out a stored plan, or continues it. */
export function syncApplyCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('apply')
    .description('carry out a stored plan, or continue it; refused if file or groups have changed too much since')
    .argument('<id>', 'as `sync list` shows it');
  return sending(command).action((id: string, flags: Flags) =>
    end(applyStored(io, 'apply', id, flags, (syncs) => syncs.apply(id, currentUser()))),
  );
}

/** `rollcall sync approve`: lets a held plan through, this once. */
export function syncApproveCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('approve')
    .description('approve a plan that a guard holds, this once and on record, and carry it out')
    .argument('<id>', 'as `sync list` shows it')
    .requiredOption('--reason <text>', 'why the plan is right');
  return sending(command).action((id: string, flags: Flags & { readonly reason: string }) =>
    end(applyStored(io, 'approve', id, flags, async (syncs) => syncs.approve(id, currentUser(), flags.reason))),
  );
}

function sending(command: Command): Command {
  return withRunning(command);
}

async function applyStored(
  io: Io,
  verb: string,
  id: string,
  flags: Flags & { readonly reason?: string },
  begin: (syncs: SyncRunner) => Promise<unknown>,
): Promise<ExitCode> {
  const config = readConfig(flags);
  const record = findSync(config.dataDir, id);
  const { sandbox } = readSyncOptions(record);
  checkTarget(`${config.command} sync ${verb} ${id}`, id, sandbox, flags.sandbox === true);
  return runSync({
    config,
    io,
    json: flags.json === true,
    openService: serviceOpener(config, flags),
    begin: async (syncs) => {
      await begin(syncs);
      noteHere(dataDir(config.dataDir), `sync.${verb}`, id, flags.reason ?? record.file);
      return id;
    },
  });
}

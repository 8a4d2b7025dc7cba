import { Command } from 'commander';
import { serviceOpener } from '../../app/open-service.ts';
import { readOptions } from '../../imports/import-options.ts';
import { refuseAddress } from '../../imports/read/intake-error.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { noteHere } from '../audit.ts';
import { checkTarget } from '../check-target.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type CheckFlags, maxCallsOf, withCheckCost } from '../flags/check-flags.ts';
import { type RunningFlags, type ServerFlags, withRunning, withServer } from '../flags/flags.ts';
import { runCheckHere } from '../run-check.ts';
import type { Io } from '../screen/io.ts';
import { checkThere } from '../target/check-there.ts';
import { findImport } from '../target/data.ts';
import { openImports } from '../target/open-imports.ts';
import { typedCommand } from '../typed-command.ts';

type Flags = CheckFlags & RunningFlags & ServerFlags;

/** `rollcall check`: asks the service about an import that was read and not sent, and continues such a check. */
export function checkCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('check').argument('[id]', 'import that was read and not sent (default: the latest)');
  withServer(withRunning(withCheckCost(command)));
  return command.action((id: string | undefined, flags: Flags) => end(check(io, id, flags)));
}

async function check(io: Io, given: string | undefined, flags: Flags): Promise<ExitCode> {
  if (given !== undefined) refuseAddress(given);
  const { config, imports } = await openImports(flags);
  const { server } = imports;
  const json = flags.json === true;
  if (server !== undefined) {
    return checkThere({ io, imports, server, json }, (await imports.find(given)).id, maxCallsOf(flags));
  }
  const record = findImport(config.dataDir, given);
  const { id } = record;
  checkTarget(typedCommand(config, 'check', id), id, readOptions(record).sandbox, flags.sandbox === true);
  return runCheckHere({
    config,
    io,
    json,
    maxCalls: maxCallsOf(flags),
    openService: serviceOpener(config, flags),
    begin: async () => {
      noteHere(dataDir(config.dataDir), 'import.check', id);
      return id;
    },
  });
}

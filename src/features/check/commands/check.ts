import { Command } from 'commander';
import { serviceOpener } from '../../../app/open-service.ts';
import { noteHere } from '../../../cli/audit.ts';
import { checkTarget } from '../../../cli/check-target.ts';
import { UsageError } from '../../../cli/errors.ts';
import type { ExitCode } from '../../../cli/exit-codes.ts';
import { type CheckFlags, maxCallsOf, withCheckCost } from '../../../cli/flags/check-flags.ts';
import { type RunningFlags, type ServerFlags, withRunning, withServer } from '../../../cli/flags/flags.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { findImport } from '../../../cli/target/data.ts';
import { openImports } from '../../../cli/target/open-imports.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import { readOptions } from '../../../imports/import-options.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { isAddress } from '../../../text/address-text.ts';
import { runCheckHere } from './check-here.ts';
import { checkThere } from './check-there.ts';

type Flags = CheckFlags & RunningFlags & ServerFlags;

/** `rollcall check`: asks the service about an import that was read and not sent, and continues such a check. */
export function checkCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('check').argument('[id]', 'import that was read and not sent (default: the latest)');
  withServer(withRunning(withCheckCost(command)));
  return command.action((id: string | undefined, flags: Flags) => end(check(io, id, flags)));
}

async function check(io: Io, given: string | undefined, flags: Flags): Promise<ExitCode> {
  if (given !== undefined && isAddress(given)) {
    const { checkedAddress } = await import('../../../sources/schemes.ts');
    checkedAddress(given);
    throw new UsageError(
      'check takes the id of an import; what is at an address is read and checked by `rollcall import <address> --check`',
    );
  }
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

import { Command } from 'commander';
import { serviceOpener } from '../../../app/open-service.ts';
import { checkTarget } from '../../../cli/check-target.ts';
import { openImports } from '../../../cli/client/open-imports.ts';
import type { Action, ExitCode } from '../../../cli/exit-codes.ts';
import { type CheckFlags, maxCallsOf, withCheckCost } from '../../../cli/flags/check-flags.ts';
import { type RunningFlags, type ServerFlags, withRunning, withServer } from '../../../cli/flags/flags.ts';
import { run, type Work } from '../../../cli/run.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import { isAddress } from '../../../text/address-text.ts';
import { checkWork } from './check-work.ts';

type Flags = CheckFlags & RunningFlags & ServerFlags;

/** `rollcall check`: asks the service about an import that was read and not sent, and continues such a check. */
export function checkCommand(action: Action): Command {
  const command = new Command('check').argument('[id]', 'import that was read and not sent (default: the latest)');
  withServer(withRunning(withCheckCost(command)));
  return command.action(action(check));
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
  const { id, sandbox } = await imports.find(given);
  checkTarget(imports.command('check', id), id, sandbox, flags.sandbox === true);
  const running = { config, io, imports, openService: async () => serviceOpener(config, flags)() };
  const begin: Work['begin'] = async () => ({ id });
  const checking = { begin, begins: 'the check to begin', json: flags.json === true, maxCalls: maxCallsOf(flags) };
  return run(running, checkWork(running, checking));
}

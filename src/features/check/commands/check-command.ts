import { Command } from 'commander';
import type { Action } from '../../../cli/exit-codes.ts';
import { type RunningFlags, withRunning } from '../../../cli/flags/flags.ts';
import { type CheckFlags, maxCallsOf, withCheckCost } from '../../../cli/flags/import-flags.ts';
import { checkTarget, openRunning, run, type Work } from '../../../cli/run.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import { isAddress } from '../../../text/address-text.ts';
import { checkWork } from './check-work.ts';

type Flags = CheckFlags & RunningFlags;

/** `rollcall check`: asks the service about an import that was read and not sent, and continues such a check. */
export function checkCommand(action: Action) {
  const command = new Command('check').argument('[id]', 'import that was read and not sent (default: the latest)');
  withRunning(withCheckCost(command));
  return command.action(action(check));
}

async function check(io: Io, given: string | undefined, flags: Flags) {
  if (given !== undefined && isAddress(given)) {
    const { checkedAddress } = await import('../../../sources/schemes.ts');
    checkedAddress(given);
    throw badUsage(
      'check takes the id of an import; what is at an address is read and checked by `rollcall import <address> --check`',
    );
  }
  const running = await openRunning(io, flags);
  const { imports } = running;
  const { id, sandbox } = await imports.find(given);
  checkTarget(imports.command('check', id), id, sandbox, flags.sandbox === true);
  const begin: Work['begin'] = async () => ({ id });
  return run(running, checkWork(running, { begin, begins: 'the check to begin', maxCalls: maxCallsOf(flags) }));
}

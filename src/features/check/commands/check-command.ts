import { Command } from 'commander';
import { unless } from '../../../cli/client/operation-client.ts';
import type { Action } from '../../../cli/exit-codes.ts';
import { type CheckFlags, maxCallsOf, withCheckCost } from '../../../cli/flags/file-flags.ts';
import { type RunningFlags, withRunning } from '../../../cli/flags/flags.ts';
import { ownImports } from '../../../cli/owner.ts';
import {
  checkTarget,
  type Doing,
  type Here,
  importWork,
  openRunning,
  type Running,
  run,
  type Work,
} from '../../../cli/run.ts';
import { conclude } from '../../../cli/screen/conclude.ts';
import { followImport, followSurvey } from '../../../cli/screen/follow.ts';
import { confirm, type Io, say } from '../../../cli/screen/io.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import { handled } from '../../../server/perform.ts';
import { isAddress } from '../../../text/address-text.ts';
import { counted, roughly, sumOf } from '../../../text/wording.ts';
import { openChecks } from '../checks.ts';
import { checkOperations } from '../operations.ts';
import { checkHandlers } from '../routes.ts';
import { checkedOf, concludeCheck } from './check-outcome.ts';

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
  checkTarget(imports.command('check', id), `import ${id}`, sandbox, flags.sandbox);
  const begin: Work['begin'] = async () => ({ id });
  return run(running, checkWork(running, { begin, begins: 'the check to begin', maxCalls: maxCallsOf(flags) }));
}

interface Checking extends Pick<Work, 'begin' | 'begins' | 'beginLines'> {
  /** Calls that may be made without asking. */
  readonly maxCalls: number;
}

/** An import that is read where it is not yet, and then checked; nothing is sent. */
export function checkWork(running: Running, checking: Checking): Work {
  const { config, io, imports, json } = running;
  const { maxCalls } = checking;
  let isRead = false;
  let fault: unknown;
  const open = (here: Here) => {
    const onError = (error: unknown) => {
      fault = error;
    };
    const checks = openChecks({ ...here, ...here.service, pace: config, onError });
    here.onStop(() => checks.works.stop());
    // The import begins here, too.
    return ownImports(here, [handled(checkOperations, checkHandlers({ ...here, checks }))]);
  };
  const follow = async (doing: Doing, id: string) => {
    const { imports, signal, here } = doing;
    // Killed while it was read, perhaps.
    if (here?.coordinator.find(id).state === 'staging') here.coordinator.stage(id);
    if ((await imports.one(id)).state === 'staging') {
      if ((await followImport(io, imports, id, { signal })) === 'left') return 'left';
    }
    if ((await imports.one(id)).state === 'rejected') return 'over';
    isRead = true;
    try {
      if ((await makeCheck(running, doing, id, maxCalls)).underWay) return 'left';
    } catch (error) {
      if (signal.aborted) return 'left';
      throw error;
    }
    if (fault !== undefined) throw fault;
    return 'over';
  };
  const check = (id: string) => `  ${imports.command('check', id)}`;
  const { named: _, ...work } = importWork(running, checking);
  return {
    ...work,
    open,
    begin: async (doing) => {
      const isBeside = doing.here === undefined && imports.server === undefined;
      // An owner that checks nothing refuses before the file is read.
      if (isBeside) await unless('UNKNOWN_IMPORT', doing.client.call(checkOperations.one, { id: 'none' }));
      return checking.begin(doing);
    },
    follow,
    howToContinue: (id) => ['Continue with:', check(id)],
    howToFollow: (id, where) =>
      isRead
        ? [`The check continues ${where}. Follow it with:`, check(id)]
        : ['The server reads the file and sends nothing. Check it with:', check(id)],
    conclude: async ({ id }) => {
      if (!isRead) return conclude(imports, io, id, json);
      const found = await imports.find(id);
      return concludeCheck(io, imports, found, await checkedOf(config, imports, id), json);
    },
  };
}

/** More than any check takes; the most that the API reads. */
const ANY_NUMBER = 999_999_999;

/** Asks whether to make more calls than it may, if that is what it takes; without a terminal, the answer is no. */
async function makeCheck(
  { io, config }: Running,
  { client, imports, signal, here }: Doing,
  id: string,
  maxCalls: number,
) {
  const run = async (calls: number) => {
    await client.call(checkOperations.begin, { id, maxCalls: `${Math.min(calls, ANY_NUMBER)}` });
    const look = () => client.call(checkOperations.one, { id });
    return followSurvey({ id, io, imports, signal, look, begins: 'the check to begin' });
  };
  const view = await run(maxCalls);
  const price = view.state === 'priced' ? Object.values(view.price ?? {}) : [];
  if (price.length === 0) return view;
  const calls = sumOf(price);
  // The limits of a server are its own.
  const time = here && `, which take ${roughly((Math.max(...price) / config.callsPerMinute) * 60_000)}`;
  say(io, '', `The check needs up to ${counted(calls, 'more call')}${time ?? ''}.`);
  return (await confirm(io, 'Continue?', signal)) ? run(ANY_NUMBER) : view;
}

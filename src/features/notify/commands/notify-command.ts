import { Command } from 'commander';
import { type Action, EXIT } from '../../../cli/exit-codes.ts';
import { withNotify } from '../../../cli/flags/flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import { readConfig } from '../../../platform/config.ts';
import { notifyTarget, tryReceiver } from '../open-receiver.ts';

/** `rollcall notify test`: sends one notification, so that the receiver can be tried before it is needed. */
export function notifyCommand(action: Action): Command {
  const test = withNotify(new Command('test'))
    .description('send a test notification, and say whether it arrived')
    .action(action(sendTest));
  return new Command('notify').addCommand(test);
}

async function sendTest(io: Io, flags: Parameters<typeof notifyTarget>[1]) {
  const receiver = await notifyTarget(readConfig(flags), flags);
  if (receiver === undefined)
    throw badUsage('there is no address to notify: give one with --notify, or set ROLLCALL_NOTIFY');
  const { host, arrived, reason } = await tryReceiver(receiver);
  await receiver.close();
  say(io, arrived ? `The notification arrived at ${host}.` : `The notification did not arrive at ${host}: ${reason}.`);
  return arrived ? EXIT.ok : EXIT.stopped;
}

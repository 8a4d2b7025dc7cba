import { Command, Option } from 'commander';
import type { Receiver } from '../../chat/user-client.ts';
import { printable } from '../../text/wording.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { type CallFlags, withApp } from '../single-calls.ts';
import { UsageError } from '../usage-error.ts';
import { withRegion } from './users-command.ts';

interface Flags extends CommonFlags, CallFlags {
  readonly toUser?: string;
  readonly toGroup?: string;
  readonly onBehalfOf: string;
}

/** `rollcall message`: sends one text message, such as a word to a group whose members were imported. */
export function messageCommand(io: Io, end: End): Command {
  const command = new Command('message')
    .argument('<text>', 'text of the message')
    .addOption(new Option('--to-user <uid>', 'user who gets it').conflicts('toGroup'))
    .option('--to-group <guid>', 'group that gets it')
    .requiredOption('--on-behalf-of <uid>', 'user who sends it');
  return withRegion(command).action((text: string, flags: Flags) => end(send(io, text, flags)));
}

async function send(io: Io, text: string, flags: Flags): Promise<ExitCode> {
  if (text.trim() === '') throw new UsageError('the text of the message is empty: write what it says');
  const to = receiverOf(flags);
  const { onBehalfOf } = flags;
  const sent = await withApp(flags, async (chat, region) => {
    const { id } = await chat.sendText(to, text, { onBehalfOf });
    return { id, region };
  });
  const { id, region } = sent;
  if (flags.json) io.out.write(`${JSON.stringify({ id, region, ...to, onBehalfOf })}\n`);
  const number = id === null ? '' : `, message ${printable(id)}`;
  say(io, `Sent to ${to.receiverType} ${printable(to.receiver)} in ${region}, from ${printable(onBehalfOf)}${number}.`);
  return EXIT.ok;
}

function receiverOf({ toUser, toGroup }: Flags): Receiver {
  if (toUser !== undefined) return { receiverType: 'user', receiver: toUser };
  if (toGroup !== undefined) return { receiverType: 'group', receiver: toGroup };
  throw new UsageError('nobody gets the message: name a user with --to-user or a group with --to-group');
}

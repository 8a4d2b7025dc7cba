import { Command, Option } from 'commander';
import type { UserFacts } from '../../chat/replies.ts';
import { mapStore, readList } from '../../chat/whole-lists.ts';
import { REGIONS } from '../../membership/membership.ts';
import { printable } from '../../text/wording.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, withJson, withSandbox } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { type CallFlags, withApp } from '../single-calls.ts';
import { timeOf } from './apps-command.ts';

type Flags = CommonFlags & CallFlags;

interface TokenFlags extends Flags {
  readonly platform?: string;
  readonly device?: string;
}

/** `rollcall users`: lists the users of an app, and makes auth tokens for them. */
export function usersCommand(io: Io, end: End): Command {
  const list = withRegion(new Command('list')).description('show every user of an app, the deactivated too');
  const token = withRegion(new Command('token'))
    .description('create an auth token, with which a client application logs in as this user; it is shown only once')
    .argument('<uid>', 'user')
    .option('--platform <name>', 'tie it to a platform, such as ios, android or web')
    .option('--device <user-agent>', 'tie it to a device, by its User-Agent');
  list.action((flags: Flags) => end(listUsers(io, flags)));
  token.action((uid: string, flags: TokenFlags) => end(createToken(io, uid, flags)));
  return new Command('users').addCommand(list).addCommand(token);
}

/** For a command that calls the app of one region. */
export function withRegion(command: Command): Command {
  const region = new Option('--region <region>', 'region of the app (default: ROLLCALL_REGION, or the only one)');
  return withSandbox(withJson(command.addOption(region.choices(REGIONS))));
}

async function listUsers(io: Io, flags: Flags): Promise<ExitCode> {
  const users = await withApp(flags, async (chat) => {
    const found = mapStore<UserFacts>();
    await readList(found, chat, 'users', '');
    return [...found.values()];
  });
  if (flags.json) {
    const shown = users.map(({ uid, name, role, tags, createdAt, deactivatedAt }) => ({
      uid,
      name,
      role,
      tags,
      createdAt: timeOf(createdAt),
      deactivatedAt: timeOf(deactivatedAt),
    }));
    io.out.write(`${JSON.stringify(shown)}\n`);
    return EXIT.ok;
  }
  if (users.length === 0) say(io, 'The app has no users.');
  for (const { uid, name, role, deactivatedAt } of users) {
    const about = [name ?? '', role ?? '', deactivatedAt === null ? '' : 'deactivated'].map(printable);
    io.out.write(`${[printable(uid), ...about].join('\t').trimEnd()}\n`);
  }
  return EXIT.ok;
}

async function createToken(io: Io, uid: string, flags: TokenFlags): Promise<ExitCode> {
  const { platform, device } = flags;
  const { authToken } = await withApp(flags, (chat) => chat.createAuthToken(uid, { platform, userAgent: device }));
  if (flags.json) {
    const tiedTo = { platform: platform ?? null, device: device ?? null };
    io.out.write(`${JSON.stringify({ uid, ...tiedTo, authToken })}\n`);
  } else io.out.write(`${authToken}\n`);
  say(io, `Auth token of user ${printable(uid)}. Keep it: it is not shown again.`);
  return EXIT.ok;
}

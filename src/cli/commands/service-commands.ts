import { Command, Option } from 'commander';
import { clientOf, managementClientOf, serviceOf } from '../../app/chat-service.ts';
import { type OpenedService, openService } from '../../app/open-service.ts';
import type { ChatClient } from '../../chat/chat-client.ts';
import { judge } from '../../chat/error-policy.ts';
import type { UserFacts } from '../../chat/replies.ts';
import type { Receiver } from '../../chat/user-client.ts';
import { mapStore, readList } from '../../chat/whole-lists.ts';
import { badUsage, isError, RollcallError } from '../../errors/rollcall-error.ts';
import { REGIONS, type Region } from '../../membership/membership.ts';
import { type Config, readConfig } from '../../platform/config.ts';
import { isoTime, printable } from '../../text/wording.ts';
import type { Action } from '../exit-codes.ts';
import { type CommonFlags, type SandboxFlags, withJson, withSandbox } from '../flags/flags.ts';
import { type Io, printJson, say } from '../screen/io.ts';

/** Commands that make a few calls and no import: they need neither a data directory nor a queue. */

type CallFlags = CommonFlags & SandboxFlags & { readonly region?: Region };

interface MessageFlags extends CallFlags {
  readonly toUser?: string;
  readonly toGroup?: string;
  readonly onBehalfOf: string;
}

/** `rollcall message`: sends one text message, such as a word to a group whose members were imported. */
export function messageCommand(action: Action) {
  const command = new Command('message')
    .argument('<text>', 'text of the message')
    .addOption(new Option('--to-user <uid>', 'user who gets it').conflicts('toGroup'))
    .option('--to-group <guid>', 'group that gets it')
    .requiredOption('--on-behalf-of <uid>', 'user who sends it');
  return withRegion(command).action(action(send));
}

async function send(io: Io, text: string, flags: MessageFlags) {
  if (text.trim() === '') throw badUsage('the text of the message is empty: write what it says');
  const to = receiverOf(flags);
  const { onBehalfOf } = flags;
  const sent = await withApp(flags, async (chat, region) => {
    const { id } = await chat.sendText(to, text, { onBehalfOf });
    return { id, region };
  });
  const { id, region } = sent;
  if (flags.json) printJson(io, { id, region, ...to, onBehalfOf });
  const number = id === null ? '' : `, message ${printable(id)}`;
  say(io, `Sent to ${to.receiverType} ${printable(to.receiver)} in ${region}, from ${printable(onBehalfOf)}${number}.`);
}

function receiverOf({ toUser, toGroup }: MessageFlags): Receiver {
  if (toUser !== undefined) return { receiverType: 'user', receiver: toUser };
  if (toGroup !== undefined) return { receiverType: 'group', receiver: toGroup };
  throw badUsage('nobody gets the message: name a user with --to-user or a group with --to-group');
}

interface TokenFlags extends CallFlags {
  readonly platform?: string;
  readonly device?: string;
}

/** `rollcall users`: lists the users of an app, and makes auth tokens for them. */
export function usersCommand(action: Action) {
  const list = withRegion(new Command('list')).description('show every user of an app, the deactivated too');
  const token = withRegion(new Command('token'))
    .description('create an auth token, with which a client application logs in as this user; it is shown only once')
    .argument('<uid>', 'user')
    .option('--platform <name>', 'tie it to a platform, such as ios, android or web')
    .option('--device <user-agent>', 'tie it to a device, by its User-Agent');
  list.action(action(listUsers));
  token.action(action(createToken));
  return new Command('users').addCommand(list).addCommand(token);
}

function withRegion(command: Command) {
  const region = new Option('--region <region>', 'region of the app (default: ROLLCALL_REGION, or the only one)');
  return withSandbox(withJson(command.addOption(region.choices(REGIONS))));
}

async function listUsers(io: Io, flags: CallFlags) {
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
    printJson(io, shown);
    return;
  }
  if (users.length === 0) say(io, 'The app has no users.');
  for (const { uid, name, role, deactivatedAt } of users) {
    const about = [name ?? '', role ?? '', deactivatedAt === null ? '' : 'deactivated'].map(printable);
    io.out.write(`${[printable(uid), ...about].join('\t').trimEnd()}\n`);
  }
}

async function createToken(io: Io, uid: string, flags: TokenFlags) {
  const { platform, device } = flags;
  const { authToken } = await withApp(flags, (chat) => chat.createAuthToken(uid, { platform, userAgent: device }));
  if (flags.json) printJson(io, { uid, platform: platform ?? null, device: device ?? null, authToken });
  else io.out.write(`${authToken}\n`);
  say(io, `Auth token of user ${printable(uid)}. Keep it: it is not shown again.`);
}

/** `rollcall apps`: lists the apps of the account. It needs the management key, which no import does. */
export function appsCommand(action: Action) {
  return withSandbox(withJson(new Command('apps'))).action(action(apps));
}

async function apps(io: Io, flags: CallFlags) {
  const found = await withClient(flags, managementClientOf, (management) => management.listApps());
  if (flags.json) {
    const shown = found.map(({ createdAt, ...app }) => ({ ...app, createdAt: timeOf(createdAt) }));
    printJson(io, shown);
    return;
  }
  if (found.length === 0) say(io, 'The account has no apps.');
  const width = Math.max(...found.map(({ id }) => id.length));
  for (const { id, region, name } of found)
    io.out.write(
      `${printable(id).padEnd(width)}  ${(region ?? '').padEnd(2)}  ${printable(name ?? '')}`.trimEnd().concat('\n'),
    );
}

/** @param seconds since 1970 */
const timeOf = (seconds: number | null) => isoTime(seconds && seconds * 1000);

/** Lets `use` call one app of the service, or of a sandbox in this process. */
function withApp<Result>(flags: CallFlags, use: (chat: ChatClient, region: Region) => Promise<Result>) {
  const regionOf = ({ defaultRegion }: Config) => flags.region ?? defaultRegion;
  return withClient(
    flags,
    (config, sandbox) => clientOf(sandbox ?? serviceOf(config, [regionOf(config)]), regionOf(config), 8),
    (chat, config) => use(chat, regionOf(config)),
  );
}

async function withClient<Client extends { close(): Promise<void> }, Result>(
  flags: CallFlags,
  open: (config: Config, sandbox: OpenedService | undefined) => Client,
  use: (client: Client, config: Config) => Promise<Result>,
) {
  const config = readConfig({ profile: flags.profile });
  const sandbox = flags.sandbox ? await openService(config, flags) : undefined;
  try {
    const client = open(config, sandbox);
    return await use(client, config)
      .catch(throwInItsWords)
      .finally(() => client.close());
  } finally {
    await sandbox?.close();
  }
}

/** @throws RollcallError in place of the client's errors: its code is the service's, or that of the failure */
function throwInItsWords(error: unknown): never {
  if (isError(error, 'UNTRUSTED_LISTING')) throw error;
  const { code, message, kind, maybeCarriedOut } = judge(error, 1);
  const exit = kind === 'again' || kind === 'slow-down' ? 4 : kind === 'stop-region' ? 3 : 2;
  const what = `the call failed: ${code}: ${message}`;
  const remedy = maybeCarriedOut ? 'it may have been carried out all the same: look before you repeat it' : undefined;
  throw new RollcallError<string>(code, { what, exit, remedy });
}

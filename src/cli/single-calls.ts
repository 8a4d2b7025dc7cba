import { clientOf, managementClientOf, serviceOf } from '../app/chat-service.ts';
import { serviceOpener } from '../app/open-service.ts';
import { UntrustedListing } from '../chat/call-errors.ts';
import type { ChatClient, ManagementClient } from '../chat/chat-client.ts';
import { judge } from '../chat/error-policy.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import type { Region } from '../membership/membership.ts';
import { type Config, readConfig } from '../platform/config.ts';
import type { Flags } from '../platform/settings.ts';
import type { SandboxFlags } from './flags/flags.ts';

/** For commands that make a few calls and no import: they need neither a data directory nor a queue. */

export type CallFlags = SandboxFlags & Pick<Flags, 'profile'> & { readonly region?: Region };

/** A call was refused or not answered. The code is the service's, or that of the failure. */
class CallFailed extends RollcallError {}

/** Lets `use` call one app of the service, or of a sandbox in this process. */
export async function withApp<Result>(
  flags: CallFlags,
  use: (chat: ChatClient, region: Region) => Promise<Result>,
): Promise<Result> {
  const config = readConfig({ profile: flags.profile });
  const { region = config.defaultRegion } = flags;
  const sandbox = await openSandbox(config, flags);
  try {
    const chat = clientOf(sandbox ?? serviceOf(config, [region]), region, 8);
    return await inItsWords(use(chat, region)).finally(() => chat.close());
  } finally {
    await sandbox?.close();
  }
}

/** The same for management operations. */
export async function withManagement<Result>(
  flags: SandboxFlags & Pick<Flags, 'profile'>,
  use: (management: ManagementClient) => Promise<Result>,
): Promise<Result> {
  const config = readConfig({ profile: flags.profile });
  const sandbox = await openSandbox(config, flags);
  try {
    const management = managementClientOf(config, sandbox);
    return await inItsWords(use(management)).finally(() => management.close());
  } finally {
    await sandbox?.close();
  }
}

async function openSandbox(config: Config, flags: SandboxFlags) {
  return flags.sandbox ? serviceOpener(config, flags)() : undefined;
}

/** @throws CallFailed in place of the client's errors */
async function inItsWords<Result>(calls: Promise<Result>): Promise<Result> {
  try {
    return await calls;
  } catch (error) {
    if (error instanceof UntrustedListing) throw error;
    const { code, message, kind, maybeCarriedOut } = judge(error, 1);
    const exit = kind === 'again' || kind === 'slow-down' ? 4 : kind === 'stop-region' ? 3 : 2;
    const what = `the call failed: ${code}: ${message}`;
    const remedy = maybeCarriedOut ? 'it may have been carried out all the same: look before you repeat it' : undefined;
    throw new CallFailed(code, what, { exit, ...(remedy !== undefined && { remedy }) });
  }
}

import { randomUUID } from 'node:crypto';
import { badSetting, isError, messageOf } from '../../errors/rollcall-error.ts';
import type { Config } from '../../platform/config.ts';
import { withPackages } from '../../platform/packages.ts';
import { noteText, slackBody } from './note.ts';
import { openWebhook, parsed, type Receiver, signingKey } from './receiver.ts';

const SLACK = 'slack+';

/** Whether notifications to an address are signed: those to programs. */
export function isSigned(address: string): boolean {
  return !address.startsWith(SLACK) && !/^smtps?:/.test(address);
}

/** @param allowPrivate allows this machine, private networks and plain HTTP @throws BAD_RECEIVER, PACKAGE_MISSING */
export async function openReceiver(
  { address, secret }: { address: string; secret?: string | null | undefined },
  allowPrivate = false,
): Promise<Receiver> {
  if (/^smtps?:/.test(address)) {
    const { openMailReceiver } = await withPackages('notifications by mail', () => import('./mail.ts'));
    return openMailReceiver(parsed(address), allowPrivate);
  }
  if (isSigned(address)) return openWebhook(parsed(address), signingKey(secret), allowPrivate);
  const slack = openWebhook(parsed(address.slice(SLACK.length)), undefined, allowPrivate);
  return { ...slack, send: ({ id, body }, signal) => slack.send({ id, body: slackBody(body) }, signal) };
}

/** The receiver of notifications that the settings name, checked before anything is opened; undefined: none. */
export async function notifyTarget(
  { notify: address, notifySecret: secret }: Pick<Config, 'notify' | 'notifySecret'>,
  flags: { readonly notify?: string | undefined; readonly notifyPrivate?: true },
): Promise<Receiver | undefined> {
  if (address === undefined) return undefined;
  const receiver = await openReceiver({ address, secret }, flags.notifyPrivate).catch((error) => {
    if (!isError(error, 'BAD_RECEIVER')) throw error;
    throw badSetting(`${flags.notify === undefined ? 'ROLLCALL_NOTIFY' : '--notify'} ${error.message}`);
  });
  if (signingKey(secret) !== undefined || !isSigned(address)) return receiver;
  throw badSetting(
    `ROLLCALL_NOTIFY_SECRET is ${secret === undefined ? 'not set' : 'not a valid secret'}: set it to \`whsec_\` and 24 to 64 random bytes in Base64, such as the output of \`echo whsec_$(openssl rand -base64 32)\``,
  );
}

/** Sends a test notification, so that a receiver can be tried before it is needed. */
export async function tryReceiver({ host, send }: Receiver) {
  const id = randomUUID().replaceAll('-', '');
  const about = { id: 'test', state: 'completed', file: 'test', reason: 'this is a test of notifications', rows: {} };
  try {
    await send({ id, body: noteText('import.test', Date.now(), about) }, new AbortController().signal);
    return { host, arrived: true, reason: null };
  } catch (error) {
    return { host, arrived: false, reason: messageOf(error) };
  }
}

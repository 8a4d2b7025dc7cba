import { randomUUID } from 'node:crypto';
import { messageOf } from '../../errors/message-of.ts';
import { type Config, ConfigError } from '../../platform/config.ts';
import type { NotificationTried } from './api.ts';
import { noteText, slackBody, teamsBody } from './note.ts';
import {
  BadReceiver,
  openReceiver,
  type Receiver,
  type ReceiverOptions,
  SIGNING_SECRET,
  signingKey,
} from './receiver.ts';

/** Body formats by the prefix of the address: `slack+https://…`. */
const FORMATS = { slack: slackBody, teams: teamsBody } as const;

/** Whether an address is of rollcall's own format, whose notifications are signed. */
export function isSigned(address: string): boolean {
  return !/^(slack\+|teams\+|smtps?:)/.test(address);
}

/** A receiver of any format: a program, Slack, Teams, or a mailbox. @throws BadReceiver */
export async function openAnyReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { url, allowPrivate } = options;
  if (/^smtps?:/.test(url) && URL.canParse(url)) {
    return (await import('./mail.ts')).openMailReceiver(new URL(url), allowPrivate);
  }
  const [, name, address] = /^(slack|teams)\+(.*)$/.exec(url) ?? [];
  if (name === undefined || address === undefined) return openReceiver(options);
  const receiver = openReceiver({ ...options, url: address, key: undefined });
  const format = FORMATS[name as keyof typeof FORMATS];
  return { ...receiver, send: ({ id, body }, signal) => receiver.send({ id, body: format(body) }, signal) };
}

export interface NotifyFlags {
  readonly notify?: string;
  readonly notifyPrivate?: true;
}

/** The receiver of notifications that the settings name, checked before anything is opened; undefined: none. */
export async function notifyTarget(
  { notify, notifySecret: secret }: Pick<Config, 'notify' | 'notifySecret'>,
  flags: NotifyFlags,
): Promise<Receiver | undefined> {
  if (notify === undefined) return undefined;
  const key = signingKey(secret ?? '');
  if (isSigned(notify) && key === undefined) {
    throw new ConfigError(
      `ROLLCALL_NOTIFY_SECRET is ${secret === undefined ? 'not set' : 'not a valid secret'}: set it to ${SIGNING_SECRET}`,
    );
  }
  try {
    return await openAnyReceiver({ url: notify, key, allowPrivate: flags.notifyPrivate === true });
  } catch (error) {
    if (!(error instanceof BadReceiver)) throw error;
    throw new ConfigError(`${flags.notify === undefined ? 'ROLLCALL_NOTIFY' : '--notify'} ${error.message}`);
  }
}

/** Sends a test notification, so that a receiver can be tried before it is needed. */
export async function tryReceiver(receiver: Receiver): Promise<NotificationTried> {
  const id = randomUUID().replaceAll('-', '');
  const about = { id: 'test', state: 'completed', file: 'test', reason: 'this is a test of notifications', rows: {} };
  const body = noteText('import.test', Date.now(), about);
  const { host } = receiver;
  try {
    await receiver.send({ id, body }, new AbortController().signal);
    return { host, arrived: true, reason: null };
  } catch (error) {
    return { host, arrived: false, reason: messageOf(error) };
  }
}

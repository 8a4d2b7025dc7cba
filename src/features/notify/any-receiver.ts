import { slackBody, teamsBody } from './formats.ts';
import { openReceiver, type Receiver, type ReceiverOptions } from './receiver.ts';

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

import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { connectTimes } from '../../platform/hosts.ts';
import { VERSION } from '../../platform/packages.ts';
import { bare, isPublic, lookupChecked } from '../../sources/allowed-sources.ts';

/** A program, a channel of Slack or a mailbox that a server notifies of imports and syncs (docs/webhook.md). */
export interface Receiver {
  /** Host and port, without anything secret. */
  readonly host: string;
  /** Resolves when the receiver has accepted the notification. */
  send(notification: { readonly id: string; readonly body: string }, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** @param what completes "--notify …" */
export function badReceiver(what: string): RollcallError {
  return new RollcallError('BAD_RECEIVER', { what });
}

/** Times in ms. */
const CONNECT_MS = 5_000;
export const ANSWER_MS = 15_000;
/** The response does not matter; so many bytes of it are read, to keep the connection. */
const MAX_ANSWER = 16_384;

/** A receiver that takes JSON. @param key signs what is sent; undefined: nothing is signed @throws BAD_RECEIVER */
export function openWebhook(url: URL, key: Buffer | undefined, allowPrivate: boolean): Receiver {
  check(url, allowPrivate);
  const dispatcher = new Agent({
    connect: {
      ...connectTimes(url.hostname, CONNECT_MS),
      rejectUnauthorized: true,
      ...(!allowPrivate && { lookup: lookupChecked(requirePublic) }),
    },
  });
  return {
    host: url.host,
    send: async ({ id, body }, signal) => {
      const timestamp = Math.floor(Date.now() / 1000);
      const reply = await request(url, {
        dispatcher,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': `rollcall/${VERSION}`,
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          ...(key !== undefined && { 'webhook-signature': signatureOf(key, `${id}.${timestamp}.${body}`) }),
        },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      await reply.body.dump({ limit: MAX_ANSWER, signal: AbortSignal.timeout(ANSWER_MS) });
      // A redirect is not followed: it could lead to an address that was not checked.
      if (reply.statusCode < 200 || reply.statusCode >= 300) throw new Error(`the receiver says ${reply.statusCode}`);
    },
    close: () => dispatcher.destroy(),
  };
}

/** Signs as https://www.standardwebhooks.com describes: with id and time, so that it cannot be replayed. */
function signatureOf(key: Buffer, content: string) {
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

/** The key in a secret of Standard Webhooks; undefined where it is not one. */
export function signingKey(secret: string | null | undefined): Buffer | undefined {
  const [, text = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret ?? '') ?? [];
  const key = Buffer.from(text, 'base64');
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}

/** Neither a password nor a query, which may hold a token, is repeated. */
const shown = (url: URL) => `${url.protocol}//${url.host}`;

/** @throws BAD_RECEIVER */
export function parsed(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw badReceiver('cannot be read; allowed is an address such as https://hooks.example/rollcall');
}

function check(url: URL, allowPrivate: boolean) {
  if (url.username + url.password !== '') {
    throw badReceiver(
      `${shown(url)} holds a user name or password; notifications are signed instead (docs/webhook.md)`,
    );
  }
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    throw badReceiver(
      `is ${shown(url)}; allowed is https, slack+https, smtp and smtps, and http with --notify-private only`,
    );
  }
  checkedHost(url, allowPrivate);
}

/** The host of an address; a name is checked when it is looked up. @throws BAD_RECEIVER */
export function checkedHost(url: URL, allowPrivate: boolean): string {
  const host = bare(url.hostname);
  if (!allowPrivate && isIP(host) !== 0) requirePublic(`is ${shown(url)}, which`, host);
  return host;
}

/** @throws BAD_RECEIVER */
export function requirePublic(host: string, ...addresses: readonly string[]): void {
  const address = addresses.find((one) => !isPublic(one));
  if (address === undefined) return;
  throw badReceiver(`${host} leads to ${address}, which is not a public address; --notify-private allows it`);
}

import { createHmac } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { connectTimes } from '../../platform/loopback.ts';
import { VERSION } from '../../platform/package-folder.ts';
import { isPublic } from '../../sources/reach.ts';

/** The program that a server notifies of finished imports (docs/webhook.md). */
export interface Receiver {
  /** Host and port, without anything secret. */
  readonly host: string;
  /** Resolves when the receiver has accepted the notification, with a 2xx. */
  send(notification: { readonly id: string; readonly body: string }, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The receiver of notifications, and the key that signs them. */
export interface ReceiverOptions {
  readonly url: string;
  /** The key that signs notifications. Undefined: they are not signed, because the receiver checks no signature. */
  readonly key: Buffer | undefined;
  /** Whether addresses of this machine and of private networks, and plain HTTP, are allowed. */
  readonly allowPrivate: boolean;
}

/** The receiver's address is not allowed; the message completes "--notify …". */
export class BadReceiver extends RollcallError {
  constructor(message: string) {
    super('BAD_RECEIVER', message);
  }
}

/** Times in ms. */
const CONNECT_MS = 5_000;
const ANSWER_MS = 15_000;
/** The response does not matter; so many bytes of it are read, to keep the connection. */
const MAX_ANSWER = 16_384;

/** @throws BadReceiver */
export function openReceiver({ url: text, key, allowPrivate }: ReceiverOptions): Receiver {
  const url = checked(text, allowPrivate);
  const dispatcher = new Agent({
    connect: {
      ...connectTimes(url.hostname, CONNECT_MS),
      rejectUnauthorized: true,
      ...(!allowPrivate && { lookup: lookupPublic }),
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
function signatureOf(key: Buffer, content: string): string {
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

const KEY_BYTES = { least: 24, most: 64 };
/** The allowed secrets, as messages describe them. */
export const SIGNING_SECRET =
  '`whsec_` and 24 to 64 random bytes in Base64, such as the output of `echo whsec_$(openssl rand -base64 32)`';

/** The key in a secret of Standard Webhooks; undefined where it is not one. */
export function signingKey(secret: string): Buffer | undefined {
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(text ?? '', 'base64');
  return key.length >= KEY_BYTES.least && key.length <= KEY_BYTES.most ? key : undefined;
}

/** Addresses are checked when the name is looked up, and the connection goes to what was checked. */
const lookupPublic: LookupFunction = (hostname, options, done) => {
  publicAddresses(hostname).then(
    (addresses) =>
      options.all === true ? done(null, addresses) : done(null, addresses[0].address, addresses[0].family),
    (error) => done(error, '', 0),
  );
};

/**
 * The addresses that a name leads to, of which each must be public.
 * @throws BadReceiver
 */
export async function publicAddresses(hostname: string): Promise<[LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await lookup(hostname, { all: true });
  const refused = [first, ...others].find((found) => found === undefined || !isPublic(found.address));
  if (first === undefined || refused !== undefined) {
    throw new BadReceiver(`${hostname} ${leadsTo(refused?.address ?? 'nowhere')}`);
  }
  return [first, ...others];
}

function leadsTo(address: string): string {
  return `leads to ${address}, which is not a public address; --notify-private allows it`;
}

function checked(text: string, allowPrivate: boolean): URL {
  if (!URL.canParse(text)) {
    throw new BadReceiver(`is ${JSON.stringify(text)}; allowed is an address such as https://hooks.example/rollcall`);
  }
  const url = new URL(text);
  // Neither a password nor a query, which may hold a token, is repeated.
  const shown = `${url.protocol}//${url.host}`;
  if (url.username + url.password !== '') {
    throw new BadReceiver(`${shown} holds a user name or password; notifications are signed instead (docs/webhook.md)`);
  }
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    throw new BadReceiver(`is ${shown}; allowed is https, and http with --notify-private only`);
  }
  checkedHost(url, allowPrivate);
  return url;
}

/**
 * The host of an address, without the brackets of IPv6; a name is checked when it is looked up.
 * @throws BadReceiver
 */
export function checkedHost(url: URL, allowPrivate: boolean): string {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (allowPrivate || isIP(host) === 0 || isPublic(host)) return host;
  throw new BadReceiver(`is ${url.protocol}//${url.host}, which ${leadsTo(host)}`);
}

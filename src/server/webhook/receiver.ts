import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, request } from 'undici';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { VERSION } from '../../platform/version.ts';

/** Whom a server tells of imports that are over (docs/webhook.md). */
export interface Receiver {
  /** Host and port, without anything secret. */
  readonly host: string;
  /** Resolves when the receiver has taken the note, with a 2xx. */
  send(note: { readonly id: string; readonly body: string }, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  readonly url: string;
  /** What notes are signed with. */
  readonly secret: string;
  /** Whether addresses of this machine and of private networks may be told, and plain HTTP may be used. */
  readonly allowPrivate: boolean;
}

/** The receiver's address is none that may be told; the message completes "--notify …". */
export class BadReceiver extends RollcallError {
  constructor(message: string) {
    super('BAD_RECEIVER', message);
  }
}

/** Times in ms. */
const CONNECT_MS = 5_000;
const ANSWER_MS = 15_000;
/** What a receiver says is of no account; so much of it is read, in bytes, to keep the connection. */
const MOST_ANSWER = 16_384;

/** @throws BadReceiver */
export function openReceiver({ url: text, secret, allowPrivate }: ReceiverOptions): Receiver {
  const url = checked(text, allowPrivate);
  const dispatcher = new Agent({
    connect: { timeout: CONNECT_MS, rejectUnauthorized: true, ...(!allowPrivate && { lookup: lookupPublic }) },
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
          'rollcall-delivery': id,
          'rollcall-timestamp': String(timestamp),
          'rollcall-signature': signatureOf(secret, timestamp, body),
        },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      await reply.body.dump({ limit: MOST_ANSWER, signal: AbortSignal.timeout(ANSWER_MS) });
      // A redirect is not followed: it could lead to an address that was not checked.
      if (reply.statusCode < 200 || reply.statusCode >= 300) throw new Error(`the receiver says ${reply.statusCode}`);
    },
    close: () => dispatcher.destroy(),
  };
}

/** `v1=` and the HMAC-SHA256 of time and body in hex. The time is signed as well, so that a note cannot be played again. */
function signatureOf(secret: string, timestamp: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

/** Addresses are checked when the name is looked up, and the connection goes to what was checked. */
const lookupPublic: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, '', 0);
    const refused = addresses.find(({ address }) => !isPublic(address));
    const [first] = addresses;
    if (refused !== undefined || first === undefined) {
      return done(new BadReceiver(`${hostname} ${leadsTo(refused?.address ?? 'nowhere')}`), '', 0);
    }
    if (options.all === true) return done(null, addresses);
    done(null, first.address, first.family);
  });
};

function leadsTo(address: string): string {
  return `leads to ${address}, which is not a public address; --notify-private allows it`;
}

/** Whether an address is one of the public internet: neither this machine nor a private or special network. */
export function isPublic(address: string): boolean {
  // An IPv4 address in the clothes of IPv6 is judged as what it is.
  return ipaddr.process(address).range() === 'unicast';
}

function checked(text: string, allowPrivate: boolean): URL {
  if (!URL.canParse(text)) {
    throw new BadReceiver(`is ${JSON.stringify(text)}; allowed is an address such as https://hooks.example/rollcall`);
  }
  const url = new URL(text);
  // Neither a password nor a query, which may hold a token, is repeated.
  const shown = `${url.protocol}//${url.host}`;
  if (url.username + url.password !== '') {
    throw new BadReceiver(`${shown} holds a user name or password; notes are signed instead (docs/webhook.md)`);
  }
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    throw new BadReceiver(`is ${shown}; allowed is https, and http with --notify-private only`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!allowPrivate && isIP(host) !== 0 && !isPublic(host))
    throw new BadReceiver(`is ${shown}, which ${leadsTo(host)}`);
  return url;
}

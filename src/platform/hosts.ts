import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { RollcallError } from '../errors/rollcall-error.ts';
import { REGIONS } from '../membership/membership.ts';
import type { Allowed } from './allowed-values.ts';

/** Host of the service itself; every other one is a sandbox or a service that speaks the same language. */
export const SERVICE_HOST = 'cometchat.io';

/** Domains at which the service answers as the same one (docs/chat-service.md, 3). */
const SERVICE_DOMAINS = [SERVICE_HOST, 'cc-cluster-2.io', 'cc-edge-2.io'];

/** Whether two hosts lead to the same apps. */
export function isSameHost(one: string, other: string) {
  const [first, second] = [one.toLowerCase(), other.toLowerCase()];
  return first === second || (SERVICE_DOMAINS.includes(first) && SERVICE_DOMAINS.includes(second));
}

const SERVICE_LABEL = new RegExp(`^(?:[^.]+\\.)?(?:api|apiclient|call)-(?:${REGIONS.join('|')})\\.`, 'i');
const MANAGEMENT_LABEL = /^apimgmt\./i;

/**
 * The part after `api-<region>.` in the service's addresses, taken from a text that a person has copied: a whole address,
 * `<app>.api-us.<host>`, `api-us.<host>` or `apimgmt.<host>`. Other mistakes
 * (plain http, credentials, an IP address) are left as they are; the caller refuses it.
 */
export function serviceHost(text: string) {
  const address = /^https:\/\/([^/?#@]+)(?:[/?#].*)?$/i.exec(text)?.[1] ?? text.replace(/\/+$/, '');
  return address.replace(SERVICE_LABEL, '').replace(MANAGEMENT_LABEL, '').replace(/\.$/, '');
}

/** The correction of a text that is not a host alone, as a sentence without its full stop. */
export function hostCorrection({ name, value }: Record<'name' | 'value', string>) {
  const host = serviceHost(value);
  return host === value
    ? undefined
    : `${name} is ${JSON.stringify(value)}, of which ${JSON.stringify(host)} is used: app id and region are put in front of it; set it to that alone`;
}

/** An address of the web. One with a user name or password is refused in words that do not repeat it. @param instead where that belongs */
function webAddress(allowed: string, read: (url: URL) => string | undefined, instead = ''): Allowed<string> {
  return {
    allowed,
    parse: (given, name) => {
      const text = given.trim();
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url === undefined) return undefined;
      if (url.username + url.password === '') return read(url);
      throw new RollcallError('BAD_SETTING', { name, allowed: `is ${allowed}${instead}` });
    },
  };
}

/** The origin of the API's addresses. */
export const serverOrigin = webAddress(
  "a server's address without a path, such as http://127.0.0.1:7700",
  ({ protocol, href, origin }) => (/^https?:$/.test(protocol) && href === `${origin}/` ? origin : undefined),
  ', and the token belongs into ROLLCALL_TOKEN',
);

/** The base address of an app, with its version. */
export const appUrl = webAddress(
  'an https address with its version, such as https://chat.corp.example/v3',
  ({ protocol, pathname, search, hash, origin }) => {
    const path = pathname.replace(/\/+$/, '');
    return protocol === 'https:' && search + hash === '' && path !== '' ? origin + path : undefined;
  },
);

/** Whether a host name or address leads to this machine alone. IPv6 with or without brackets. */
export function isLoopback(host: string) {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) === 4) return name.startsWith('127.');
  return name === '::1' || isLocalhost(name);
}

/** Whether a name is `localhost` or below it. */
export function isLocalhost(name: string) {
  return /(^|\.)localhost\.?$/i.test(name);
}

/**
 * Until the next address of a host is tried, in milliseconds. Node's own 250 are less than a connection to another continent
 * may take, and less than a process may be busy; the next address, such as ::1, may be one at which nothing answers.
 */
export const NEXT_ADDRESS_MS = 2_000;

/**
 * Times of a connection to a host, as sockets take them. An address of this machine answers or refuses at once: no other is
 * tried because of the time.
 * @param timeout ms, for all addresses together
 */
export function connectTimes(hostname: string, timeout: number) {
  return { timeout, autoSelectFamilyAttemptTimeout: isLocalhost(hostname) ? timeout : NEXT_ADDRESS_MS };
}

/** Hosts that stand for every address of this machine. */
const EVERY: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]']);

/** Addresses by which other machines may reach a server that listens on all. @param address as it is reached here */
export function addressesForOthers(address: string, host: string, interfaces = networkInterfaces()) {
  if (!EVERY.has(host)) return [];
  const { protocol, port } = new URL(address);
  return Object.values(interfaces)
    .flatMap((own) => own ?? [])
    .filter(({ family, internal, scopeid }) => !internal && !scopeid && (family === 'IPv4' || host !== '0.0.0.0'))
    .map((own) => `${protocol}//${own.family === 'IPv6' ? `[${own.address}]` : own.address}:${port}`);
}

import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { lookupHost } from '../chat/service-address.ts';
import type { SourceRequest } from './source.ts';

/** Addresses that hosts have: of the public internet, of this machine, of private networks. */

/** Whether an address is one of the public internet: neither this machine nor a private or special network. */
export function isPublic(address: string): boolean {
  // An IPv4 address inside an IPv6 address is judged as the IPv4 address.
  const parsed = ipaddr.process(address);
  // Outside of 2000::/3 nothing is assigned to the internet; the old form `::127.0.0.1` is there as well.
  const isAssigned = !(parsed instanceof ipaddr.IPv6) || (parsed.parts[0] ?? 0) >> 13 === 1;
  return isAssigned && parsed.range() === 'unicast';
}

/** Without the brackets of IPv6. */
export const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * Returns the checked address of a host to connect to, so that its name cannot have another one by then.
 * @throws what `mayConnect` throws; the error of the look-up
 */
export async function checkedHost(host: string, mayConnect: SourceRequest['mayConnect']): Promise<string> {
  if (mayConnect === undefined || isIP(host) !== 0) return host;
  return new Promise((resolve, reject) =>
    lookupChecked(eachOf(mayConnect))(host, {}, (error, address) =>
      error === null ? resolve(address as string) : reject(error),
    ),
  );
}

/** Checks all addresses of a host by a check of one. */
export const eachOf =
  (mayConnect: NonNullable<SourceRequest['mayConnect']>): CheckHost =>
  (host, addresses) => {
    for (const address of addresses) mayConnect(host, address);
  };

/** Throws for a host that must not be connected to, by the addresses of its name. */
type CheckHost = (host: string, addresses: readonly string[]) => void;

/** Looks names up for sockets, all of whose addresses are checked: a connection goes to one that was. */
export function lookupChecked(check: CheckHost, resolve: LookupFunction = lookupHost): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '', 0);
      const all = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const addresses = all.map(({ address }) => address);
      try {
        check(host, addresses);
      } catch (refusal) {
        return done(refusal as Error, '', 0);
      }
      const [first] = all;
      if (options.all === true || first === undefined) done(null, all);
      else done(null, first.address, first.family);
    });
  };
}

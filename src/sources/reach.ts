import type { LookupAddress, LookupOptions } from 'node:dns';
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
  const [first] = await checkedAddresses(host, mayConnect, {});
  return first?.address ?? host;
}

/** Looks names up for sockets, each of whose addresses is checked: a connection goes to one that was. */
export function lookupChecked(mayConnect: MayConnect): LookupFunction {
  return (host, options, done) => {
    checkedAddresses(host, mayConnect, options).then(
      (found) => {
        const [first] = found;
        if (options.all === true || first === undefined) done(null, found);
        else done(null, first.address, first.family);
      },
      (error) => done(error, '', 0),
    );
  };
}

type MayConnect = NonNullable<SourceRequest['mayConnect']>;

async function checkedAddresses(
  host: string,
  mayConnect: MayConnect,
  options: LookupOptions,
): Promise<LookupAddress[]> {
  const found = await new Promise<string | LookupAddress[]>((resolve, reject) =>
    lookupHost(host, { ...options, all: true }, (error, all) => (error === null ? resolve(all) : reject(error))),
  );
  const all = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
  for (const { address } of all) mayConnect(host, address);
  return all;
}

import { isIP } from 'node:net';
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
  const found = await new Promise<readonly { readonly address: string }[]>((resolve, reject) =>
    lookupHost(host, { all: true }, (error, all) => {
      if (error !== null) reject(error);
      else resolve(typeof all === 'string' ? [{ address: all }] : all);
    }),
  );
  for (const { address } of found) mayConnect(host, address);
  return found[0]?.address ?? host;
}

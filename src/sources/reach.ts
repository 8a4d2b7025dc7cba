import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { lookupHost } from '../chat/address.ts';
import type { SourceRequest } from './source.ts';

/** Addresses that hosts have: of the public internet, of this machine, of private networks. */

/** Whether an address is one of the public internet. */
export const isPublic = (address: string) => ipaddr.process(address).range() === 'unicast';

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

import { isIP } from 'node:net';

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

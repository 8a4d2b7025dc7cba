import { networkInterfaces } from 'node:os';

/** Hosts that stand for every address of this machine. */
const EVERY: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]']);

/**
 * The addresses by which other machines may reach a server that listens on every address of this one; empty where it
 * listens on one. @param address that it is reached by from here
 */
export function addressesForOthers(address: string, host: string, interfaces = networkInterfaces()): string[] {
  if (!EVERY.has(host)) return [];
  const { protocol, port } = new URL(address);
  return Object.values(interfaces)
    .flatMap((own) => own ?? [])
    .filter(({ family, internal, scopeid }) => !internal && !scopeid && (family === 'IPv4' || host !== '0.0.0.0'))
    .map((own) => `${protocol}//${own.family === 'IPv6' ? `[${own.address}]` : own.address}:${port}`);
}

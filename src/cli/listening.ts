import { networkInterfaces } from 'node:os';
import type { Config } from '../platform/config.ts';
import type { Api } from '../server/context.ts';
import { type Io, say } from './screen/io.ts';
import { typedCommand } from './typed-command.ts';
import { UsageError } from './usage-error.ts';

/** Opens the port of a server; its address. @throws UsageError */
export async function listen(
  server: Api,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    const address = await server.listen({ host, port, listenTextResolver: (at) => `listening on ${at}` });
    return address.replace('//[::]', '//[::1]');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new UsageError(`port ${port} of ${host} is taken; name another with --port, or 0 for a free one`);
    }
    if (code === 'EACCES')
      throw new UsageError(`port ${port} needs rights that this user has not; name one above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new UsageError(
        `${JSON.stringify(host)} is not an address of this machine; give one with --host, such as 127.0.0.1`,
      );
    }
    throw error;
  }
}

export function sayHowToLogIn(io: Io, config: Config): void {
  say(
    io,
    'No one can log in yet. Create a token with:',
    `  ${typedCommand(config, 'token', 'create', '--role', 'admin')}`,
  );
}

export function sayAddresses(io: Io, address: string, host: string): void {
  say(io, `Listening on ${address}`);
  const others = addressesForOthers(address, host);
  if (others.length > 0) say(io, 'From other machines:', ...others.map((one) => `  ${one}`));
}

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

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

type Side = 'client' | 'server';

/** A TCP proxy that can lose the bytes of its connections without closing them, as a firewall that lost its state does. */
export interface Proxy {
  readonly port: number;
  /** From now on nothing arrives of what this side, by default both, sends on the open connections. New ones work. */
  swallow(from?: Side | 'both'): void;
  /** Closes every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** @param delayMs how much later everything arrives, in each direction */
export async function startProxy(targetPort: number, delayMs = 0): Promise<Proxy> {
  const links = new Set<{ readonly sockets: readonly Socket[]; readonly swallowed: Set<Side> }>();
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    const link = { sockets: [client, target], swallowed: new Set<Side>() };
    links.add(link);
    const pass = (side: Side, from: Socket, to: Socket) => {
      from.on('data', (bytes) => {
        const deliver = () => void (link.swallowed.has(side) || to.destroyed || to.write(bytes));
        if (delayMs > 0) setTimeout(deliver, delayMs);
        else deliver();
      });
      from
        .on('error', () => {})
        .on('close', () => {
          links.delete(link);
          to.destroy();
        });
    };
    pass('client', client, target);
    pass('server', target, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const { sockets } of links) for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    swallow: (from = 'both') => {
      const sides: readonly Side[] = from === 'both' ? ['client', 'server'] : [from];
      for (const { swallowed } of links) for (const side of sides) swallowed.add(side);
    },
    cut,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
